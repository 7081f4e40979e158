//! Prints one thread of a program as a function in C11.
//!
//! Compilers change atomics where the language allows it: clang turns an exchange with an unused result into a store, and `fetch_add(0)` into a load. Both have other verdicts.
//! And it removes a plain store of a value that was just read from the same place. So every read value is written to memory that other code could read, and the zeroes that are added, also to plainly stored values, come from a
//! volatile variable.

use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::fmt::Write;
use steadfast_ir::{BinaryOp, Expr, Instr, LocId, Pc, Place, Program, ReadOrder, RegId, RmwOrder, Thread, cfg};
use steadfast_span::Index;

/// The maximum number of steps of a thread whose read values are kept.
pub(super) const SEEN: usize = 64;

/// The names of locations in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// Each location is a member of the structure, with its own name.
    Members,
    /// All locations are cells of one array, because some access computes its index.
    Cells,
}

impl Names {
    /// The names that the program needs.
    pub(super) fn of(program: &Program) -> Self {
        let mut code = program.threads.iter().flat_map(|thread| &thread.code);
        let indexed = |op: &Instr| matches!(steadfast_ir::dataflow::place(op), Some(Place::Element { .. }));
        if code.any(|instruction| indexed(&instruction.op)) { Self::Cells } else { Self::Members }
    }

    /// A location, as an expression.
    pub(super) fn location(self, program: &Program, location: LocId) -> String {
        match self {
            Self::Members => format!("m->{}", program.locations[location].name),
            Self::Cells => format!("m->cell[{}]", location.index()),
        }
    }
}

/// Prints threads of one program.
pub(super) struct Printer<'a> {
    pub(super) program: &'a Program,
    /// The prefix of all names.
    pub(super) prefix: &'a str,
    pub(super) names: Names,
}

impl Printer<'_> {
    /// The function of a thread.
    pub(super) fn function(&self, number: usize, thread: &Thread) -> Result<String> {
        if thread.code.len() > SEEN {
            bail!("a thread with more than {SEEN} steps");
        }
        let prefix = self.prefix;
        let registers: Vec<_> = thread.registers.iter().map(|register| format!("{} = 0", register.name)).collect();
        let mut text = format!("static void *{prefix}_t{number}(void *argument) {{\n");
        let _ = writeln!(text, "    struct part *self = argument;\n    struct {prefix} *m = self->memory;");
        let _ = writeln!(text, "    int {};\n    begin();", registers.join(", "));
        let targets = targets(thread);
        for (pc, instruction) in thread.code.enumerated() {
            if targets.contains(&pc) {
                let _ = writeln!(text, "l{}:;", pc.index());
            }
            for line in self.statements(thread, pc, &instruction.op)? {
                let _ = writeln!(text, "    {line}");
            }
        }
        text.push_str("end:\n    return NULL;\n}\n");
        Ok(text)
    }

    fn statements(&self, thread: &Thread, pc: Pc, op: &Instr) -> Result<Vec<String>> {
        let text = |expr: &Expr| Program::expr_text(thread, expr);
        // Values are bytes in every location and register, whatever their width in C is.
        let value = |expr: &Expr| format!("(uint8_t){}", text(expr));
        let place = |place: &Place| self.place(thread, place);
        let keep = |register: &Option<_>, read: String| kept(thread, pc, *register, &read);
        Ok(match op {
            Instr::Assign { dst, value: from } => vec![format!("{} = {};", thread.registers[*dst].name, value(from))],
            Instr::Jump(target) => vec![go_to(*target)],
            Instr::Branch { cond, then, otherwise } => {
                vec![format!("if ({}) {}", text(cond), go_to(*then)), go_to(*otherwise)]
            }
            Instr::Choose(targets) => {
                let cases = targets.iter().enumerate().map(|(at, target)| format!("case {at}: {}", go_to(*target)));
                let cases: Vec<_> = cases.collect();
                vec![format!("switch (choose(self, {})) {{ {} }}", targets.len(), cases.join(" "))]
            }
            Instr::Assume(cond) => vec![format!("if (!({})) goto end;", text(cond))],
            Instr::Observe(_) => Vec::new(),
            Instr::Load { dst, place: from, order } => {
                keep(&Some(*dst), format!("atomic_load_explicit(&{}, {})", place(from), order_name(order)))
            }
            Instr::Store { place: to, value: new, order } => {
                vec![format!("atomic_store_explicit(&{}, {}, {});", place(to), value(new), order_name(order))]
            }
            Instr::PlainLoad { dst, place: from } => keep(&Some(*dst), place(from)),
            Instr::PlainStore { place: to, value: new } => {
                vec![format!("{} = (uint8_t)({} + nothing);", place(to), text(new))]
            }
            Instr::Rmw { dst, place: at, update, order } => {
                let (function, operand) = match update {
                    Expr::Binary(BinaryOp::Add, left, right) if **left == Expr::Old && !right.mentions_old() => {
                        if right.as_const() == Some(0) { unchanged(pc) } else { ("fetch_add", value(right)) }
                    }
                    other if !other.mentions_old() => ("exchange", value(other)),
                    other => bail!("no read-modify-write of C computes `{}`", text(other)),
                };
                keep(dst, format!("atomic_{function}_explicit(&{}, {operand}, {})", place(at), order_name(order)))
            }
            Instr::Cas { dst, place: at, expected, new, success, failure, spurious } => {
                let strength = if *spurious { "weak" } else { "strong" };
                let (at, orders) = (place(at), format!("{}, {}", order_name(success), order_name(failure)));
                let mut lines = vec![format!("{{ __typeof__(atomic_load(&{at})) old = {};", value(expected))];
                lines.push(format!(
                    "  atomic_compare_exchange_{strength}_explicit(&{at}, &old, {}, {orders});",
                    value(new)
                ));
                lines.extend(keep(dst, "old".into()));
                lines.push("}".into());
                lines
            }
            Instr::BlockingCas { place: at, expected, new, order } => {
                vec![blocking(&place(at), &value(expected), &value(new), *order)]
            }
            Instr::Lock(at) => vec![blocking(&place(at), "0", "1", RmwOrder::Acquire)],
            Instr::Unlock(at) => vec![format!("atomic_store_explicit(&{}, 0, memory_order_release);", place(at))],
            Instr::Wait { dst, place: at, values, order } => wait(thread, *dst, &place(at), values, *order)?,
            Instr::Fence(order) => vec![format!("atomic_thread_fence({});", order_name(order))],
            Instr::Halt => vec!["goto end;".into()],
            Instr::Assert(_) | Instr::Bound { .. } | Instr::Exclusive(_) => bail!("C has nothing like `{op:?}`"),
        })
    }

    fn place(&self, thread: &Thread, place: &Place) -> String {
        match place {
            Place::Fixed(location) => self.names.location(self.program, *location),
            Place::Element { base, index, .. } => {
                format!("m->cell[{} + {}]", base.index(), Program::expr_text(thread, index))
            }
        }
    }
}

/// A read-modify-write that does not change the value, in one of the ways of C.
fn unchanged(pc: Pc) -> (&'static str, String) {
    let function = ["fetch_add", "fetch_sub", "fetch_or", "fetch_xor", "fetch_and"][pc.index() % 5];
    (function, if function == "fetch_and" { "~nothing" } else { "nothing" }.into())
}

/// Writes the read value to its register, and to memory so that no compiler removes the read.
fn kept(thread: &Thread, pc: Pc, register: Option<RegId>, read: &str) -> Vec<String> {
    let seen = format!("self->seen[{}]", pc.index());
    match register {
        Some(register) => {
            let name = &thread.registers[register].name;
            vec![format!("{name} = {read};"), format!("{seen} = {name};")]
        }
        None => vec![format!("{seen} = {read};")],
    }
}

fn blocking(at: &str, expected: &str, new: &str, order: RmwOrder) -> String {
    format!("steadfast_blocking_cas(&{at}, {expected}, {new}, {});", order_name(&order))
}

fn wait(thread: &Thread, dst: Option<RegId>, at: &str, values: &[Expr], order: ReadOrder) -> Result<Vec<String>> {
    let [value] = values else { bail!("a wait for several values") };
    let value = format!("(uint8_t){}", Program::expr_text(thread, value));
    let mut lines = vec![format!("steadfast_wait(&{at}, {value}, {});", order_name(&order))];
    // The value may be the register itself, which then keeps it.
    lines.extend(dst.map(|register| format!("{} = {value};", thread.registers[register].name)));
    Ok(lines)
}

fn go_to(target: Pc) -> String {
    format!("goto l{};", target.index())
}

/// The name of an order in C.
fn order_name(order: &impl std::fmt::Display) -> String {
    format!("memory_order_{order}")
}

/// Where labels are needed.
fn targets(thread: &Thread) -> BTreeSet<Pc> {
    let jumps = thread
        .code
        .enumerated()
        .filter(|(_, instruction)| matches!(instruction.op, Instr::Jump(_) | Instr::Branch { .. } | Instr::Choose(_)));
    jumps.flat_map(|(pc, instruction)| cfg::successors(pc, &instruction.op)).collect()
}
