//! `cloch doctor`: looks at everything that a start and a working server need, and says what to do where something is missing. It reads
//! and connects only: nothing is written, and the server may run meanwhile.

mod database;
mod finding;
mod machine;
mod replica;
mod services;
mod settings;
mod tls;

use std::process::ExitCode;

use crate::config::{Config, Flags};
use crate::data_dir_lock::DataDirLock;
use crate::setup;

pub use finding::{Finding, Level};
pub(crate) use services::store;
pub(crate) use settings::keys;

/// Looks at a project. Where its configuration cannot be read, that is the only finding: all else depends on it.
pub async fn examine(flags: &Flags) -> Vec<Finding> {
    let config = match Config::load_of_running(flags) {
        Ok(config) => config,
        Err(error) => {
            let remedy = "change that, and ask again: everything else depends on it";
            return vec![Finding::problem("configuration", error.to_string(), remedy)];
        }
    };
    let mut findings = vec![Finding::ok("configuration", config.project.join("config.toml").display().to_string())];
    let holder = DataDirLock::holder(&config.data);
    findings.extend(settings::warnings(&config));
    let folders = machine::folders(&config);
    // Keys are in the data folder.
    if folders.iter().all(|finding| finding.subject != machine::DATA_FOLDER || finding.level == Level::Ok) {
        findings.push(keys(&config));
    }
    findings.extend(folders);
    findings.extend(machine::disk(&config.data));
    findings.extend(machine::clock(&config));
    findings.extend(tls::examine(&config, holder.is_some()).await);
    match holder {
        Some(process) => findings.push(machine::running(&config, &process).await),
        None => findings.extend(machine::ports(&config).await),
    }
    findings.extend(database::examine(&config).await);
    findings.extend(replica::examine(&config).await);
    findings.extend(services::mail(&config).await);
    if let (_, Some(s3)) = setup::storage::both_stores(&config) {
        findings.push(store(s3).await);
    }
    findings.extend(services::backup(&config));
    findings
}

/// Whether a script may go on: warnings are left to people.
#[must_use]
pub fn exit_code(findings: &[Finding]) -> ExitCode {
    match findings.iter().any(|finding| finding.level == Level::Problem) {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}
