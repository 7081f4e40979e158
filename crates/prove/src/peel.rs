//! Telling the first round of loops from the others: facts that only hold from the second round on have a place to hold at.

use crate::steps::{Model, Role, Step};

impl Model {
    /// The same template with every point twice: before any jump back, and after one.
    pub(crate) fn peeled(&self) -> Self {
        Self { globals: self.globals.clone(), roles: self.roles.iter().map(peeled).collect() }
    }
}

fn peeled(role: &Role) -> Role {
    let count = role.points.len();
    let points = [role.points.clone(), role.points.clone()].concat();
    let mut steps = Vec::new();
    for step in &role.steps {
        let back = role.points[step.to].pc <= role.points[step.from].pc;
        steps.push(Step { to: step.to + if back { count } else { 0 }, ..step.clone() });
    }
    for step in &role.steps {
        steps.push(Step { from: step.from + count, to: step.to + count, ..step.clone() });
    }
    Role { points, steps, ..role.clone() }
}
