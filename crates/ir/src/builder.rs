//! Builds programs in code, for front ends, tests and the random generator.

use crate::{
    Expr, FenceOrder, Instr, Instruction, LocId, LocKind, Location, Pc, Place, Program, ReadOrder, RegId, Register,
    RmwOrder, Thread, Value, Wrap, WriteOrder,
};
use steadfast_span::{Index, IndexVec, Span};

/// Builds a [`Program`].
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
    modulus: u16,
}

impl ProgramBuilder {
    /// An empty program with values modulo 256.
    pub fn new(name: impl Into<String>) -> Self {
        let program = Program {
            name: name.into(),
            wrap: Wrap::default(),
            locations: IndexVec::new(),
            threads: IndexVec::new(),
            numbers: Vec::new(),
            indices_checked: false,
        };
        Self { program, modulus: 256 }
    }

    /// Sets the modulus of locations and registers declared from now on.
    pub fn modulus(&mut self, modulus: u16) -> &mut Self {
        self.modulus = modulus;
        self
    }

    /// Sets the numbers that the values stand for.
    pub fn numbers(&mut self, numbers: impl IntoIterator<Item = i32>) -> &mut Self {
        self.program.numbers = numbers.into_iter().collect();
        self
    }

    /// States that all indices are inside of their arrays.
    pub fn indices_checked(&mut self) -> &mut Self {
        self.program.indices_checked = true;
        self
    }

    /// Sets how values are brought into range.
    pub fn wrap(&mut self, wrap: Wrap) -> &mut Self {
        self.program.wrap = wrap;
        self
    }

    /// Declares a location.
    pub fn location(&mut self, location: Location) -> LocId {
        self.program.locations.push(location)
    }

    /// Declares an atomic location without a span.
    pub fn atomic(&mut self, name: &str, init: Value) -> LocId {
        let modulus = self.modulus;
        self.location(Location { name: name.into(), kind: LocKind::Atomic, init, modulus, span: Span::default() })
    }

    /// Declares a plain location without a span.
    pub fn plain(&mut self, name: &str, init: Value) -> LocId {
        let modulus = self.modulus;
        self.location(Location { name: name.into(), kind: LocKind::Plain, init, modulus, span: Span::default() })
    }

    /// The locations declared so far.
    pub fn locations(&self) -> &IndexVec<LocId, Location> {
        &self.program.locations
    }

    /// Adds a thread whose code the closure emits.
    pub fn thread(&mut self, name: &str, emit: impl FnOnce(&mut ThreadBuilder)) {
        let mut thread = ThreadBuilder::new(name, self.modulus);
        emit(&mut thread);
        self.add_thread(thread);
    }

    /// Adds a thread that was built separately.
    pub fn add_thread(&mut self, thread: ThreadBuilder) {
        self.program.threads.push(thread.finish());
    }

    /// The finished program.
    pub fn finish(self) -> Program {
        self.program
    }
}

/// A label, which can be used before it is bound to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// Emits the code of one thread. Every instruction gets the last span that [`ThreadBuilder::at`] has set.
#[derive(Debug)]
pub struct ThreadBuilder {
    thread: Thread,
    modulus: u16,
    span: Span,
    /// The position of each label. While building, jump targets are label numbers.
    labels: Vec<Option<Pc>>,
}

impl ThreadBuilder {
    /// A thread without code. `modulus` is that of registers declared with [`ThreadBuilder::register`].
    pub fn new(name: &str, modulus: u16) -> Self {
        let thread =
            Thread { name: name.into(), registers: IndexVec::new(), code: IndexVec::new(), span: Span::default() };
        Self { thread, modulus, span: Span::default(), labels: Vec::new() }
    }

    /// Sets where the thread was declared.
    pub fn declared_at(&mut self, span: Span) -> &mut Self {
        self.thread.span = span;
        self
    }

    /// The span of the instructions emitted from now on.
    pub fn at(&mut self, span: Span) -> &mut Self {
        self.span = span;
        self
    }

    /// Declares a register with the program's modulus.
    pub fn register(&mut self, name: &str) -> RegId {
        self.register_mod(name, self.modulus)
    }

    /// Declares a register with its own modulus.
    pub fn register_mod(&mut self, name: &str, modulus: u16) -> RegId {
        self.declare(Register { name: name.into(), modulus, temporary: false })
    }

    /// Declares a register.
    pub fn declare(&mut self, register: Register) -> RegId {
        self.thread.registers.push(register)
    }

    /// A label that is not bound yet.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Binds a label to the next instruction.
    pub fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(Pc::new(self.thread.code.len()));
    }

    /// Whether a label is bound.
    pub fn is_bound(&self, label: Label) -> bool {
        self.labels[label.0].is_some()
    }

    /// Emits an instruction without targets.
    pub fn emit(&mut self, op: Instr) {
        self.thread.code.push(Instruction { op, span: self.span });
    }

    /// `goto label`
    pub fn jump(&mut self, label: Label) {
        self.emit(Instr::Jump(Pc::new(label.0)));
    }

    /// `if (cond) goto then; else goto otherwise`
    pub fn branch(&mut self, cond: Expr, then: Label, otherwise: Label) {
        self.emit(Instr::Branch { cond, then: Pc::new(then.0), otherwise: Pc::new(otherwise.0) });
    }

    /// Goes to any of the labels.
    pub fn choose(&mut self, labels: &[Label]) {
        self.emit(Instr::Choose(labels.iter().map(|label| Pc::new(label.0)).collect()));
    }

    /// An atomic load.
    pub fn load(&mut self, dst: RegId, place: impl Into<Place>, order: ReadOrder) {
        self.emit(Instr::Load { dst, place: place.into(), order });
    }

    /// An atomic store.
    pub fn store(&mut self, place: impl Into<Place>, value: Expr, order: WriteOrder) {
        self.emit(Instr::Store { place: place.into(), value, order });
    }

    /// A fetch-and-add.
    pub fn fetch_add(&mut self, dst: Option<RegId>, place: impl Into<Place>, amount: Expr, order: RmwOrder) {
        let update = Expr::binary(crate::BinaryOp::Add, Expr::Old, amount);
        self.emit(Instr::Rmw { dst, place: place.into(), update, order });
    }

    /// A fence.
    pub fn fence(&mut self, order: FenceOrder) {
        self.emit(Instr::Fence(order));
    }

    fn finish(mut self) -> Thread {
        self.emit(Instr::Halt);
        let end = Pc::new(self.thread.code.len() - 1);
        let target = |label: &mut Pc| *label = self.labels[label.index()].unwrap_or(end);
        for instruction in &mut self.thread.code {
            match &mut instruction.op {
                Instr::Jump(to) => target(to),
                Instr::Branch { then, otherwise, .. } => {
                    target(then);
                    target(otherwise);
                }
                Instr::Choose(targets) => targets.iter_mut().for_each(target),
                _ => {}
            }
        }
        self.thread
    }
}
