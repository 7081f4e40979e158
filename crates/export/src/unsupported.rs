//! What the published monitors do not cover.

use crate::{ExportError, PromelaOptions, Supported};
use steadfast_ir::{Instr, Program, dataflow};

/// SPIN numbers processes with a byte, and uses one number for itself.
const MAX_THREADS: usize = 254;

/// Rejects what cannot be exported.
pub(crate) fn check(program: &Program, options: PromelaOptions) -> Result<(), ExportError> {
    program.validate().map_err(|error| ExportError::new(error.message, error.span))?;
    if let Some(thread) = program.threads.iter().nth(MAX_THREADS) {
        return Err(ExportError::new(format!("SPIN cannot run more than {MAX_THREADS} threads"), thread.span));
    }
    let mut code = program.threads.iter().flat_map(|thread| thread.code.iter());
    if let Some(found) = code.find(|i| matches!(i.op, Instr::Bound { .. } | Instr::Exclusive(_))) {
        return Err(ExportError::new(
            "bounds and sections in which a thread runs alone cannot be exported",
            found.span,
        ));
    }
    if options.model != Supported::Rc20 {
        return Ok(());
    }
    let mut instructions = program.threads.iter().flat_map(|thread| thread.code.iter());
    match instructions.find(|instruction| dataflow::is_seq_cst_access(&instruction.op)) {
        None => Ok(()),
        Some(found) => Err(ExportError::new(
            "RC20 has no seq_cst accesses: their order (psc) is not part of the published monitor",
            found.span,
        )),
    }
}
