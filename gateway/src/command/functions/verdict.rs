//! What a running server says of a version that it is to serve: it starts a worker of it, and stays with the version before where that does
//! not boot.

use std::time::{Duration, Instant};

use super::{Project, logs};
use crate::command::print;
use crate::data_dir_lock::DataDirLock;
use crate::error::CommandError;

/// For the server to see the version and to boot it. A worker has ten seconds to boot.
const TIMEOUT: Duration = Duration::from_secs(15);
const INTERVAL: Duration = Duration::from_millis(50);
/// The worker's last lines are written a moment after its end.
const LAST_LINES: Duration = Duration::from_millis(200);

/// Serves a version, and says whether it boots. Without a running server that is for its start to find out.
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
