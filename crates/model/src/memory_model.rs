//! The memory models.

use crate::named;

named! {
    /// A memory model. The strongest come first where that makes sense.
    pub enum Model ["model", "models"] {
        /// Sequential consistency.
        Sc = "sc",
        /// Total store order, x86.
        Tso = "tso",
        /// Strong release/acquire.
        Sra = "sra",
        /// Release/acquire.
        Ra = "ra",
        /// RC11 with its own condition on `seq_cst` accesses and fences.
        Rc11Full = "rc11-full",
        /// RC20 with RC11's `seq_cst` fences.
        Rc11 = "rc11",
        /// RC20 with psc′ for `seq_cst` accesses.
        Rc20 = "rc20",
        /// RC20 in which `seq_cst` means acquire and release.
        AcqRel = "acq-rel",
    }
}

/// What the orderings of accesses mean in a memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Orderings {
    /// Nothing: every access is release or acquire.
    Uniform,
    /// Each access is as strong as it is written, and stronger orderings can repair a program.
    AsWritten,
    /// Nothing: stores wait in a buffer, which some instructions drain. There is no happens-before to be shown.
    Buffered,
}

/// How a model sees `fence(seq_cst)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScFences {
    /// The axioms speak about it.
    Primitive,
    /// It is an acquire-release `FADD(f, 0)`; other fences do nothing.
    Update,
    /// It is `fence(acq); FADD(f, 0, acq_rel); fence(rel)`.
    FencedUpdate,
}

impl Model {
    /// One paragraph for users, with the paper that defines the model. Its lines are broken for a terminal with room for the name on the left.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Sc => {
                "\
Sequential consistency. Threads take turns, and a read takes the newest write of its location.
Lamport, How to make a multiprocessor computer that correctly executes multiprocess programs, 1979."
            }
            Self::Tso => {
                "\
Total store order, the memory of x86 processors: a store waits in its thread's buffer, where only that
thread sees it, while later loads are served. Orderings of accesses are ignored, as if every access
were a plain `mov`; read-modify-writes, failed ones included, and `seq_cst` fences wait until the
buffer is empty. An unlock is a store. What a compiler may do to relaxed accesses is not covered.
Owens, Sarkar and Sewell, A better x86 memory model: x86-TSO, TPHOLs 2009."
            }
            Self::Sra => {
                "\
Strong release/acquire. Like ra, but a write always becomes the newest one of its location, so
only reads can go wrong. It lies between ra and TSO.
Lahav, Giannarakis and Vafeiadis, Taming release-acquire consistency, POPL 2016."
            }
            Self::Ra => {
                "\
Release/acquire. Every access is a release or an acquire, whatever is written: a read that takes
a write knows everything that the writer knew. Writes to different locations may be seen in
different orders by different threads, and a store may be delayed past later loads. A `seq_cst`
fence orders everything before it and after it against other such fences.
Lahav and Margalit, Robustness against release/acquire semantics, PLDI 2019."
            }
            Self::Rc11Full => {
                "\
RC11 with its own condition on `seq_cst` accesses and fences together. Stronger than rc11.
Lahav, Vafeiadis, Kang, Hur and Dreyer, Repairing sequential consistency in C/C++11, PLDI 2017."
            }
            Self::Rc11 => {
                "\
Like rc20, with the `seq_cst` fences of RC11, which are weaker than those of rc20 in programs that
pass messages by relaxed accesses around them.
Lahav, Vafeiadis, Kang, Hur and Dreyer, Repairing sequential consistency in C/C++11, PLDI 2017."
            }
            Self::Rc20 => {
                "\
The default. The fragment of C and C++ with relaxed, release and acquire accesses and all fences,
as written in the program, with the release sequences of C++20; and plain accesses, which must
not race. `seq_cst` accesses are release/acquire accesses that are also ordered among
themselves: the condition psc' is weaker than the one of C++20, so that for programs without
`seq_cst` fences \"robust\" holds there, too.
Margalit and Lahav, Verifying observational robustness against a C11-style memory model, POPL 2021."
            }
            Self::AcqRel => {
                "\
Like rc20, but `seq_cst` accesses and fences are no stronger than acquire and release."
            }
        }
    }

    /// What the orderings of accesses mean. Decides how programs are read, how races are found, and what can repair a program.
    pub const fn orderings(self) -> Orderings {
        match self {
            Self::Sc | Self::Tso => Orderings::Buffered,
            Self::Sra | Self::Ra => Orderings::Uniform,
            Self::Rc11Full | Self::Rc11 | Self::Rc20 | Self::AcqRel => Orderings::AsWritten,
        }
    }

    /// How `seq_cst` fences are translated to events of execution graphs.
    #[inline]
    pub const fn sc_fences(self) -> ScFences {
        match self {
            Self::Sc | Self::Tso | Self::Rc11Full | Self::Rc11 | Self::AcqRel => ScFences::Primitive,
            Self::Sra | Self::Ra => ScFences::Update,
            Self::Rc20 => ScFences::FencedUpdate,
        }
    }

    /// Whether a `seq_cst` fence is an update of a location that only fences know, and not something of its own.
    #[inline]
    pub fn fences_are_updates(self) -> bool {
        self.sc_fences() != ScFences::Primitive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_name_is_parsed_as_the_same_model() {
        for &model in Model::ALL {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
        let unknown = "power".parse::<Model>().unwrap_err().to_string();
        assert!(unknown.starts_with("unknown model `power`; the models are sc, tso, "), "{unknown}");
    }

    #[test]
    fn every_description_is_a_paragraph_that_fits_a_terminal() {
        for model in Model::ALL {
            assert!(model.description().ends_with('.'), "{model}");
            assert!(model.description().lines().all(|line| line.len() < 110), "{model}");
        }
    }
}
