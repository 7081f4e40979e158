//! Random small transactional programs, as text.

use std::fmt::Write;
use steadfast_random::Rng;

/// A program that can be made smaller piece by piece: processes of transactions of alternatives of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionSample {
    processes: Vec<Vec<Vec<Vec<String>>>>,
    /// Those whose text is in here run serializably.
    serializable: Vec<String>,
}

const VARIABLES: [&str; 4] = ["x", "y", "z", "w"];

impl TransactionSample {
    /// A program of two to four processes with at most `most` transactions in all.
    pub fn random(rng: &mut Rng, most: usize) -> Self {
        let shape = Shape {
            variables: 2 + rng.below(3),
            statements: 1 + rng.below(4),
            choices: rng.pick(&[0, 0, 25]),
            assumes: rng.pick(&[0, 15, 30]),
            reads: rng.pick(&[40, 50, 60]),
        };
        loop {
            let count = 2 + usize::from(rng.chance(50)) + usize::from(rng.chance(20));
            let lengths: Vec<usize> = (0..count).map(|_| 1 + rng.below(3)).collect();
            if lengths.iter().sum::<usize>() <= most {
                let processes = lengths.iter().map(|&length| (0..length).map(|_| shape.transaction(rng)).collect());
                return Self { processes: processes.collect(), serializable: Vec::new() };
            }
        }
    }

    /// The program with some of its transactions run serializably.
    #[must_use]
    pub fn with_serializable(mut self, rng: &mut Rng) -> Self {
        let all: Vec<String> = self.processes.iter().flatten().map(|one| text_of(one)).collect();
        self.serializable = all.into_iter().filter(|_| rng.chance(60)).collect();
        self
    }

    /// The program as a text that can be parsed.
    pub fn text(&self) -> String {
        let mut text = "values 4;\nshared x, y, z, w;\n".to_owned();
        for (number, process) in self.processes.iter().enumerate() {
            // Every register is assigned before it is used, because that is what the language asks for.
            let _ = writeln!(text, "process p{number} {{\n    r0 := 0; r1 := 0;");
            for transaction in process {
                let body = text_of(transaction);
                let how = if self.serializable.contains(&body) { "serializable " } else { "" };
                let _ = writeln!(text, "    {how}txn {{ {body} }}");
            }
            text.push_str("}\n");
        }
        text
    }

    /// The smallest program, by leaving things out, for which `bad` still holds.
    #[must_use]
    pub fn shrunk(self, bad: impl Fn(&Self) -> bool) -> Self {
        let mut now = self;
        while let Some(smaller) = now.smaller().into_iter().find(|smaller| bad(smaller)) {
            now = smaller;
        }
        now
    }

    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for process in 0..self.processes.len() {
            all.extend(self.without(&[process]));
            for transaction in 0..self.processes[process].len() {
                all.extend(self.without(&[process, transaction]));
                for branch in 0..self.processes[process][transaction].len() {
                    all.extend(self.without(&[process, transaction, branch]));
                    for statement in 0..self.processes[process][transaction][branch].len() {
                        all.extend(self.without(&[process, transaction, branch, statement]));
                    }
                }
            }
        }
        all
    }

    /// The program without one piece, unless that is the only one of its kind.
    fn without(&self, path: &[usize]) -> Option<Self> {
        fn remove<T>(list: &mut Vec<T>, at: usize) -> Option<()> {
            (list.len() > 1).then(|| drop(list.remove(at)))
        }
        let mut copy = self.clone();
        let processes = &mut copy.processes;
        match *path {
            [process] => remove(processes, process)?,
            [process, transaction] => remove(&mut processes[process], transaction)?,
            [process, transaction, branch] => remove(&mut processes[process][transaction], branch)?,
            [process, transaction, branch, statement] => {
                remove(&mut processes[process][transaction][branch], statement)?;
            }
            _ => return None,
        }
        Some(copy)
    }
}

fn text_of(transaction: &[Vec<String>]) -> String {
    let bodies: Vec<String> = transaction.iter().map(|body| body.join(" ")).collect();
    match &bodies[..] {
        [body] => body.clone(),
        _ => format!("choose {{ {} }}", bodies.join(" } or { ")),
    }
}

/// What programs are like.
struct Shape {
    variables: usize,
    statements: usize,
    choices: u32,
    assumes: u32,
    reads: u32,
}

impl Shape {
    fn transaction(&self, rng: &mut Rng) -> Vec<Vec<String>> {
        let branches = if rng.chance(self.choices) { 2 } else { 1 };
        (0..branches).map(|_| self.body(rng)).collect()
    }

    fn body(&self, rng: &mut Rng) -> Vec<String> {
        let length = 1 + rng.below(self.statements);
        (0..length).map(|_| self.statement(rng)).collect()
    }

    fn statement(&self, rng: &mut Rng) -> String {
        let variable = rng.pick(&VARIABLES[..self.variables]);
        let register = rng.below(2);
        if rng.chance(self.assumes) {
            let comparison = if rng.chance(60) { "==" } else { "!=" };
            return format!("assume r{register} {comparison} {};", rng.below(2));
        }
        if rng.chance(self.reads) {
            return format!("r{register} := {variable};");
        }
        if rng.chance(25) {
            format!("{variable} := r{register} + 1;")
        } else {
            format!("{variable} := {};", 1 + rng.below(2))
        }
    }
}
