//! Waits until the running server has tried to start a Deno worker of a newly deployed function version. If the worker does not boot, the
//! server continues to serve the previous version.

use std::time::{Duration, Instant};

use super::{Project, logs};
use crate::command::print;
use crate::data_dir_lock::DataDirLock;
use crate::error::CommandError;

/// Maximum time for the server to detect the deployed version and start a Deno worker, which may take 10 s to boot.
const TIMEOUT: Duration = Duration::from_secs(15);
const INTERVAL: Duration = Duration::from_millis(50);
/// Time after the end of a Deno worker in which its last log lines are written.
const LAST_LINES: Duration = Duration::from_millis(200);

/// Makes the running server serve a version of a function, and returns whether the version's Deno worker boots. Returns true if no server is
/// running; if the version does not boot, the server then reports it at its next start.
pub(super) async fn serve(project: &Project, name: &str, number: u64) -> Result<bool, CommandError> {
    let versions = project.deployments.versions();
    let log = logs::file(&project.config, name);
    let logged = log.metadata().map_or(0, |file| file.len());
    versions.forget_boot(name, number);
    project.deployments.serve(name, number).await?;
    if DataDirLock::holder(&project.config.data).is_none() {
        print::line(format!("{name}: version {number}"))?;
        return Ok(true);
    }
    let since = Instant::now();
    let mut booted = None;
    while booted.is_none() && since.elapsed() < TIMEOUT {
        tokio::time::sleep(INTERVAL).await;
        booted = versions.booted(name, number);
    }
    match booted {
        Some(true) => print::line(format!("{name}: version {number}"))?,
        Some(false) => {
            print::line(format!("{name}: version {number} does not boot, and the running server does not serve it:"))?;
            tokio::time::sleep(LAST_LINES).await;
            if log.exists() {
                logs::print_from(&log, logged)?;
            }
        }
        None => print::line(format!(
            "{name}: version {number} is deployed, but the running server has not said within {} s that it boots: cloch functions logs {name}",
            TIMEOUT.as_secs()
        ))?,
    }
    Ok(booted == Some(true))
}
