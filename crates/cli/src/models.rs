//! `steadfast models`: what each memory model is.

use crate::output::Output;
use crate::status::Status;
use std::io;

/// The paragraphs.
const TEXT: &str = "\
ra    Release/acquire. Every access is a release or an acquire, whatever is written: a read that takes
      a write knows everything that the writer knew. Writes to different locations may be seen in
      different orders by different threads, and a store may be delayed past later loads. A `seq_cst`
      fence orders everything before it and after it against other such fences.
      Lahav and Margalit, Robustness against release/acquire semantics, PLDI 2019.

sra   Strong release/acquire. Like ra, but a write always becomes the newest one of its location, so
      only reads can go wrong. It lies between ra and TSO.
      Lahav, Giannarakis and Vafeiadis, Taming release-acquire consistency, POPL 2016.

rc20  The default. The fragment of C and C++ with relaxed, release and acquire accesses and all fences,
      as written in the program, with the release sequences of C++20; and plain accesses, which must
      not race. `seq_cst` accesses are release/acquire accesses that are also ordered among
      themselves: the condition psc' is weaker than the one of C++20, so that for programs without
      `seq_cst` fences \"robust\" holds there, too.
      Margalit and Lahav, Verifying observational robustness against a C11-style memory model, POPL 2021.

rc11  Like rc20, with the `seq_cst` fences of RC11, which are weaker than those of rc20 in programs that
      pass messages by relaxed accesses around them.
      Lahav, Vafeiadis, Kang, Hur and Dreyer, Repairing sequential consistency in C/C++11, PLDI 2017.

tso   Total store order, the memory of x86 processors: a store waits in its thread's buffer, where only that
      thread sees it, while later loads are served. Orderings of accesses are ignored, as if every access
      were a plain `mov`; read-modify-writes, failed ones included, and `seq_cst` fences wait until the
      buffer is empty. An unlock is a store. What a compiler may do to relaxed accesses is not covered.
      Owens, Sarkar and Sewell, A better x86 memory model: x86-TSO, TPHOLs 2009.

Without `seq_cst` accesses, robust against rc20 implies robust against ra. Robust against ra
implies robust against sra, and that implies robust against tso.
";

/// Runs the command.
pub(crate) fn run(output: &mut Output) -> io::Result<Status> {
    output.write(TEXT)?;
    Ok(Status::Holds)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_model_has_a_paragraph() {
        for model in steadfast_robust::Model::ALL {
            let start = format!("{:<6}", model.name());
            assert!(super::TEXT.lines().any(|line| line.starts_with(&start)), "{start}");
        }
    }
}
