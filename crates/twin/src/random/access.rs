//! Random instructions, and the program around them.

use super::{Config, Focus};
use steadfast_ir::{
    BinaryOp, Expr, FenceOrder, Instr, Instruction, LocId, LocKind, Location, Pc, Place, Program, ReadOrder, RegId,
    Register, RmwOrder, Thread, Wrap, WriteOrder,
};
use steadfast_random::Rng;
use steadfast_span::{Index, Span};

/// Values are 0 to 3.
const MODULUS: u16 = 4;
/// Locations x, y and z.
pub(super) const LOCATIONS: usize = 3;
const REGISTERS: usize = 3;

/// The kinds of access, in the order of [`super::Weights`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    Rmw,
    Cas,
    Wait,
    BlockingCas,
    Fence,
}

/// Emits the instructions of one program.
pub(super) struct Emitter<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) config: &'a Config,
    /// The chance of an acquire or release half, in percent.
    synchronising: u32,
    /// The chance of a `seq_cst` access, in percent.
    seq_cst: u32,
    /// The location whose accesses are plain.
    plain: Option<usize>,
    /// The register that was read into last, in the current thread.
    last: Option<RegId>,
    /// How many SC fences the current thread has.
    sc_fences: usize,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(rng: &'a mut Rng, config: &'a Config) -> Self {
        let synchronising = rng.pick(&[15, 50, 85, 97]);
        let seq_cst = match config.focus {
            _ if !config.seq_cst => 0,
            Focus::SeqCst => rng.pick(&[75, 85, 93]),
            _ => rng.pick(&[10, 40, 70, 90]),
        };
        let plain = (config.plain && rng.chance(50)).then_some(0);
        Self { rng, config, synchronising, seq_cst, plain, last: None, sc_fences: 0 }
    }

    /// Forgets about the previous thread.
    pub(super) fn begin_thread(&mut self) {
        self.last = None;
        self.sc_fences = 0;
    }

    /// A kind by weight.
    pub(super) fn kind(&mut self) -> Kind {
        const KINDS: [Kind; 7] =
            [Kind::Load, Kind::Store, Kind::Rmw, Kind::Cas, Kind::Wait, Kind::BlockingCas, Kind::Fence];
        let w = self.config.weights;
        let weights = [w.load, w.store, w.rmw, w.cas, w.wait, w.blocking_cas, w.fence];
        KINDS[self.rng.weighted(&weights)]
    }

    /// Whether the configuration wants this kind at all.
    pub(super) fn allows(&self, kind: Kind) -> bool {
        let w = self.config.weights;
        let weight = match kind {
            Kind::Load => w.load,
            Kind::Store => w.store,
            Kind::Rmw => w.rmw,
            Kind::Cas => w.cas,
            Kind::Wait => w.wait,
            Kind::BlockingCas => w.blocking_cas,
            Kind::Fence => w.fence,
        };
        weight > 0
    }

    /// Emits an access of the kind to a location, and perhaps something that uses what it read.
    pub(super) fn emit(&mut self, kind: Kind, location: usize, code: &mut Vec<Instr>) {
        let Some(op) = self.access(kind, location) else { return };
        let read = steadfast_ir::dataflow::defined(&op);
        code.push(op);
        self.follow_up(read, code);
    }

    fn access(&mut self, kind: Kind, location: usize) -> Option<Instr> {
        if kind == Kind::Fence {
            return self.fence();
        }
        let place = Place::Fixed(LocId::new(location));
        if self.plain == Some(location) {
            return Some(self.plain_access(kind, place));
        }
        let op = match kind {
            Kind::Load => Instr::Load { dst: self.register(), place, order: self.read_order() },
            Kind::Store => Instr::Store { place, value: self.written(), order: self.write_order() },
            Kind::Rmw => {
                let update = self.update();
                Instr::Rmw { dst: Some(self.register()), place, update, order: self.rmw_order() }
            }
            Kind::Cas => Instr::Cas {
                expected: self.expected(),
                new: self.constant(&[1, 1, 2, 3]),
                success: self.rmw_order(),
                failure: self.read_order(),
                spurious: self.config.weak_cas && self.rng.chance(30),
                dst: Some(self.register()),
                place,
            },
            Kind::Wait => self.wait(place),
            _ => Instr::BlockingCas {
                place,
                expected: self.constant(&[0, 0, 1, 1, 2, 1]),
                new: self.constant(&[1, 1, 2, 3]),
                order: self.rmw_order(),
            },
        };
        Some(op)
    }

    fn plain_access(&mut self, kind: Kind, place: Place) -> Instr {
        match kind {
            Kind::Load | Kind::Wait | Kind::Cas => Instr::PlainLoad { dst: self.register(), place },
            _ => Instr::PlainStore { place, value: self.written() },
        }
    }

    fn wait(&mut self, place: Place) -> Instr {
        let mut values = vec![self.expected()];
        if self.rng.chance(20) {
            values.push(self.expected());
        }
        let dst = if self.rng.chance(20) { Some(self.register()) } else { None };
        Instr::Wait { dst, place, values, order: self.read_order() }
    }

    fn update(&mut self) -> Expr {
        if self.rng.chance(70) {
            let amount = self.constant(&[0, 1]);
            Expr::binary(BinaryOp::Add, Expr::Old, amount)
        } else {
            self.written()
        }
    }

    fn fence(&mut self) -> Option<Instr> {
        let config = self.config;
        if config.sc_fences && (!config.fences || self.rng.chance(50)) {
            // More than two per thread make the encoded program too large.
            self.sc_fences += 1;
            return (self.sc_fences <= 2).then_some(Instr::Fence(FenceOrder::SeqCst));
        }
        let order = self.rng.pick(&[FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel]);
        config.fences.then_some(Instr::Fence(order))
    }

    /// What may follow an access that read into `read`.
    fn follow_up(&mut self, read: Option<RegId>, code: &mut Vec<Instr>) {
        let observational = self.config.observational;
        if let Some(register) = read {
            self.last = Some(register);
            let compare = |value| Expr::binary(BinaryOp::Eq, Expr::Reg(register), value);
            if self.rng.chance(self.config.branches) {
                let cond = compare(Expr::Const(self.rng.pick(&[0, 1, 2])));
                let (then, otherwise) = self.skip(code.len());
                code.push(Instr::Branch { cond, then, otherwise });
            } else if self.rng.chance(self.config.assertions) {
                let wrong = Expr::Const(self.rng.pick(&[0, 1, 2]));
                code.push(Instr::Assert(Expr::binary(BinaryOp::Ne, Expr::Reg(register), wrong)));
            } else if observational && self.rng.chance(25) {
                let always = compare(Expr::Reg(register));
                code.push(if self.rng.chance(50) { Instr::Observe(register) } else { Instr::Assert(always) });
            }
        }
        if self.rng.chance(self.config.choices) {
            let (then, otherwise) = self.skip(code.len());
            code.push(Instr::Choose(vec![otherwise, then]));
        }
        if observational && self.rng.chance(10) {
            let (dst, from) = (self.register(), self.register());
            code.push(Instr::Assign { dst, value: Expr::Reg(from) });
        }
    }

    /// Past the next one or two instructions, or to the next one. Targets behind the end are corrected by [`Self::finish`].
    fn skip(&mut self, at: usize) -> (Pc, Pc) {
        let skipped = 1 + usize::from(self.rng.chance(30));
        (Pc::new(at + 1 + skipped), Pc::new(at + 1))
    }

    fn register(&mut self) -> RegId {
        RegId::new(self.rng.below(REGISTERS))
    }

    fn constant(&mut self, values: &[i32]) -> Expr {
        // Few values make it likely that a stale one is awaited or repeated.
        if self.config.focus == Focus::Contention {
            Expr::Const(self.rng.pick(&[0, 1]))
        } else {
            Expr::Const(self.rng.pick(values))
        }
    }

    fn written(&mut self) -> Expr {
        match self.last {
            Some(register) if self.rng.chance(self.config.registers) => Expr::Reg(register),
            _ => self.constant(&[1, 1, 2, 3]),
        }
    }

    fn expected(&mut self) -> Expr {
        match self.last {
            Some(register) if self.rng.chance(self.config.registers / 2) => Expr::Reg(register),
            _ => self.constant(&[0, 0, 1, 1, 2, 1]),
        }
    }

    fn is_seq_cst(&mut self) -> bool {
        self.config.only_seq_cst || self.rng.chance(self.seq_cst)
    }

    fn read_order(&mut self) -> ReadOrder {
        match () {
            () if self.is_seq_cst() => ReadOrder::SeqCst,
            () if self.rng.chance(self.synchronising) => ReadOrder::Acquire,
            () => ReadOrder::Relaxed,
        }
    }

    fn write_order(&mut self) -> WriteOrder {
        match () {
            () if self.is_seq_cst() => WriteOrder::SeqCst,
            () if self.rng.chance(self.synchronising) => WriteOrder::Release,
            () => WriteOrder::Relaxed,
        }
    }

    fn rmw_order(&mut self) -> RmwOrder {
        if self.is_seq_cst() {
            return RmwOrder::SeqCst;
        }
        match (self.rng.chance(self.synchronising), self.rng.chance(self.synchronising)) {
            (false, false) => RmwOrder::Relaxed,
            (true, false) => RmwOrder::Acquire,
            (false, true) => RmwOrder::Release,
            (true, true) => RmwOrder::AcqRel,
        }
    }

    /// The program with these threads.
    pub(super) fn finish(&self, threads: Vec<Vec<Instr>>) -> Program {
        let location = |at: usize| Location {
            name: ["x", "y", "z"][at].into(),
            kind: if self.plain == Some(at) { LocKind::Plain } else { LocKind::Atomic },
            init: 0,
            modulus: MODULUS,
            span: Span::default(),
        };
        Program {
            name: "random".into(),
            wrap: Wrap::Euclidean,
            locations: (0..LOCATIONS).map(location).collect(),
            threads: threads.into_iter().enumerate().map(|(at, code)| thread(at, code)).collect(),
            numbers: Vec::new(),
            indices_checked: false,
        }
    }
}

fn thread(at: usize, mut code: Vec<Instr>) -> Thread {
    let end = Pc::new(code.len());
    let clamp = |target: &mut Pc| *target = (*target).min(end);
    for op in &mut code {
        match op {
            Instr::Branch { then, otherwise, .. } => [then, otherwise].into_iter().for_each(clamp),
            Instr::Choose(targets) => targets.iter_mut().for_each(clamp),
            _ => {}
        }
    }
    code.push(Instr::Halt);
    Thread {
        name: format!("t{at}"),
        registers: (0..REGISTERS)
            .map(|r| Register { name: format!("r{r}"), modulus: MODULUS, temporary: false })
            .collect(),
        code: code.into_iter().map(|op| Instruction { op, span: Span::default() }).collect(),
        span: Span::default(),
    }
}
