//! `cloch`: the command line.

use std::process::ExitCode;

use clap::Parser;
use cloch::command::Command;

// Small answers are allocation-bound: measured 6 % faster than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A Supabase-compatible backend in one program.
#[derive(Parser)]
#[command(name = "cloch", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[tokio::main]
async fn main() -> ExitCode {
    // sqlx, reqwest and lettre each bring rustls; one provider for all of them.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    match Arguments::parse().command.run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cloch: {error}");
            ExitCode::FAILURE
        }
    }
}
