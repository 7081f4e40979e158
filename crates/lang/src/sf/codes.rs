//! The codes of errors about Steadfast's own language, with the texts of `steadfast explain`.

steadfast_diag::code_table! {
    pub(crate) table;
    NOT_A_TOKEN = "E0200", "characters without a meaning",
        "The text contains characters that mean nothing outside of comments. Names consist of ASCII letters, digits and `_`.";
    UNCLOSED = "E0201", "something is not closed",
        "A block, a comment or a text begins and does not end. For a block the message points at its `{`; the missing `}` is somewhere after it.";
    SYNTAX = "E0202", "unexpected token",
        "Something else is expected at this place. Bodies of loops and branches are always blocks in braces, conditions always stand in parentheses.";
    MISSING_SEMICOLON = "E0203", "missing semicolon",
        "Statements and declarations without a block end with `;`. The message points at the place right after the last token that belongs to the statement.";
    UNKNOWN_NAME = "E0210", "unknown name",
        "Nothing with this name is declared here. Variables are visible from their `let` to the end of the block, labels inside their thread or function, constants in the declarations below them.";
    DUPLICATE = "E0211", "declared twice",
        "Two things have the same name. A variable may hide a variable of an outer block, but never a location, a constant or a function: an assignment would silently mean something else.";
    RESERVED = "E0212", "reserved name",
        "This word belongs to the language: `id`, the memory orderings, the types and the built-in functions cannot be declared.";
    UNKNOWN_TYPE = "E0213", "unknown type",
        "The types are `bool`, `u1` to `u8`, and ranges `0..=N` with N up to 255. Analyses explore all values, so there are no larger ones.";
    NOT_CONSTANT = "E0214", "not a constant",
        "Sizes of arrays, numbers of copies, initial values and the bounds of `any` and of ranges must be known before the program runs: numbers, constants that are declared above, and operators.";
    OUT_OF_RANGE = "E0215", "value out of range",
        "A constant does not fit where it stands. Initial values must be in the range of their location; values that are computed when the program runs wrap around instead.";
    WRONG_ORDERING = "E0216", "ordering does not fit the access",
        "A load is `relaxed`, `acquire` or `seq_cst`; a store is `relaxed`, `release` or `seq_cst`; a read-modify-write takes any ordering, and its failure ordering is one of a load; a fence takes any ordering but `relaxed`.";
    NEEDS_METHOD = "E0217", "atomic location used by its name",
        "Atomic locations are accessed by methods that name the ordering: `x.load(acquire)`, `x.store(1, release)`. Only plain locations are read and assigned by their names.";
    PLAIN_METHOD = "E0218", "atomic access to a plain location",
        "A plain location is read by its name and written by assignment; it has no methods. Declare it as `atomic<…>` if several threads access it without other synchronisation.";
    UNKNOWN_METHOD = "E0219", "unknown access",
        "Locations have a fixed set of accesses: `load`, `store`, `swap`, `fetch_add`, `fetch_sub`, `fetch_and`, `fetch_or`, `fetch_xor`, `compare_exchange`, `compare_exchange_weak`, `wait`, `await_cas`; mutexes have `lock` and `unlock`.";
    ARITY = "E0220", "wrong number of arguments",
        "A call or an access has too few or too many arguments. Orderings come last and may be left out, which means `seq_cst`.";
    RECURSION = "E0221", "recursion",
        "A function calls itself, directly or through others. Functions are inlined into the threads that call them, so recursion would never end; use a loop.";
    OUTSIDE_LOOP = "E0222", "`break` or `continue` outside of a loop",
        "There is no loop around this statement in the same thread or function. A function cannot leave a loop of its caller.";
    BAD_INDEX = "E0223", "wrong use of an array",
        "An array is accessed cell by cell, `a[i]`, with an index from 0 to one less than its size; other locations have no index. An index that is computed is checked when the program runs.";
    RETURN = "E0224", "`return` does not fit",
        "A function returns a value on every `return` or on none. A thread returns no value.";
    NO_VALUE = "E0225", "no value",
        "Stores, fences, locks and functions without `return e;` give no value and can only be statements.";
    NO_EFFECT = "E0226", "statement without effect",
        "The statement computes a value that nobody uses. Probably `=` was meant instead of `==`, or an access is missing.";
    NOT_ASSIGNABLE = "E0227", "not assignable",
        "Only variables of the thread and plain locations can be assigned.";
    MISUSED = "E0228", "used as what it is not",
        "The name is declared, but as something else: a function used as a value, a variable as a location, an atomic location as a mutex.";
    BAD_ATTRIBUTE = "E0229", "wrong attribute",
        "Attributes are `#![expect(VERDICT, model = M, notion = N)]`, `#![name = \"…\"]` and `#![doc = \"…\"]`. Verdicts: `robust`, `not_robust`, `race`, `assertion_failed`. Models: those that `steadfast models` lists. Notions: `graph` (if none is given), `observational`.";
    NO_THREADS = "E0230", "no threads",
        "A program needs at least one `thread name { … }`.";
    TOO_LARGE = "E0231", "program too large",
        "At most 64 threads, 4096 locations, 1024 variables per thread and 100000 instructions in all threads together, after functions were inlined and threads were copied. Nested calls multiply quickly.";
    NOT_FINITE = "E0232", "not a finite program",
        "`threads`, `int`, `any()` and arrays without end make a template: any number of threads, any values. `steadfast prove` reasons about templates; `check` needs a fixed number of threads (`thread worker[3]`), `u8` and `a[4]`.";
    CHANGED = "W0201", "constant wraps around",
        "A constant is stored that the type cannot hold, so another value is stored: its remainder. Write the value that is meant, or a larger type.";
}
