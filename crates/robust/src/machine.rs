//! The program under sequential consistency, as a transition system.
//!
//! A state is the local state of every thread and the value of every location, packed into words. Threads with the same code are interchangeable (symmetry reduction): a state keeps the local
//! states of such a class sorted, and the label of an edge says how sorting moved the threads, so that a monitor can move its own bits along.

use crate::automaton::{Automaton, Failure, Reading};
use crate::event::Transition;
use crate::translation::{BASE, HIGH, Translation};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, RwLock};
use steadfast_explore::System;
use steadfast_ir::values::{ValueAnalysis, ValueSet};
use steadfast_ir::{LocId, Program, Value};
use steadfast_span::Index;

/// How many initial states there may be. Their enumeration cannot be interrupted.
const MOST_INITIAL: usize = 1 << 22;

/// The part of an edge's label that a monitor needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Label {
    /// The number of the transition.
    pub transition: u32,
    /// The thread that moved, by its place in the source state.
    pub thread: usize,
    /// Its place in the target state. The threads of its class between the two places moved by one place.
    pub place: usize,
}

/// Where a packed field is.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u8,
    shift: u8,
    mask: u64,
}

impl Field {
    #[inline]
    fn get<const W: usize>(self, state: &[u64; W]) -> u64 {
        state[self.word as usize] >> self.shift & self.mask
    }
    #[inline]
    fn set<const W: usize>(self, state: &mut [u64; W], value: u64) {
        let word = &mut state[self.word as usize];
        *word = *word & !(self.mask << self.shift) | value << self.shift;
    }
}

/// How to read and reduce the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineOptions<'p> {
    /// How the model reads accesses.
    pub reading: Reading,
    /// Whether threads with the same code are interchangeable.
    pub(crate) symmetry: bool,
    /// The translation of counters, if one is used.
    pub(crate) translation: Option<&'p Translation>,
}

/// The layout of a packed state, computed before the number of words is known as a constant.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    locals: Vec<Field>,
    memory: Vec<Option<Field>>,
    /// How many words a state needs.
    pub words: usize,
    /// How many bits a local state has.
    pub local_bits: u32,
}

impl Layout {
    /// Packs local states of `local_bits` bits and as many bits per location as its values need.
    pub(crate) fn new(program: &Program, analysis: &ValueAnalysis, local_bits: u32) -> Self {
        let (mut word, mut used) = (0_usize, 0);
        let mut field = |bits: u32| {
            if used + bits > 64 {
                (word, used) = (word + 1, 0);
            }
            let field = Field { word: word as u8, shift: used as u8, mask: (1 << bits) - 1 };
            used += bits;
            field
        };
        let locals = program.threads.iter().map(|_| field(local_bits)).collect();
        let memory = analysis
            .locations
            .iter()
            .map(|values| values.iter().last().filter(|&top| top > 0).map(|top| field(8 - top.leading_zeros())))
            .collect();
        Self { locals, memory, words: word + 1, local_bits }
    }
}

/// The machine.
#[derive(Debug)]
pub(crate) struct Machine<'p> {
    /// The program that runs.
    pub program: &'p Program,
    layout: Layout,
    analysis: &'p ValueAnalysis,
    /// One automaton per class of threads with the same code.
    pub automata: Arc<Vec<Automaton<'p>>>,
    /// For every thread, its class.
    pub class_of: Vec<usize>,
    /// By thread, its neighbours below and above in its class.
    neighbours: Vec<(Option<usize>, Option<usize>)>,
    place_bits: u32,
    table: Arc<RwLock<Table>>,
    /// There are too many initial states.
    too_many_initial: AtomicBool,
    /// Some local state did not fit into its field; the search must be repeated with wider fields.
    overflow: Arc<AtomicBool>,
    failed: Arc<AtomicBool>,
    /// Whether some code runs alone.
    has_sections: bool,
    translation: Option<&'p Translation>,
    /// A thread did something that the translation cannot follow.
    untranslatable: AtomicBool,
    /// The least index that was written, translated.
    least: AtomicI32,
}

#[derive(Debug, Default)]
struct Table {
    /// All transitions, each with its class of threads.
    transitions: Vec<(u32, Transition)>,
    ranges: FxHashMap<(u32, u32, Value), (u32, u32)>,
}

/// A worker's cache of the shared table.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// By class and local state: its access, and by value of the location, its steps.
    locals: Vec<Vec<CachedLocal>>,
    /// By class, local state and distance: the translated local state.
    moved: FxHashMap<(u32, u32, i32), u32>,
}

#[derive(Clone, Debug, Default)]
struct CachedLocal {
    known: bool,
    loc: Option<u16>,
    halted: bool,
    exclusive: bool,
    steps: Vec<Option<Box<[CachedStep]>>>,
}

#[derive(Clone, Copy, Debug)]
struct CachedStep {
    number: u32,
    next: u32,
    written: Option<Value>,
}

impl<'p> Machine<'p> {
    /// The machine of a program.
    pub(crate) fn new(
        program: &'p Program,
        analysis: &'p ValueAnalysis,
        layout: Layout,
        options: MachineOptions<'p>,
    ) -> Self {
        let mut class_of: Vec<usize> = Vec::new();
        let mut representatives: Vec<usize> = Vec::new();
        for (position, thread) in program.threads.iter().enumerate() {
            let twin = representatives.iter().position(|&other| {
                let other = &program.threads.as_slice()[other];
                options.symmetry && same_code(thread, other)
            });
            class_of.push(twin.unwrap_or(representatives.len()));
            if twin.is_none() {
                representatives.push(position);
            }
        }
        let automata = representatives
            .iter()
            .map(|&t| {
                let translation = options.translation.map(|translation| (translation, t));
                Automaton::new(
                    program,
                    &program.threads.as_slice()[t],
                    options.reading,
                    &analysis.locations,
                    translation,
                )
            })
            .collect();
        let threads = class_of.len();
        let neighbours = (0..threads)
            .map(|t| {
                let below = (0..t).rev().find(|&u| class_of[u] == class_of[t]);
                let above = (t + 1..threads).find(|&u| class_of[u] == class_of[t]);
                (below, above)
            })
            .collect();
        let place_bits = usize::BITS - threads.saturating_sub(1).leading_zeros();
        Self {
            program,
            layout,
            analysis,
            automata: Arc::new(automata),
            class_of,
            neighbours,
            place_bits,
            table: Arc::default(),
            too_many_initial: AtomicBool::new(false),
            overflow: Arc::default(),
            failed: Arc::default(),
            has_sections: has_sections(program),
            translation: options.translation,
            untranslatable: AtomicBool::new(false),
            least: AtomicI32::new(i32::MAX),
        }
    }

    /// The same machine, but threads keep their names. The two machines share what they learn about the code.
    pub(crate) fn without_symmetry(&self) -> Self {
        Self {
            program: self.program,
            layout: self.layout.clone(),
            analysis: self.analysis,
            automata: Arc::clone(&self.automata),
            class_of: self.class_of.clone(),
            neighbours: vec![(None, None); self.threads()],
            place_bits: self.place_bits,
            table: Arc::clone(&self.table),
            too_many_initial: AtomicBool::new(false),
            overflow: Arc::clone(&self.overflow),
            failed: Arc::clone(&self.failed),
            has_sections: self.has_sections,
            translation: self.translation,
            untranslatable: AtomicBool::new(false),
            least: AtomicI32::new(i32::MAX),
        }
    }

    /// The values that a location can hold.
    pub(crate) fn domain(&self, loc: u16) -> &ValueSet {
        &self.analysis.locations[LocId::new(loc as usize)]
    }

    /// How many threads there are.
    pub(crate) fn threads(&self) -> usize {
        self.class_of.len()
    }

    /// Whether a step failed, for example an assertion.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflow.load(Ordering::Relaxed)
    }

    /// Whether a step failed (an assertion, say).
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// A bound of the program's representation that some run leaves, if any.
    pub(crate) fn exceeded(&self) -> Option<&'p str> {
        let too_many_initial =
            self.too_many_initial.load(Ordering::Relaxed).then_some("there are more than 2^22 initial states");
        too_many_initial.or_else(|| self.automata.iter().find_map(Automaton::exceeded))
    }

    /// The thread that runs alone, if there is one.
    fn alone<const W: usize>(&self, cache: &mut Cache, state: &[u64; W]) -> Option<usize> {
        if !self.has_sections {
            return None;
        }
        (0..self.threads())
            .find(|&thread| self.cached(cache, self.class_of[thread], self.local(state, thread)).exclusive)
    }

    /// Whether the translation is valid, that is, all side conditions that show only during the exploration hold.
    pub(crate) fn translates(&self) -> bool {
        let Some(translation) = self.translation else { return true };
        let parts = self.automata.iter().map(Automaton::translation_state);
        let (certain, least) = parts.fold((true, i32::MAX), |(all, least), (one, low)| (all && one, least.min(low)));
        let least = least.min(self.least.load(Ordering::Relaxed)).min(BASE);
        let start = i32::from(self.program.locations[translation.base].init);
        certain && !self.untranslatable.load(Ordering::Relaxed) && start + least - BASE >= 0
    }

    fn give_up_translation(&self) {
        self.untranslatable.store(true, Ordering::Relaxed);
    }

    /// Moves all indices down so that the base has its fixed value again.
    fn translate<const W: usize>(&self, cache: &mut Cache, translation: &Translation, state: &mut [u64; W]) {
        let by = i32::from(self.value(state, translation.base.index())) - BASE;
        if by < 0 {
            self.give_up_translation();
        }
        if by <= 0 {
            return;
        }
        let indices = (0..translation.locations.len()).filter(|&loc| translation.locations[loc]);
        for field in indices.filter_map(|loc| self.layout.memory[loc]) {
            field.set(state, u64::from(translation.moved(field.get(state) as Value, by)));
        }
        for thread in 0..self.threads() {
            let local = self.local(state, thread);
            let moved = *cache
                .moved
                .entry((self.class_of[thread] as u32, local, by))
                .or_insert_with(|| self.automata[self.class_of[thread]].translated(local, by));
            if moved >> self.layout.local_bits != 0 {
                self.overflow.store(true, Ordering::Relaxed);
            }
            self.layout.locals[thread].set(state, u64::from(moved) & ((1 << self.layout.local_bits) - 1));
        }
    }

    /// Records that an index is written, which must lie in the window.
    fn note_index(&self, translation: &Translation, written: Value) {
        self.least.fetch_min(i32::from(written), Ordering::Relaxed);
        if i32::from(written) <= translation.low || i32::from(written) > HIGH {
            self.give_up_translation();
        }
    }

    /// The local state of a thread.
    #[inline]
    pub(crate) fn local<const W: usize>(&self, state: &[u64; W], thread: usize) -> u32 {
        self.layout.locals[thread].get(state) as u32
    }

    /// The value of a location. Locations that never change are not stored.
    #[inline]
    pub(crate) fn value<const W: usize>(&self, state: &[u64; W], loc: usize) -> Value {
        self.layout.memory[loc].map_or(0, |field| field.get(state) as Value)
    }

    /// Unpacks a label.
    #[inline]
    pub(crate) fn label(&self, label: u32) -> Label {
        let mask = (1 << self.place_bits) - 1;
        Label {
            transition: label >> (2 * self.place_bits),
            thread: (label >> self.place_bits & mask) as usize,
            place: (label & mask) as usize,
        }
    }

    /// Packs a label.
    pub(crate) fn pack(&self, label: Label) -> u32 {
        label.transition << (2 * self.place_bits) | (label.thread as u32) << self.place_bits | label.place as u32
    }

    /// All (thread, place) pairs that a step of this class can have.
    pub(crate) fn moves(&self, class: usize) -> Vec<(usize, usize)> {
        let members: Vec<usize> = (0..self.threads()).filter(|&thread| self.class_of[thread] == class).collect();
        members.iter().flat_map(|&thread| members.iter().map(move |&place| (thread, place))).collect()
    }

    /// One transition.
    pub(crate) fn transition(&self, number: u32) -> Transition {
        self.table.read().expect("no panic while locked").transitions[number as usize].1.clone()
    }

    /// Appends the transitions that the list of all transitions does not contain yet.
    pub(crate) fn copy_transitions(&self, known: &mut Vec<Transition>) {
        let table = self.table.read().expect("no panic while locked");
        known.extend(table.transitions[known.len()..].iter().map(|(_, transition)| transition.clone()));
    }

    /// All transitions, by number, each with its class.
    pub(crate) fn transitions(&self) -> Vec<(u32, Transition)> {
        self.table.read().expect("no panic while locked").transitions.clone()
    }

    /// The failure of some thread's step from this state, if any, with the thread.
    pub(crate) fn failure<const W: usize>(&self, state: &[u64; W]) -> Option<(usize, Failure)> {
        (0..self.threads()).find_map(|thread| {
            let automaton = &self.automata[self.class_of[thread]];
            let local = self.local(state, thread);
            let old = automaton.access(local).loc.map_or(0, |loc| self.value(state, loc as usize));
            automaton.failure(local, old).map(|failure| (thread, failure))
        })
    }

    /// The failure of some thread before its first access.
    pub(crate) fn initial_failure(&self) -> Option<(usize, Failure)> {
        (0..self.threads()).find_map(|thread| {
            let (_, failures) = self.automata[self.class_of[thread]].initial();
            failures.first().map(|failure| (thread, *failure))
        })
    }

    fn cached<'c>(&self, cache: &'c mut Cache, class: usize, local: u32) -> &'c mut CachedLocal {
        let locals = &mut cache.locals[class];
        if locals.len() <= local as usize {
            locals.resize(local as usize + 16, CachedLocal::default());
        }
        let cached = &mut locals[local as usize];
        if !cached.known {
            let access = self.automata[class].access(local);
            *cached = CachedLocal {
                known: true,
                loc: access.loc,
                halted: access.halted,
                exclusive: self.automata[class].is_exclusive(local),
                steps: Vec::new(),
            };
        }
        cached
    }

    fn steps_of(&self, class: usize, local: u32, old: Value) -> Box<[CachedStep]> {
        let key = (class as u32, local, old);
        let steps = |table: &Table, (start, len): (u32, u32)| {
            let of = |number: u32| {
                let (_, transition) = &table.transitions[number as usize];
                CachedStep { number, next: transition.next, written: transition.written }
            };
            (start..start + len).map(of).collect()
        };
        {
            let table = self.table.read().expect("no panic while locked");
            if let Some(&range) = table.ranges.get(&key) {
                return steps(&table, range);
            }
        }
        let found = self.automata[class].steps(local, old);
        if self.automata[class].has_failures() && self.automata[class].failure(local, old).is_some() {
            self.failed.store(true, Ordering::Relaxed);
        }
        let mut table = self.table.write().expect("no panic while locked");
        if let Some(&range) = table.ranges.get(&key) {
            return steps(&table, range);
        }
        let range = (table.transitions.len() as u32, found.len() as u32);
        let widest = found.iter().map(|transition| transition.next).max().unwrap_or(0);
        let numbers = table.transitions.len() + found.len();
        if widest >> self.layout.local_bits != 0 || numbers >> (32 - 2 * self.place_bits) != 0 {
            self.overflow.store(true, Ordering::Relaxed);
        }
        table.transitions.extend(found.into_iter().map(|transition| (class as u32, transition)));
        table.ranges.insert(key, range);
        steps(&table, range)
    }

    /// Puts a local state into a thread's field and keeps its class sorted. Returns its place.
    #[inline]
    fn place<const W: usize>(&self, state: &mut [u64; W], thread: usize, local: u32) -> usize {
        let fields = &self.layout.locals;
        let mut at = thread;
        while let Some(below) = self.neighbours[at].0 {
            let other = fields[below].get(state);
            if other <= u64::from(local) {
                break;
            }
            fields[at].set(state, other);
            at = below;
        }
        while let Some(above) = self.neighbours[at].1 {
            let other = fields[above].get(state);
            if other >= u64::from(local) || at < thread {
                break;
            }
            fields[at].set(state, other);
            at = above;
        }
        fields[at].set(state, u64::from(local));
        at
    }

    /// How a step permutes the threads: `result[i]` is the place in the source state of the thread that is at place `i` in the target state.
    pub(crate) fn permutation(&self, thread: usize, place: usize) -> Vec<usize> {
        let mut moved: Vec<usize> = (0..self.threads()).collect();
        let mut at = thread;
        while at != place {
            let towards = if place < at { self.neighbours[at].0 } else { self.neighbours[at].1 };
            let next = towards.expect("a step moves a thread within its class");
            moved[at] = next;
            at = next;
        }
        moved[place] = thread;
        moved
    }
}

/// Whether some code of the program runs alone.
pub(crate) fn has_sections(program: &Program) -> bool {
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    code.any(|instruction| matches!(instruction.op, steadfast_ir::Instr::Exclusive(_)))
}

/// Whether two threads have the same code and equal registers.
fn same_code(one: &steadfast_ir::Thread, other: &steadfast_ir::Thread) -> bool {
    one.code.len() == other.code.len()
        && one.code.iter().zip(&other.code).all(|(a, b)| a.op == b.op)
        && one.registers.len() == other.registers.len()
        && one.registers.iter().zip(&other.registers).all(|(a, b)| a.modulus == b.modulus)
}

impl<const W: usize> System<W> for Machine<'_> {
    type Worker<'a>
        = Cache
    where
        Self: 'a;

    fn worker(&self) -> Cache {
        Cache { locals: vec![Vec::new(); self.automata.len()], moved: FxHashMap::default() }
    }

    fn initial(&self) -> Vec<[u64; W]> {
        let mut start = [0; W];
        for (loc, location) in self.program.locations.enumerated() {
            if let Some(field) = self.layout.memory[loc.index()] {
                let index = self.translation.filter(|translation| translation.locations[loc.index()]);
                let start_of =
                    |translation: &Translation| i32::from(self.program.locations[translation.base].init) - BASE;
                let init =
                    index.map_or(location.init, |translation| translation.moved(location.init, start_of(translation)));
                field.set(&mut start, u64::from(init));
            }
        }
        let mut states = vec![start];
        for (thread, &class) in self.class_of.iter().enumerate() {
            let (locals, failures) = self.automata[class].initial();
            if !failures.is_empty() {
                self.failed.store(true, Ordering::Relaxed);
            }
            if locals.iter().any(|local| local >> self.layout.local_bits != 0) {
                self.overflow.store(true, Ordering::Relaxed);
                return Vec::new();
            }
            if states.len().saturating_mul(locals.len()) > MOST_INITIAL {
                self.too_many_initial.store(true, Ordering::Relaxed);
                states.truncate(1);
            }
            states = states
                .iter()
                .flat_map(|state| {
                    locals.iter().map(move |&local| {
                        let mut state = *state;
                        self.layout.locals[thread].set(&mut state, u64::from(local));
                        state
                    })
                })
                .collect();
        }
        // Taking out each thread and putting it back, repeatedly, sorts a state. For the few initial states that is fast enough.
        for state in &mut states {
            for _ in 0..self.threads() {
                for thread in 0..self.threads() {
                    let local = self.local(state, thread);
                    self.place(state, thread, local);
                }
            }
        }
        states
    }

    fn expand(&self, cache: &mut Cache, state: &[u64; W], successors: &mut Vec<(u32, [u64; W])>) {
        // Two threads of one class in the same local state both move: the program cannot tell them apart, but a monitor can.
        let alone = self.alone(cache, state);
        for thread in 0..self.threads() {
            let class = self.class_of[thread];
            let local = self.local(state, thread);
            let cached = self.cached(cache, class, local);
            if cached.halted || alone.is_some_and(|alone| alone != thread) {
                continue;
            }
            let loc = cached.loc;
            let old = loc.map_or(0, |loc| self.value(state, loc as usize));
            if cached.steps.len() <= old as usize {
                cached.steps.resize(old as usize + 1, None);
            }
            if cached.steps[old as usize].is_none() {
                let steps = self.steps_of(class, local, old);
                self.cached(cache, class, local).steps[old as usize] = Some(steps);
            }
            let count = self.cached(cache, class, local).steps[old as usize].as_deref().map_or(0, <[CachedStep]>::len);
            for number in 0..count {
                let step =
                    self.cached(cache, class, local).steps[old as usize].as_deref().expect("just fetched")[number];
                let mut next = *state;
                if let (Some(written), Some(loc)) = (step.written, loc)
                    && let Some(field) = self.layout.memory[loc as usize]
                {
                    debug_assert!(u64::from(written) <= field.mask, "the analysis knows all values of a location");
                    field.set(&mut next, u64::from(written));
                }
                let mut moved = step.next;
                if let Some(translation) = self.translation {
                    // Moving indices can change the order in a class. Only the thread that steps is put at its place: that is sound, but not always the best reduction.
                    self.layout.locals[thread].set(&mut next, u64::from(step.next));
                    if let (Some(written), Some(loc)) = (step.written, loc)
                        && translation.locations[loc as usize]
                    {
                        self.note_index(translation, written);
                    }
                    self.translate(cache, translation, &mut next);
                    moved = self.local(&next, thread);
                }
                let place = self.place(&mut next, thread, moved);
                successors.push((self.pack(Label { transition: step.number, thread, place }), next));
            }
        }
    }

    fn stopped(&self) -> bool {
        self.overflowed() || self.failed() || self.untranslatable.load(Ordering::Relaxed)
    }
}
