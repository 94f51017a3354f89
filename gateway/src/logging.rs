//! Where log lines go and what they look like.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::ConfigError;

/// Cloch's own lines; of the libraries only what went wrong.
const DEFAULT: &str = "warn,cloch=info,cloch_sql=info,cloch_storage=info,cloch_functions=info,cloch_mail=info";

/// Starts logging to standard error. `filter` is tracing's filter syntax, such as `debug` or `cloch::auth=trace`.
///
/// # Errors
/// When the filter cannot be read.
pub fn start(filter: Option<&str>, json: bool) -> Result<(), ConfigError> {
    let filter = EnvFilter::try_new(filter.unwrap_or(DEFAULT)).map_err(|error| ConfigError::Variable {
        name: "CLOCH_LOG".into(),
        message: format!("{error}: write a level (error, warn, info, debug, trace), or module=level pairs"),
    })?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // A second start in one process (tests) keeps the first one's lines.
    let _ = if json {
        lines.json().flatten_event(true).try_init()
    } else {
        lines.with_ansi(std::io::stderr().is_terminal()).try_init()
    };
    Ok(())
}
