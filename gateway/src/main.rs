//! The binary `cloch`: see [`cloch::program`].

use std::process::ExitCode;

// Small responses are allocation-bound: with mimalloc they were measured 6 % faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cloch::program::run()
}
