//! The codes of errors about the automata format, with the texts of `steadfast explain`.

steadfast_diag::code_table! {
    pub(crate) table;
    UNEXPECTED = "E0300", "something else was expected in an automaton",
        "A thread is written `thread NAME`, `initial STATE`, one line `transition FROM TO OPERATION` per step, and `end`. Words are separated by blanks, and operators stand before their operands: `check == r 1`.";
    UNCLOSED = "E0301", "a thread has no end",
        "Every thread ends with a line `end`, and threads are not nested.";
    NO_INITIAL = "E0302", "a thread has no initial state",
        "A thread begins in the state that its line `initial STATE` names. There is one such line per thread.";
    UNKNOWN_OPERATION = "E0303", "unknown operation of an automaton",
        "The operations are `read REGISTER ADDRESS`, `write VALUE ADDRESS`, `local REGISTER VALUE`, `check CONDITION`, `mfence`, `noop`, `lock` and `unlock`. Note that `write` takes the value before the address.";
    LARGE_NUMBER = "E0304", "a number is too large",
        "Numbers in automata are unbounded in principle, but are read up to 2147483647, because expressions are computed with 32 bits. An expression that could leave that range is refused too.";
    TOO_COMPLEX = "E0305", "an automaton is too complex",
        "The text has so many transitions, or its values can flow in so many ways, that it would take too long to find out which values and addresses can occur. Programs that can be analysed are a thousand times smaller.";
    UNASSIGNED = "W0306", "a register is never assigned",
        "Registers start at 0, and no `read` or `local` of this thread ever assigns another value to this one. Often its name is misspelt.";
    IDLE = "W0307", "a thread never does anything",
        "No transition leaves the initial state of this thread, but there are transitions that leave others. Often a name is misspelt.";
    OUTSIDE_MEMORY = "W0308", "an address outside of the memory",
        "The file says with `memory_size` how many addresses there are, and an access names one beyond them. A run that gets there is not followed any further.";
    BAD_EXPECTATION = "W0309", "expectation of an automaton not understood",
        "Expected verdicts are written as comments, `#![expect(robust, model = tso)]` or `#![expect(not_robust, model = ra, notion = observational)]`. A comment that says only `IS robust.` or `IS NOT robust.` is about TSO. This comment is ignored.";
}
