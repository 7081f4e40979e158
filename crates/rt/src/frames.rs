//! The call stack of a thread, updated by the instrumentation at the beginning and the end of functions. *A whole stack is one number.*
//!
//! Stacks share their outer calls, so all stacks together are a tree: a node is a call, and its parent is the call around it ([`Calls`]). A thread keeps
//! its current node. Entering a function looks the new node up in a small cache of the thread, and if it is not there, in the tree itself,
//! under a lock. An event remembers its stack as a node and an address.
//!
//! Recursion makes more stacks than fit into any tree, and a report does not need them all. If the nearest outer calls already contain calls from the same place several times, the new call is replaced by the nearest of them
//! ([`Calls::fold`]): the stack is then the real one without some rounds of the recursion. When the tree is nearly full, new stacks keep only their two innermost calls, whose number is bounded by the code.

use crate::lock::Lock;
use crate::sys;
use crate::tls::{self, Inside};

/// A call in the tree of all calls. Zero is the bottom of every stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub(crate) struct Call(pub(crate) u32);

const DEEPEST: usize = 1 << 16;
const CACHED_BITS: u32 = 12;
const CACHED: usize = 1 << CACHED_BITS;

/// The frames of one thread. It lives in mapped memory and begins as zeroes.
#[repr(C)]
pub(crate) struct Frames {
    depth: usize,
    stack: [Frame; DEEPEST],
    cache: [Cached; CACHED],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Frame {
    call: Call,
    /// The lower half of the stack pointer at the call, to notice frames that a `longjmp` has left behind.
    stack: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Cached {
    pc: usize,
    parent: Call,
    call: Call,
}

impl Frames {
    /// The function that will return to `pc` begins.
    #[inline(always)]
    pub(crate) fn enter(&mut self, pc: usize, stack: usize) {
        let stack = (stack >> 3) as u32;
        // Frames below the stack pointer belong to functions that ended without a call of `leave`. The difference is signed, because only the lower half is kept;
        // a frame that is far away belongs to another stack, of a coroutine or a signal handler.
        while self.depth > 0 && self.top().stack.wrapping_sub(stack).wrapping_neg() < (1 << 21) {
            self.depth -= 1;
        }
        let call = self.place(pc);
        if self.depth < DEEPEST {
            self.stack[self.depth] = Frame { call, stack };
        }
        self.depth += 1;
    }

    /// The stack of an event at `pc`, as if it were one more call.
    #[inline(always)]
    pub(crate) fn place(&mut self, pc: usize) -> Call {
        let parent = self.current();
        let hash = pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - CACHED_BITS);
        let slot = &mut self.cache[hash ^ (parent.0 as usize & (CACHED - 1))];
        if slot.pc != pc || slot.parent != parent {
            let Some(call) = look_up(parent, pc) else { return parent };
            *slot = Cached { pc, parent, call };
        }
        slot.call
    }

    #[inline(always)]
    fn top(&self) -> Frame {
        self.stack[self.depth.min(DEEPEST) - 1]
    }

    /// A function ends.
    #[inline(always)]
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The innermost call.
    #[inline(always)]
    pub(crate) fn current(&self) -> Call {
        if self.depth == 0 { Call(0) } else { self.top().call }
    }
}

/// The tree: nodes in an array that never moves, found by a hash table.
struct Calls {
    nodes: *mut Node,
    table: *mut u32,
    used: usize,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Node {
    parent: Call,
    _unused: u32,
    pc: usize,
}

/// The maximum number of calls. Further calls get the node of their parent.
const MOST: usize = 1 << 22;
/// From this number on, new stacks keep only their innermost calls.
const NEARLY_FULL: usize = MOST / 4 * 3;
/// How many outer calls are searched for the same place.
const NEAR: usize = 16;

// SAFETY: the pointers lead to mappings that belong to the tree.
unsafe impl Send for Calls {}

static CALLS: Lock<Calls> = Lock::new(Calls { nodes: core::ptr::null_mut(), table: core::ptr::null_mut(), used: 0 });

impl Calls {
    /// The call from `pc` inside another call.
    #[cold]
    fn child(&mut self, parent: Call, pc: usize) -> Call {
        if self.nodes.is_null() {
            self.nodes = sys::map(MOST * size_of::<Node>()).cast();
            self.table = sys::map(2 * MOST * size_of::<u32>()).cast();
            self.used = 1;
        }
        let place = match self.find(parent, pc) {
            Ok(call) => return call,
            Err(place) => place,
        };
        if let Some(outer) = self.fold(parent, pc) {
            return outer;
        }
        if self.used < NEARLY_FULL {
            return self.add(parent, pc, place);
        }
        let outer = self.node(parent).map_or(Call(0), |node| self.find_or_add(Call(0), node.pc));
        self.find_or_add(outer, pc)
    }

    /// The call if it is in the tree, else its place in the table.
    fn find(&self, parent: Call, pc: usize) -> Result<Call, usize> {
        let hash = (pc as u64 ^ (u64::from(parent.0) << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mut place = hash as usize % (2 * MOST);
        loop {
            // SAFETY: `place` is below the length of the table, which was mapped before anything is looked up.
            let found = Call(unsafe { *self.table.add(place) });
            match self.node(found) {
                None => return Err(place),
                Some(node) if node.parent == parent && node.pc == pc => return Ok(found),
                Some(_) => place = (place + 1) % (2 * MOST),
            }
        }
    }

    /// The node of a call. The bottom of all stacks has none.
    fn node(&self, call: Call) -> Option<Node> {
        // SAFETY: the call is below `used`, and all nodes below were written.
        (call.0 != 0 && (call.0 as usize) < self.used).then(|| unsafe { *self.nodes.add(call.0 as usize) })
    }

    /// The nearest outer call from the same place, if the outer calls already have the maximum number of them. The fuller the tree, the lower this number.
    fn fold(&self, parent: Call, pc: usize) -> Option<Call> {
        let most = match self.used {
            0..=0x4000 => 4,
            0x4001..=0x2_0000 => 2,
            _ => 1,
        };
        let (mut around, mut nearest, mut turns) = (parent, None, 0);
        for _ in 0..NEAR {
            let node = self.node(around)?;
            if node.pc == pc {
                nearest = nearest.or(Some(around));
                turns += 1;
                if turns == most {
                    return nearest;
                }
            }
            around = node.parent;
        }
        None
    }

    fn find_or_add(&mut self, parent: Call, pc: usize) -> Call {
        self.find(parent, pc).unwrap_or_else(|place| self.add(parent, pc, place))
    }

    fn add(&mut self, parent: Call, pc: usize, place: usize) -> Call {
        if self.used == MOST {
            return parent;
        }
        let call = self.used as u32;
        // SAFETY: there is room for one more, and `place` is inside the table.
        unsafe {
            *self.nodes.add(self.used) = Node { parent, _unused: 0, pc };
            *self.table.add(place) = call;
        }
        self.used += 1;
        Call(call)
    }
}

/// Finds a call that is not in a cache. Signals are deferred meanwhile: a handler would wait for a lock that its own thread holds. A handler that runs nevertheless gets `None` if the lock is held.
#[cold]
fn look_up(parent: Call, pc: usize) -> Option<Call> {
    let _inside = Inside::enter();
    let mut calls = if tls::local().interrupted == 0 { CALLS.lock() } else { CALLS.lock_if_free()? };
    Some(calls.child(parent, pc))
}

/// Calls `visit` with the return addresses of a stack, innermost first.
pub(crate) fn walk(call: Call, mut visit: impl FnMut(usize)) {
    let calls = CALLS.lock();
    let mut call = call;
    while let Some(node) = calls.node(call) {
        visit(node.pc);
        call = node.parent;
    }
}

/// The code of a stack: its two innermost addresses. One is not enough, because without optimisation all loads of a C++ program are made by the same
/// function of the standard library; with more, the same loop would differ between its callers.
pub(crate) fn site(call: Call) -> [usize; 2] {
    let mut site = [0; 2];
    let mut depth = 0;
    walk(call, |pc| {
        if depth < site.len() {
            site[depth] = pc;
        }
        depth += 1;
    });
    site
}

/// Stops adding calls until [`after_fork`].
pub(crate) fn before_fork() {
    CALLS.hold();
}

/// Undoes [`before_fork`].
pub(crate) fn after_fork() {
    CALLS.let_go();
}

/// The stack of a call inside another call.
pub(crate) fn child(parent: Call, pc: usize) -> Call {
    CALLS.lock().child(parent, pc)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Calls {
        Calls { nodes: core::ptr::null_mut(), table: core::ptr::null_mut(), used: 0 }
    }

    fn stack(calls: &Calls, mut call: Call) -> Vec<usize> {
        let mut stack = Vec::new();
        while let Some(node) = calls.node(call) {
            stack.push(node.pc);
            call = node.parent;
        }
        stack
    }

    fn inside(calls: &mut Calls, places: &[usize]) -> Call {
        places.iter().fold(Call(0), |call, &pc| calls.child(call, pc))
    }

    #[test]
    fn stacks_show_no_more_than_four_turns() {
        let mut calls = empty();
        let deep = inside(&mut calls, &[1, 7, 7, 7, 7, 7, 7, 7]);
        assert_eq!(stack(&calls, deep), [7, 7, 7, 7, 1]);
        // Calls from there are exact again.
        let leaf = calls.child(deep, 9);
        assert_eq!(stack(&calls, leaf)[..2], [9, 7]);
    }

    #[test]
    fn recursion_needs_few_calls() {
        let mut calls = empty();
        let mut paths = vec![Call(0)];
        for _ in 0..200 {
            paths = paths
                .iter()
                .flat_map(|&call| [1, 2, 3].map(|pc| (call, pc)))
                .map(|(c, pc)| calls.child(c, pc))
                .collect();
            paths.sort_by_key(|call| call.0);
            paths.dedup();
        }
        assert!(calls.used < 100_000, "{}", calls.used);
    }

    #[test]
    fn a_full_tree_still_knows_the_innermost_calls() {
        let mut calls = empty();
        let _ = calls.child(Call(0), 1);
        let mut last = Call(0);
        for pc in 2..NEARLY_FULL + 10 {
            last = calls.child(last, pc);
        }
        let call = inside(&mut calls, &[5, 4, 3, 2]);
        let leaf = calls.child(last, 1);
        assert_eq!(stack(&calls, call), [2, 3]);
        assert_eq!(stack(&calls, leaf), [1, NEARLY_FULL + 9]);
        assert!(calls.used < NEARLY_FULL + 100);
    }
}
