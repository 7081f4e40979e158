//! Prints a file in C11 with many programs. Compiling takes most of the time, so one binary has many programs, and an argument chooses one.
//!
//! A run sets memory to the initial values, starts all threads together, and joins them. One process makes as many runs as its argument says, under one schedule.

use super::case::Case;
use super::thread::{Names, Printer};
use anyhow::Result;
use std::fmt::Write;
use steadfast_ir::{LocId, LocKind};
use steadfast_span::Index;

/// The memory of a program's locations, from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// In a block of the heap, which is freed after the run.
    Fresh,
    /// In the same place in every run; `atomic_init` is a plain store.
    Initialised,
    /// In the same place in every run, and set by atomic stores.
    Stored,
}

/// The beginning of the file, with room for the values that [`SEEN`](super::thread::SEEN) steps read. `begin` is a barrier, so that after it only the choice of the next thread matters; see `chance.rs`.
const BEGINNING: &str = r"#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <steadfast.h>

/* What a thread is given, and what it has read, by the number of the instruction. */
struct part { void *memory; uint64_t choices; int seen[64]; };
static struct part parts[8];
static pthread_barrier_t barrier;
static volatile int nothing;

static void begin(void) { pthread_barrier_wait(&barrier); }

static unsigned choose(struct part *self, unsigned count) {
    self->choices = self->choices * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(self->choices >> 33) % count;
}

struct program { size_t bytes; int fresh; void (*set)(void *); int threads; void *(*code[8])(void *); };
";

/// The end of the file.
const END: &str = r"
static _Alignas(16) unsigned char kept[256];

static void run(const struct program *program, uint64_t seed) {
    pthread_t threads[8];
    void *memory = program->fresh ? malloc(program->bytes) : kept;
    program->set(memory);
    pthread_barrier_init(&barrier, NULL, program->threads);
    for (int i = 0; i < program->threads; i++) {
        parts[i].memory = memory;
        parts[i].choices = (seed * 8 + i) * 0x9e3779b97f4a7c15u;
        pthread_create(&threads[i], NULL, program->code[i], &parts[i]);
    }
    for (int i = 0; i < program->threads; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    if (program->fresh) free(memory);
}

/* PROGRAM RUNS SEED */
int main(int count, char **arguments) {
    if (count != 4) return 2;
    const struct program *program = &programs[atoi(arguments[1])];
    uint64_t runs = strtoull(arguments[2], NULL, 10), seed = strtoull(arguments[3], NULL, 10);
    for (uint64_t i = 0; i < runs; i++) run(program, seed + i);
    return 0;
}
";

/// The file with these programs.
pub(super) fn source(cases: &[Case]) -> Result<String> {
    let mut text = BEGINNING.to_owned();
    for (at, case) in cases.iter().enumerate() {
        text.push_str(&program(case, &format!("p{at}"))?);
    }
    text.push_str("\nstatic const struct program programs[] = {\n");
    for (at, case) in cases.iter().enumerate() {
        let threads = case.program.threads.len();
        let code: Vec<_> = (0..threads).map(|thread| format!("p{at}_t{thread}")).collect();
        let fresh = i32::from(case.memory == Memory::Fresh);
        let _ =
            writeln!(text, "    {{ sizeof(struct p{at}), {fresh}, p{at}_set, {threads}, {{ {} }} }},", code.join(", "));
    }
    text.push_str("};\n");
    text.push_str(END);
    Ok(text)
}

fn program(case: &Case, prefix: &str) -> Result<String> {
    let program = &case.program;
    let printer = Printer { program, prefix, names: Names::of(program) };
    let mut text = format!("\n/* seed {}, model {}: {}\n", case.seed, case.model.name(), case.expected.text());
    let _ = writeln!(text, "{program}*/\nstruct {prefix} {{");
    text.push_str(&members(case, printer.names));
    let _ = writeln!(text, "}};\n\nstatic void {prefix}_set(void *memory) {{\n    struct {prefix} *m = memory;");
    for (id, location) in program.locations.enumerated() {
        let (name, init) = (printer.names.location(program, id), location.init);
        let _ = match (location.kind, case.memory) {
            (LocKind::Plain, _) => writeln!(text, "    {name} = {init};"),
            (LocKind::Atomic, Memory::Stored) => {
                writeln!(text, "    atomic_store_explicit(&{name}, {init}, memory_order_relaxed);")
            }
            (LocKind::Atomic, _) => writeln!(text, "    atomic_init(&{name}, {init});"),
        };
    }
    text.push_str("}\n");
    for (number, thread) in program.threads.iter().enumerate() {
        text.push('\n');
        text.push_str(&printer.function(number, thread)?);
    }
    Ok(text)
}

fn members(case: &Case, names: Names) -> String {
    let program = &case.program;
    let kind = |kind| if kind == LocKind::Atomic { "_Atomic " } else { "" };
    match names {
        // Cells of an array have one width, and arrays of plain locations are never indexed.
        Names::Cells => {
            format!("    _Atomic uint{}_t cell[{}];\n", case.widths[LocId::new(0)], program.locations.len())
        }
        Names::Members => {
            let align = if case.dense { "" } else { "_Alignas(8) " };
            let member = |(location, width): (&steadfast_ir::Location, &u32)| {
                format!("    {align}{}uint{width}_t {};\n", kind(location.kind), location.name)
            };
            program.locations.iter().zip(&case.widths).map(member).collect()
        }
    }
}
