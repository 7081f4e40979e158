//! The codes of what only the command line can notice, and the registry of all codes.

use steadfast_diag::{Code, Registry};

/// The file cannot be read.
pub(crate) const UNREADABLE: Code = Code("E0001");
/// A directory was given in place of a file.
pub(crate) const DIRECTORY: Code = Code("E0002");
/// The file is not UTF-8.
pub(crate) const NOT_UTF8: Code = Code("E0003");
/// The program cannot be exported.
pub(crate) const NOT_EXPORTABLE: Code = Code("E0004");
/// The checker failed.
pub(crate) const INTERNAL: Code = Code("E0005");
/// The program cannot be reasoned about.
pub(crate) const NOT_PROVABLE: Code = Code("E0006");
/// There is no proof.
pub(crate) const NOT_PROVED: Code = Code("I0006");
/// The program is larger than the tool can handle.
pub(crate) const UNSUPPORTED: Code = Code("I0005");

static CODES: &[(Code, &str, &str)] = &[
    (
        UNREADABLE,
        "the file cannot be read",
        "The operating system refused to open or read the file; the message says why. Names are relative to the directory in which the \
         command runs. Use `-` to read a program from standard input.",
    ),
    (
        DIRECTORY,
        "a directory, not a file",
        "`steadfast check` takes files. Let the shell list them, `steadfast check corpus/litmus/*.sf`, or use `steadfast test`, which looks \
         through directories for programs and compares the results with the expectations that are written in them.",
    ),
    (
        NOT_UTF8,
        "not a text file",
        "Program texts are UTF-8, of which ASCII is a part. The message says where the first byte is that does not fit. Most likely the \
         name of a binary file was given by mistake, or the text was saved in another encoding.",
    ),
    (
        NOT_EXPORTABLE,
        "the program cannot be exported",
        "Promela, or the monitor that is written into it, has no counterpart for something in the program or for the model that was asked \
         for; the message says what and where. `steadfast check` can decide the program all the same.",
    ),
    (
        INTERNAL,
        "internal error",
        "The checker failed while it worked on this program. That is a mistake of the tool, whatever the program looks like; please report \
         it with the program and the command line. Other files and models are not affected.",
    ),
    (
        NOT_PROVABLE,
        "the program cannot be reasoned about",
        "`steadfast prove` reads programs in the Steadfast language, with accesses to shared memory, fences, locks and local computations. The message says what it does not understand.",
    ),
    (
        NOT_PROVED,
        "no proof was found",
        "A store may stay in its buffer while a later load of its thread goes to memory. To be harmless, the store must be able to move before what other threads did to the same location, or every such load behind what \
         they will do. The message shows a step of another thread over which each of them cannot be moved, and values with which that fails. Either the program is not robust (then a finite instance often shows it, and a \
         fence between the two cures it), or the invariants that were found are too weak.",
    ),
    (
        UNSUPPORTED,
        "inconclusive: the program is too large for this tool",
        "Some size of the program exceeds what the search can represent; the message says which. Nothing was found out about the program. \
         Fewer threads, locations or monitored values help, in this order.",
    ),
];

/// Every code that any part of the tool reports.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::builtin();
    registry.add(CODES);
    let language: Vec<_> = steadfast_lang::all_codes().copied().collect();
    registry.add(&language);
    registry.add(steadfast_txn::text::codes::CODES);
    registry.add(steadfast_sql::codes::CODES);
    registry.add(crate::txn::CODES);
    registry
}

#[cfg(test)]
mod tests {
    #[test]
    fn own_codes_are_known_and_belong_to_nobody_else() {
        let registry = super::registry();
        for (code, title, _) in super::CODES {
            assert_eq!(registry.find(code.0).map(|info| info.title), Some(*title));
        }
    }
}
