//! Finds functions that call themselves, directly or through others: they cannot be inlined.

use super::codes;
use super::globals::Globals;
use super::lower::CallSite;
use steadfast_diag::{Diagnostic, Diagnostics};

/// The state of a function in a depth-first search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// Reports every call that closes a cycle.
pub(super) fn find(calls: &[CallSite], globals: &Globals<'_>, problems: &mut Diagnostics) {
    let mut out: Vec<Vec<CallSite>> = vec![Vec::new(); globals.functions.len()];
    for call in calls {
        if let Some(caller) = call.caller {
            out[caller].push(*call);
        }
    }
    let mut visits = vec![Visit::New; globals.functions.len()];
    for start in 0..globals.functions.len() {
        if visits[start] != Visit::New {
            continue;
        }
        // The functions on the path, each with how many of its calls were followed. There is no recursion, because chains can be long.
        let mut path = vec![(start, 0)];
        visits[start] = Visit::Open;
        while let Some((function, next)) = path.last_mut() {
            let Some(call) = out[*function].get(*next).copied() else {
                visits[*function] = Visit::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match visits[call.callee] {
                Visit::New => {
                    visits[call.callee] = Visit::Open;
                    path.push((call.callee, 0));
                }
                Visit::Open => report(call, &path, globals, problems),
                Visit::Done => {}
            }
        }
    }
}

fn report(call: CallSite, path: &[(usize, usize)], globals: &Globals<'_>, problems: &mut Diagnostics) {
    let name = |function: usize| &globals.functions[function].ast.name;
    let cycle: Vec<usize> = path.iter().map(|step| step.0).skip_while(|&function| function != call.callee).collect();
    let callee = name(call.callee);
    let mut problem = Diagnostic::error(codes::RECURSION, format!("`{}` calls itself", callee.text))
        .at(call.span, "this call would never end")
        .context(callee.span, "the function");
    if cycle.len() > 1 {
        let shown: Vec<String> = cycle.iter().take(8).map(|&function| format!("`{}`", name(function).text)).collect();
        problem = problem.note(format!("the calls go round through {}", shown.join(", ")));
    }
    problems.push(problem.note("functions are inlined, so none can be active twice").help("use a loop"));
}
