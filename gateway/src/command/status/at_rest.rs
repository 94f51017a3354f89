//! Status of a stopped server from its data folder: the state of its database and of its backup.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use cloch_backup::status::Status;

use super::LABEL_WIDTH;
use crate::config::{Config, DatabaseChoice};

/// Returns the status of a stopped server as the lines of a table.
pub(super) fn text(config: &Config) -> String {
    let mut lines = String::new();
    let mut add = |label: &str, value: &str| _ = writeln!(lines, "{label:>LABEL_WIDTH$}  {value}");
    match &config.database {
        DatabaseChoice::External(_) => {
            add("Database", "on a server of its own (CLOCH_DB_URL), which this does not ask")
        }
        DatabaseChoice::Embedded { .. } => match Cluster::read(&config.data.join("db")) {
            Some(cluster) => add("Database", &cluster.text()),
            None => add("Database", "none yet: the first start makes it"),
        },
    }
    if let Some(status) = Status::read(&config.data.join("backup")) {
        add("Backup", &backup(&status));
    }
    lines
}

/// The embedded database of a stopped server.
#[derive(Debug, PartialEq)]
struct Cluster {
    version: String,
    state: State,
    /// Time of the last write to the file `pg_control`. A clean shutdown writes this file last.
    written: Option<SystemTime>,
}

#[derive(Debug, PartialEq)]
enum State {
    ShutDown,
    /// PostgreSQL was killed: the file `postmaster.pid` still exists, which a clean shutdown removes.
    Crashed,
    /// PostgreSQL is still running with this process ID, although the Cloch server that started it has stopped.
    Runs(u32),
}

impl Cluster {
    fn read(folder: &Path) -> Option<Self> {
        let version = fs::read_to_string(folder.join("PG_VERSION")).ok()?.trim().to_owned();
        let written = fs::metadata(folder.join("global/pg_control")).and_then(|file| file.modified()).ok();
        let state = match fs::read_to_string(folder.join("postmaster.pid")) {
            Ok(text) => match text.lines().next().and_then(|line| line.trim().parse().ok()) {
                Some(process) if Path::new(&format!("/proc/{process}")).exists() => State::Runs(process),
                _ => State::Crashed,
            },
            Err(_) => State::ShutDown,
        };
        Some(Self { version, state, written })
    }

    fn text(&self) -> String {
        let Self { version, state, written } = self;
        let time = written.map_or_else(|| "an unknown time".to_owned(), |at| shown(at.into()));
        match state {
            State::ShutDown => format!("PostgreSQL {version}, shut down at {time}"),
            State::Crashed => {
                format!("PostgreSQL {version}, not shut down in order after {time}: the next start recovers it")
            }
            State::Runs(process) => format!("PostgreSQL {version}, which still runs (process {process})"),
        }
    }
}

fn backup(status: &Status) -> String {
    let until =
        status.restorable_until.map_or_else(|| "nothing yet".to_owned(), |until| format!("up to {}", shown(until)));
    let failure = status.failure.as_ref().map_or_else(String::new, |failure| format!("; failed: {}", failure.reason));
    format!("{until} in {}{failure}", status.target)
}

/// Formats a time in whole seconds.
pub(super) fn shown(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_the_database_was_left() {
        let folder = tempfile::tempdir().unwrap();
        let state = || Cluster::read(folder.path()).map(|cluster| cluster.state);
        assert_eq!(state(), None, "no cluster");
        fs::write(folder.path().join("PG_VERSION"), "17\n").unwrap();
        assert_eq!(state(), Some(State::ShutDown));
        fs::write(folder.path().join("postmaster.pid"), format!("{}\n/data\n", std::process::id())).unwrap();
        assert_eq!(state(), Some(State::Runs(std::process::id())));
        fs::write(folder.path().join("postmaster.pid"), "4294967295\n").unwrap();
        assert_eq!(state(), Some(State::Crashed));
        fs::write(folder.path().join("postmaster.pid"), "").unwrap();
        assert_eq!(state(), Some(State::Crashed), "a file cut short");
    }
}
