//! `cloch functions logs`: prints the log of a function.

use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cloch_functions::deno;

use super::Project;
use crate::command::print;
use crate::config::Config;
use crate::error::CommandError;

/// Time between two checks for new log lines.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);

pub(super) async fn show(project: &Project, name: &str, follow: bool) -> Result<(), CommandError> {
    let file = file(&project.config, name);
    if !deno::is_function_name(name) || !file.exists() {
        let known: Vec<&str> = project.functions.keys().map(String::as_str).collect();
        return Err(match (known.contains(&name), known.as_slice()) {
            (true, _) => format!("{name} has logged nothing"),
            (false, []) => format!("there is no function {name}: the project has no functions"),
            (false, known) => format!("there is no function {name}: the project has {}", known.join(", ")),
        }
        .into());
    }
    let old = file.with_extension("log.old");
    let mut at = 0;
    if old.exists() {
        print_from(&old, 0)?;
    }
    loop {
        at = print_from(&file, at)?;
        if !follow {
            return Ok(());
        }
        tokio::time::sleep(FOLLOW_INTERVAL).await;
    }
}

pub(super) fn file(config: &Config, name: &str) -> PathBuf {
    config.functions_folder().join("logs").join(format!("{name}.log"))
}

/// Prints a log file from the offset `at`; returns the offset after the last printed line. If the file has become shorter, it was replaced
/// and is printed from its start.
pub(super) fn print_from(file: &Path, at: u64) -> Result<u64, CommandError> {
    let mut opened = std::fs::File::open(file)?;
    let mut at = if opened.metadata()?.len() < at { 0 } else { at };
    opened.seek(SeekFrom::Start(at))?;
    let mut lines = BufReader::new(opened);
    let mut line = String::new();
    while lines.read_line(&mut line)? > 0 && line.ends_with('\n') {
        at += line.len() as u64;
        print::line(readable(&line))?;
        line.clear();
    }
    Ok(at)
}

fn readable(line: &str) -> String {
    let Ok(entry) = serde_json::from_str::<serde_json::Value>(line) else { return line.to_owned() };
    let text = |name: &str| entry.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    format!("{} {:>5} {} {}", text("timestamp"), text("level"), text("execution_id"), text("message"))
}
