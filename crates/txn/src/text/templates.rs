//! Templates of the text.

use super::ast::{File, Operation as Item, TemplateItem};
use super::codes;
use crate::template::{Kind, Operation, Part, Template};
use crate::varset::VarSet;
use steadfast_diag::{Diagnostic, Diagnostics, suggest};

/// The tables and their attributes, as they come up.
#[derive(Default)]
struct Tables {
    tables: Vec<(String, usize)>,
    attributes: Vec<Vec<String>>,
}

/// Turns the tree into templates.
pub(super) fn lower(file: &File, problems: &mut Diagnostics) -> Vec<Template> {
    let mut tables = Tables::default();
    // Attributes that are not named are all of them, so all names must be known first.
    for operation in file.templates.iter().flat_map(|template| &template.operations) {
        tables.learn(operation, problems);
    }
    let mut found: Vec<Template> = Vec::new();
    for item in &file.templates {
        if let Some(first) = found.iter().find(|template| template.name == item.name.text) {
            let problem = Diagnostic::error(codes::DUPLICATE, format!("`{}` is declared twice", item.name.text));
            problems.push(problem.at(item.name.span, "declared again").context(first.span, "first declared here"));
        }
        found.push(tables.template(item, problems));
    }
    found
}

impl Tables {
    fn learn(&mut self, item: &Item, problems: &mut Diagnostics) {
        let known = self.tables.iter().position(|(name, _)| *name == item.table.text);
        let table = known.unwrap_or_else(|| {
            self.tables.push((item.table.text.clone(), item.key.len()));
            self.attributes.push(Vec::new());
            self.tables.len() - 1
        });
        if self.tables[table].1 != item.key.len() {
            let message = format!(
                "the key of `{}` has {} columns, not {}",
                item.table.text,
                self.tables[table].1,
                item.key.len()
            );
            problems.push(Diagnostic::error(codes::BAD_INDEX, message).at(item.table.span, "used here"));
        }
        for name in item.attributes.iter().flatten() {
            if !self.attributes[table].contains(&name.text) {
                self.attributes[table].push(name.text.clone());
            }
            if self.attributes[table].len() >= VarSet::CAPACITY {
                let problem = Diagnostic::error(codes::TOO_LARGE, "a table has at most 63 attributes");
                problems.push(problem.at(name.span, "this is one too many"));
                self.attributes[table].pop();
            }
        }
    }

    fn template(&self, item: &TemplateItem, problems: &mut Diagnostics) -> Template {
        let parameters: Vec<String> = item.parameters.iter().map(|name| name.text.clone()).collect();
        if parameters.len() > 8 {
            let problem = Diagnostic::error(codes::TOO_LARGE, "a template has at most 8 parameters");
            problems.push(problem.at(item.name.span, "in this template"));
        }
        let mut operations = Vec::new();
        for operation in &item.operations {
            let mut key = Vec::new();
            for name in &operation.key {
                let known = parameters.iter().position(|parameter| *parameter == name.text);
                if known.is_none() {
                    let message = format!("`{}` is not a parameter of `{}`", name.text, item.name.text);
                    let problem = Diagnostic::error(codes::UNKNOWN_NAME, message).at(name.span, "unknown");
                    problems.push(suggest(problem, &name.text, parameters.iter().map(String::as_str)));
                }
                key.extend(known.map(Part::Parameter));
            }
            operations.push(self.operation(operation, key));
        }
        Template {
            name: item.name.text.clone(),
            parameters,
            operations,
            dependencies: Vec::new(),
            fetched: false,
            file: 0,
            span: item.name.span,
        }
    }

    fn operation(&self, item: &Item, key: Vec<Part>) -> Operation {
        let table = self.tables.iter().position(|(name, _)| *name == item.table.text).unwrap_or_default();
        // The last bit stands for everything that nobody names, the existence of the row included.
        let all: VarSet = (0..self.attributes[table].len()).chain([VarSet::CAPACITY - 1]).collect();
        let named = |names: &Vec<super::ast::Name>| {
            let position =
                |name: &super::ast::Name| self.attributes[table].iter().position(|known| *known == name.text);
            names.iter().filter_map(position).collect()
        };
        let attributes = item.attributes.as_ref().map_or(all, named);
        let kind = match &*item.kind.text {
            "read" => Kind::Read,
            "write" => Kind::Write,
            "lock" => Kind::Lock,
            _ => Kind::Update,
        };
        let reads = if kind == Kind::Write { VarSet::EMPTY } else { attributes };
        let writes = if matches!(kind, Kind::Read | Kind::Lock) { VarSet::EMPTY } else { attributes };
        let locks = if kind == Kind::Lock { attributes } else { VarSet::EMPTY };
        Operation { kind, table, key, reads, writes, locks, sure: true, span: item.table.span }
    }
}
