//! Where log lines go and what they look like.

mod format;
mod lines;
pub mod request;

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::ConfigError;
use format::Format;
use lines::Lines;
pub use lines::Writing;

/// Cloch's own lines; of the libraries only what went wrong.
const DEFAULT: &str = "warn,cloch=info,cloch_sql=info,cloch_storage=info,cloch_functions=info,cloch_mail=info";

/// Starts logging to standard error. `filter` is tracing's filter syntax, such as `debug` or `cloch::auth=trace`.
///
/// A thread of its own writes, many lines at once when many come: a request waits for whoever reads the log only
/// when a megabyte of lines waits already.
///
/// # Errors
/// When the filter cannot be read.
pub fn start(filter: Option<&str>, json: bool) -> Result<Writing, ConfigError> {
    let filter = EnvFilter::try_new(filter.unwrap_or(DEFAULT)).map_err(|error| ConfigError::Variable {
        name: "CLOCH_LOG".into(),
        message: format!("{error}: write a level (error, warn, info, debug, trace), or module=level pairs"),
    })?;
    let (lines, writing) = Lines::start(std::io::stderr());
    let writer = move || lines.clone();
    let format = if json { Format::Json } else { Format::Text { colours: std::io::stderr().is_terminal() } };
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).event_format(format);
    // A second start in one process (tests) keeps the first one's lines.
    let _ = lines.try_init();
    Ok(writing)
}
