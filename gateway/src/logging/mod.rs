//! Logging: filter, format and output of log lines, and storage of recent lines in memory.

mod database_spans;
mod format;
pub mod level_file;
mod log_writer;
pub mod recent;

use std::io::IsTerminal;
use std::sync::Arc;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, reload};

use crate::config::ConfigError;
use crate::telemetry::drain::DrainWriter;
use database_spans::DatabaseSpans;
use format::Format;
use level_file::Level;
pub use log_writer::FlushGuard;
use log_writer::LogWriter;

/// Default filter: Cloch's own lines from level `info`, lines of libraries from level `warn`.
const DEFAULT_FILTER: &str =
    "warn,cloch=info,cloch_sql=info,cloch_storage=info,cloch_functions=info,cloch_club=info,cloch_mail=info";

/// Starts logging to standard error. `filter` is tracing's filter syntax, such as `debug` or `cloch_auth=trace`.
///
/// A separate thread writes the lines in batches. Threads that log a line wait for this thread only if a megabyte of lines is buffered.
///
/// # Errors
/// If the filter is invalid.
pub fn start(filter: Option<&str>, json: bool) -> Result<FlushGuard, ConfigError> {
    start_changeable(filter, json, false, None).map(|(guard, _)| guard)
}

/// Starts logging as [`start`] does, and also returns a handle that changes the filter later. With `is_traced`, trace spans are recorded for
/// SQL statements. `drain` receives the log lines as JSON.
///
/// # Errors
/// If the filter is invalid.
pub(crate) fn start_changeable(
    filter: Option<&str>,
    json: bool,
    is_traced: bool,
    drain: Option<DrainWriter>,
) -> Result<(FlushGuard, Level), ConfigError> {
    let parsed = parse(filter.unwrap_or(DEFAULT_FILTER))?;
    let (writer, guard) = LogWriter::start(std::io::stderr());
    let make_writer = move || writer.clone();
    let format = if json { Format::Json } else { Format::Text { colours: std::io::stderr().is_terminal() } };
    let (log_filter, handle) = reload::Layer::new(parsed);
    let lines = tracing_subscriber::fmt::layer().with_writer(make_writer).event_format(format);
    // If logging was started before in the same process (tests), the first subscriber stays active.
    if is_traced || drain.is_some() {
        let mut log: Vec<Box<dyn Layer<Registry> + Send + Sync>> = vec![lines.boxed(), recent::Keeper.boxed()];
        log.extend(drain.map(|drain| {
            let lines = tracing_subscriber::fmt::layer().with_writer(move || drain.clone());
            lines.event_format(Format::Json).boxed()
        }));
        // Each layer has its own filter, so that trace spans are recorded for SQL statements even if the statements are not logged.
        let mut all: Vec<Box<dyn Layer<Registry> + Send + Sync>> = vec![log.with_filter(log_filter).boxed()];
        all.extend(is_traced.then(|| DatabaseSpans.with_filter(database_spans::filter()).boxed()));
        let _ = tracing_subscriber::registry().with(all).try_init();
    } else {
        let _ = tracing_subscriber::registry().with(log_filter.and_then(lines).and_then(recent::Keeper)).try_init();
    }
    let replace = Arc::new(move |filter| handle.reload(filter).is_ok());
    Ok((guard, Level { replace, configured: filter.map(ToOwned::to_owned) }))
}

/// Parses a log filter. Modules that the filter does not name keep the default level: `cloch_auth=debug` does not hide lines of other
/// modules.
fn parse(filter: &str) -> Result<EnvFilter, ConfigError> {
    let refuse = |error: String| ConfigError::Variable {
        name: "CLOCH_LOG".into(),
        message: format!("{error}: write a level (error, warn, info, debug, trace), or module=level pairs"),
    };
    let bare: Vec<&str> = filter.split(',').map(str::trim).filter(|part| !part.contains(['=', '['])).collect();
    // `EnvFilter` would take a word that is not a level for the name of a module: the program would log all lines of this module and no
    // lines of other modules.
    if let Some(word) = bare.iter().find(|word| word.parse::<LevelFilter>().is_err()) {
        return Err(refuse(format!("{word:?} is no level")));
    }
    let whole = if bare.is_empty() { format!("{DEFAULT_FILTER},{filter}") } else { filter.to_owned() };
    EnvFilter::try_new(whole).map_err(|error| refuse(error.to_string()))
}
