//! The program `cloch`: parses its command line and runs one command.
//!
//! This module is in the library and not in the binary, because asynchronous code in the binary would be compiled a second time.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use cloch_functions::deno;

use crate::command::Command;
use crate::error::text;

/// A Supabase-compatible backend in one program.
#[derive(Parser)]
#[command(name = "cloch", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Maximum time that the program waits, after its command has finished, for threads that still run blocking operations.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Runs the program and returns the command's exit code. An error is printed to standard error and gives a failure code.
pub fn run() -> ExitCode {
    if let Some(ended) = become_worker() {
        return ended;
    }
    cloch_core::tls_provider::install();
    let command = Arguments::parse().command;
    let ended = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let ended = runtime.block_on(command.run());
            runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
            ended
        }
        Err(error) => Err(error.into()),
    };
    match ended {
        Ok(code) => code,
        Err(error) => {
            // Write errors are ignored, because standard error may be closed.
            let _ = writeln!(std::io::stderr(), "cloch: {}", text(&*error));
            ExitCode::FAILURE
        }
    }
}

/// Becomes a Deno worker if this process was started to run one of the project's own functions. Returns the exit code if that fails, and
/// `None` if the process has another purpose. Must be called before any thread is started: see [`deno::become_worker`].
fn become_worker() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != deno::SUBCOMMAND {
        return None;
    }
    let supervisor = arguments.next()?.to_str()?.parse().ok()?;
    let error = deno::become_worker(supervisor, &arguments.collect::<Vec<_>>());
    let _ = writeln!(std::io::stderr(), "cloch: {error}");
    Some(ExitCode::FAILURE)
}
