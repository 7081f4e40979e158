//! `V`: the results of a check.

use super::CodeInfo;
use crate::Code;

/// Not robust: a read can return an overwritten value.
pub const STALE_READ: Code = Code("V0001");
/// Not robust: a write can go before one that is already there.
pub const OVERTAKING_WRITE: Code = Code("V0002");
/// A race on a non-atomic location.
pub const DATA_RACE: Code = Code("V0003");
/// An assertion fails already under SC.
pub const ASSERTION_FAILED: Code = Code("V0004");
/// Not robust, and the program can notice.
pub const OBSERVABLE: Code = Code("V0005");
/// An expression has no value.
pub const EVALUATION_ERROR: Code = Code("V0006");
/// Some threads wait for ever.
pub const DEADLOCK: Code = Code("V0007");

/// A triangular race, if that was asked.
pub const TRIANGULAR_RACE: Code = Code("V0008");

/// All verdicts.
pub static CODES: &[CodeInfo] = &[
    CodeInfo {
        code: STALE_READ,
        title: "not robust: a read can return an overwritten value",
        explanation: "\
The program has an execution that no interleaving of its threads explains. In
the run that is shown, every step so far happened in turn, one at a time. The
next read, however, need not return the newest value of its location. The
memory model also lets it return an older one, and that would close a cycle:
the read must come before the write that it did not see, and the thread
already depends on something that happened after that write.

The classic example is store buffering. Each thread announces itself and then
looks at the other. One at a time, at least one of them sees the other's 1.
On real hardware both can read 0:

```c
#![expect(not_robust, model = ra)]
#![expect(not_robust, model = tso)]

atomic<u8> x;
atomic<u8> y;

thread left {
    x.store(1, release);
    let seen = y.load(acquire);
}

thread right {
    y.store(1, release);
    let seen = x.load(acquire);
}
```

What to do: put `fence(seq_cst)` between the store and the load in both
threads; or make all four accesses `seq_cst` if the model gives that a meaning
(`rc11`); or make both accesses to one of the locations read-modify-writes, the
store a `swap` and the load a `fetch_add(0)`, because those always take the
newest value and synchronise with each other. Under `tso` it is enough to
replace the stores by `swap`. If the stale value cannot do harm because nothing
depends on it, ask the weaker question with `--notion observational`.
",
    },
    CodeInfo {
        code: OVERTAKING_WRITE,
        title: "not robust: a write can go before one that is already there",
        explanation: "\
The program has an execution that no interleaving of its threads explains.
The writes to one location always have an order. The next write (or
read-modify-write) of the run that is shown need not become the last one in
it: the memory model lets it take its place before a write that is already
there, although the thread already depends on something after that write.

In this example, which is known as 2+2W, both locations can end up with the
value 1. That takes each thread's second write to be placed before the first
write of the other thread:

```c
#![expect(not_robust, model = ra)]
#![expect(robust, model = sra)]
#![expect(robust, model = tso)]

atomic<u8> x;
atomic<u8> y;

thread left {
    x.store(1, release);
    y.store(2, release);
}

thread right {
    y.store(1, release);
    x.store(2, release);
}
```

What to do: put `fence(seq_cst)` between the two writes in both threads; or
make both writes to one of the locations read-modify-writes such as `swap`,
because those always come after the newest write and synchronise with it. No
processor of the x86 family reorders writes like this; if the program only
runs there, and the compiler is no concern, check it with `--model tso`. Under
`tso` a write can overtake only where a load was served before an earlier store
of its thread, and the fence belongs between that store and that load.
",
    },
    CodeInfo {
        code: DATA_RACE,
        title: "data race on a non-atomic location",
        explanation: "\
Two threads access the same `plain` location, at least one of them writes, and
nothing orders one access before the other. In C, C++ and Rust such a program
has undefined behaviour, whatever values it happens to compute.

Here the flag is stored with `relaxed`, so a reader that sees it does not
synchronise with the writer, and `data` may be read while it is written:

```c
#![expect(race, model = rc20)]

plain<u8> data;
atomic<u8> ready;

thread writer {
    data = 42;
    ready.store(1, relaxed);
}

thread reader {
    if (ready.load(acquire) == 1) {
        let d = data;
    }
}
```

What to do: order the accesses. Usually the store that publishes the data has
to be `release` and the load that looks for it `acquire`; or protect both
accesses by the same `mutex`. If the race is intended, make the location
`atomic` and access it with `relaxed`.

With `--notion observational` a race may need a read that goes wrong: nobody
looks at what it returned, but a read that takes an overwritten write does not
synchronise with the newest one either. The run says which read that is. If
every stale write that it could take was released, too, the race may not exist;
the report then says so.
",
    },
    CodeInfo {
        code: ASSERTION_FAILED,
        title: "an assertion fails under sequential consistency",
        explanation: "\
An `assert` fails in an ordinary interleaving of the threads. Weak memory has
no part in it: the algorithm itself is wrong, or the assertion is.

Two threads that read, add one and write back can lose an update:

```c
#![expect(assertion_failed, model = ra)]

atomic<u8> count;
atomic<u8> done;

thread worker[2] {
    let c = count.load();
    count.store(c + 1);
    done.fetch_add(1);
}

thread checker {
    done.wait(2);
    assert(count.load() == 2);
}
```

What to do: follow the run that is shown up to the assertion; it is a
complete schedule from the start. Once the program is right under sequential
consistency and robust, its assertions hold under the weak model as well.
",
    },
    CodeInfo {
        code: OBSERVABLE,
        title: "not robust, and the program depends on the stale value",
        explanation: "\
This is the verdict for `--notion observational`. A read can return a value
that no interleaving explains (see V0001), and the program then uses it: it
decides a branch, becomes part of a write, or reaches an `assert`, `assume` or
`observe`. A stale value that is thrown away would not have been reported.

```c
#![expect(not_robust, model = rc20, notion = observational)]

atomic<u8> x;
atomic<u8> y;

thread left {
    x.store(1, release);
    let seen = y.load(acquire);
    observe(seen);
}

thread right {
    y.store(1, release);
    let seen = x.load(acquire);
    observe(seen);
}
```

The check errs on the safe side. `robust` is certain; but some programs are
reported although no use of the value can make a difference.

What to do: the same as for V0001. If you are sure that the use is harmless,
for instance because the value is validated later, move the use behind the
validation.
",
    },
    CodeInfo {
        code: EVALUATION_ERROR,
        title: "an expression has no value",
        explanation: "\
The run that is shown divides by zero, takes a remainder by zero, or uses an
index outside its array. It is an ordinary interleaving of the threads, so it
can happen under every memory model.

```c
atomic<u8> slots[4];
atomic<u8> head;

thread producer[5] {
    let at = head.fetch_add(1);
    slots[at].store(1);
}
```

The fifth producer writes to `slots[4]`, which does not exist.

What to do: guard the expression (`if`, or `assume` for inputs that cannot
occur), reduce the index (`at % 4`), or make the array larger. Mind that a
value wraps when it is stored: `0 - 1` in a `u8` is 255.
",
    },
    CodeInfo {
        code: DEADLOCK,
        title: "some threads wait for ever",
        explanation: "\
The program can reach a state in which no thread can go on, and at least one
of them has not finished: it waits in `lock`, `wait`, `await_cas`, or in a loop
that was taken for a wait (see N0001). This is a note, and does not change the
verdict: robustness is about what the threads did, not about what they
still want to do.

```c
mutex a;
mutex b;

thread left {
    a.lock();
    b.lock();
    b.unlock();
    a.unlock();
}

thread right {
    b.lock();
    a.lock();
    a.unlock();
    b.unlock();
}
```

What to do: if the program should always finish, take locks in the same order
everywhere, and check that somebody stores the value that a `wait` is waiting
for. If waiting for ever is intended, as in a server loop, ignore the note.
",
    },
    CodeInfo {
        code: TRIANGULAR_RACE,
        title: "a load races with a write while an earlier store is in the buffer",
        explanation: "\
This is the answer to `--trf`. On x86, a store waits in a buffer while later
loads of its thread are served. That can only be noticed where such a load
races with a write of another thread: the load returns the old value although,
one step at a time, the thread's store came first. The three accesses form a
triangular race. A program without any is robust against TSO (Owens, ECOOP
2010). One with triangular races may be robust nevertheless, like this one:

```c
#![expect(robust, model = tso)]

atomic<u8> x;
atomic<u8> y;

thread left {
    x.store(1);
    let seen = y.load();
}

thread right {
    y.store(1);
}
```

If `right` went on and loaded `x`, both could read 0, and the program would not
be robust.

What to do: check with `--model tso`, which decides robustness exactly. To be
free of triangular races, put `fence(seq_cst)` between the store and the load,
or make one of the two a read-modify-write.
",
    },
];
