//! Where log lines go and what they look like.

use std::io::{BufWriter, IsTerminal};

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::config::ConfigError;

/// Cloch's own lines; of the libraries only what went wrong.
const DEFAULT: &str = "warn,cloch=info,cloch_sql=info,cloch_storage=info,cloch_functions=info,cloch_mail=info";

/// Lines that may wait for the thread that writes them; more hold up who logs, so that none is lost.
const WAITING: usize = 8 * 1024;

/// The thread that writes lines. What still waits when this is dropped is written first.
#[derive(Debug)]
#[must_use = "the lines of a command are written until this is dropped"]
pub struct Lines(#[expect(dead_code, reason = "only its end matters")] WorkerGuard);

/// Starts logging to standard error. `filter` is tracing's filter syntax, such as `debug` or `cloch::auth=trace`.
///
/// A thread of its own writes, many lines at once when many come: a request waits for whoever reads the log only
/// when thousands of lines wait already.
///
/// # Errors
/// When the filter cannot be read.
pub fn start(filter: Option<&str>, json: bool) -> Result<Lines, ConfigError> {
    let filter = EnvFilter::try_new(filter.unwrap_or(DEFAULT)).map_err(|error| ConfigError::Variable {
        name: "CLOCH_LOG".into(),
        message: format!("{error}: write a level (error, warn, info, debug, trace), or module=level pairs"),
    })?;
    let thread = NonBlockingBuilder::default().lossy(false).buffered_lines_limit(WAITING).thread_name("log");
    let (writer, guard) = thread.finish(BufWriter::new(std::io::stderr()));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_target(false);
    // A second start in one process (tests) keeps the first one's lines.
    let _ = if json {
        lines.json().flatten_event(true).try_init()
    } else {
        lines.with_ansi(std::io::stderr().is_terminal()).try_init()
    };
    Ok(Lines(guard))
}
