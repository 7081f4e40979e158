//! Shims that pass on where they were called from.

/// A function that passes its return address on, in the register of the argument after the last one.
macro_rules! shim {
    ($name:ident => $target:expr, $register:literal) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name() {
            core::arch::naked_asm!(concat!("mov ", $register, ", qword ptr [rsp]"), "jmp {target}", target = sym $target)
        }
    };
}
pub(crate) use shim;

/// The same for functions that leave no register free: the address goes to `Local::caller`.
macro_rules! shim_through_block {
    ($name:ident => $target:expr) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov r11, qword ptr [rsp]",
                "mov rax, qword ptr [rip + __steadfast_tls@GOTTPOFF]",
                "mov qword ptr fs:[rax + {caller}], r11",
                "jmp {target}",
                caller = const core::mem::offset_of!($crate::tls::Local, caller),
                target = sym $target
            )
        }
    };
}
pub(crate) use shim_through_block;

/// A variant of a function for trusted code: sets the flag in `Local::flags` and jumps to the function.
macro_rules! shim_of_trusted {
    ($($name:ident => $target:ident)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov rax, qword ptr [rip + __steadfast_tls@GOTTPOFF]",
                "or byte ptr fs:[rax + {flags}], {trusted}",
                "jmp {target}",
                flags = const core::mem::offset_of!(crate::tls::Local, flags),
                trusted = const crate::tls::TRUSTED,
                target = sym crate::abi::atomics::exports::$target
            )
        }
    )* };
}
pub(crate) use shim_of_trusted;
