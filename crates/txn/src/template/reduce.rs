//! Smaller templates that decide the same: operations on tables that nobody writes or locks conflict with nothing, and parameters that are in no other key do not matter.
//! The first operation stays, because it takes the snapshot.

use super::{Instance, Part, Split, Template};

/// Templates without what does not matter, and the way back.
pub(super) struct Reduced {
    pub(super) templates: Vec<Template>,
    /// Per template, which operations were kept.
    operations: Vec<Vec<usize>>,
    /// Per template, which parameters were kept.
    parameters: Vec<Vec<usize>>,
}

impl Reduced {
    pub(super) fn new(templates: &[Template]) -> Self {
        let all = || templates.iter().flat_map(|template| &template.operations);
        let written = |table: usize| {
            all().any(|operation| operation.table == table && !operation.writes.union(operation.locks).is_empty())
        };
        let mut reduced = Self { templates: Vec::new(), operations: Vec::new(), parameters: Vec::new() };
        for template in templates {
            let kept: Vec<usize> = (0..template.operations.len())
                .filter(|&at| at == 0 || written(template.operations[at].table))
                .collect();
            let in_key = |parameter: usize| {
                let mut relevant = kept.iter().filter(|&&at| written(template.operations[at].table));
                relevant.any(|&at| template.operations[at].key.contains(&Part::Parameter(parameter)))
            };
            let parameters: Vec<usize> = (0..template.parameters.len()).filter(|&at| in_key(at)).collect();
            reduced.templates.push(smaller(template, &kept, &parameters));
            reduced.operations.push(kept);
            reduced.parameters.push(parameters);
        }
        reduced
    }

    /// The counterexample in terms of the templates as they were.
    pub(super) fn restore(&self, templates: &[Template], split: &Split) -> Split {
        let whole = |instance: &Instance| self.whole(templates, instance);
        Split {
            pause: self.operations[split.first.template][split.pause],
            read: self.operations[split.first.template][split.read],
            first: whole(&split.first),
            between: split.between.iter().map(whole).collect(),
        }
    }

    /// A parameter that was left out has the value of what depends on it, or else the first one.
    fn whole(&self, templates: &[Template], instance: &Instance) -> Instance {
        let template = &templates[instance.template];
        let kept = &self.parameters[instance.template];
        let value = |parameter: usize| kept.iter().position(|&at| at == parameter).map(|at| instance.arguments[at]);
        let arguments: Vec<u8> = (0..template.parameters.len())
            .map(|parameter| {
                let depends = template.dependencies.iter().filter(|dependency| {
                    dependency.arguments.contains(&Part::Parameter(parameter)) && value(dependency.result).is_some()
                });
                value(parameter).or_else(|| depends.into_iter().find_map(|one| value(one.result))).unwrap_or(0)
            })
            .collect();
        Instance::of(templates, instance.template, &arguments, instance.level)
    }
}

fn smaller(template: &Template, operations: &[usize], parameters: &[usize]) -> Template {
    let number = |parameter: usize| parameters.iter().position(|&kept| kept == parameter);
    let renamed = |part: &Part| match part {
        Part::Parameter(parameter) => number(*parameter).map(Part::Parameter),
        other => Some(*other),
    };
    let mut small = template.clone();
    small.parameters = parameters.iter().map(|&at| template.parameters[at].clone()).collect();
    small.operations = operations.iter().map(|&at| template.operations[at].clone()).collect();
    for operation in &mut small.operations {
        operation.key = operation.key.iter().map(|part| renamed(part).unwrap_or(Part::Any)).collect();
    }
    // A dependency on a parameter that is in no key could be met by a value of its own.
    small.dependencies = template
        .dependencies
        .iter()
        .filter_map(|dependency| {
            let arguments: Option<Vec<Part>> = dependency.arguments.iter().map(renamed).collect();
            Some(super::Dependency { arguments: arguments?, result: number(dependency.result)?, ..dependency.clone() })
        })
        .collect();
    small
}
