//! `N`: how the checker reads a program.

use super::CodeInfo;
use crate::Code;

/// A loop that only waits was treated as a wait.
pub const SPIN_LOOP: Code = Code("N0001");

/// All notes.
pub static CODES: &[CodeInfo] = &[CodeInfo {
    code: SPIN_LOOP,
    title: "a spin loop is treated as a wait",
    explanation: "\
A loop does nothing but read a location until it has a certain value. It was
checked as if the thread slept until then:

```c
#![expect(robust, model = ra)]

atomic<u8> ready;

thread writer { ready.store(1, release); }

thread reader {
    while (ready.load(acquire) != 1) {}
}
```

is read as `ready.wait(1, acquire);`. A round of the loop that reads another
value has no effect, except that the thread then reads again. Such rounds are
left out of the executions. A stale value that only makes the loop go round
once more is therefore not a violation, and a loop that never ends is not a
violation either, but may be reported as a deadlock (V0007). There are also
fewer states to visit.

What to do: nothing, if the loop is meant to wait. A loop that does anything
else with the value it reads, such as `observe`, is checked as it is written.
",
}];
