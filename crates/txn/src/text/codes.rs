//! The codes of errors in transactional programs, with what `steadfast explain` says about each.

steadfast_diag::code_table! {
    pub table;
    /// Something that is no token.
    UNKNOWN_TEXT = "E0600", "unknown text in a transactional program",
        "The text contains a character that means nothing in this language outside of comments. Names consist of letters, digits and `_`; \
         comments begin with `//`.";
    /// Something else was expected here.
    UNEXPECTED = "E0601", "something else was expected in a transactional program",
        "The text does not follow the grammar at this point. The message says what could have stood there; docs/transactions.md describes \
         the language.";
    /// A name that is neither a shared variable nor a register.
    UNKNOWN_NAME = "E0602", "unknown name in a transactional program",
        "A name in an expression is a shared variable, which is declared with `shared x;`, or a register, which exists from the first \
         assignment in its process, or `self`, the number of a process among its copies.";
    /// Declared twice.
    DUPLICATE = "E0603", "declared twice in a transactional program",
        "Two shared variables, two processes or two templates have the same name. Registers belong to their process and may have any name that \
         is not that of a shared variable.";
    /// A statement in a place where it makes no sense.
    MISPLACED = "E0604", "a statement does not belong here",
        "Shared variables are only accessed inside of transactions. Transactions do not nest, and they end: `loop` is for loops of \
         transactions, and inside of one there is `for i in 0..n`, which is unrolled.";
    /// A number that does not fit.
    BAD_NUMBER = "E0605", "a number does not fit",
        "Values are 0 to 255, or 0 to N-1 after `values N;`. Sizes of arrays and numbers of copies are at least 1. The bounds of `for` \
         and `pick` are constants, in which `self` and the variables of enclosing `for` loops may occur.";
    /// The wrong number of indices.
    BAD_INDEX = "E0606", "wrong number of indices",
        "An array has to be used with as many indices as it was declared with, and a plain variable with none.";
    /// Too large for the tool.
    TOO_LARGE = "E0607", "the transactional program is too large",
        "At most 64 shared variables (every cell of an array is one), 32 processes (every copy is one), 100,000 instructions and 200 levels of \
         nesting are supported. Two or three processes and two cells of each array usually show every violation.";
    /// There were too many errors.
    TOO_MANY_ERRORS = "E0608", "too many errors",
        "Reading stopped after 50 errors. Often one early mistake causes the others: repair the first few and run again.";
    /// An `#![expect(…)]` that cannot be read.
    BAD_EXPECTATION = "E0609", "an expectation cannot be read",
        "An expectation is written `#![expect(robust, model = ccv)]` or `#![expect(not_robust, model = si)]`. The models are cc, ccv, cm, si, and for \
         templates rc, si and ssi.";
    /// Nothing to check.
    EMPTY = "E0610", "there is nothing to check",
        "The file has neither a process nor a template.";
    /// Processes and templates in one file.
    MIXED = "E0611", "processes and templates in one file",
        "A file describes either processes, which are checked as they are, or templates, of which any number of instances may run. These are \
         different questions; put them into two files.";
}
