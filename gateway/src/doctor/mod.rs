//! `cloch doctor`: checks everything that the server needs to start and to run, and describes remedies. It only reads and connects: it
//! writes nothing, and the server may be running.

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

/// Checks a project. If the configuration is invalid, the only finding is the error of the configuration, because all checks depend on the
/// configuration.
pub async fn examine(flags: &Flags) -> Vec<Finding> {
    let config = match Config::load_of_running(flags) {
        Ok(config) => config,
        Err(error) => {
            let remedy = "change that, and ask again: everything else depends on it";
            return vec![Finding::problem("configuration", error.to_string(), remedy)];
        }
    };
    let mut findings = vec![settings::files(&config)];
    let holder = DataDirLock::holder(&config.data);
    findings.extend(settings::warnings(&config));
    let folders = machine::folders(&config);
    // The project's keys are in the data folder, so they are checked only if the data folder is usable.
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

/// Returns the exit code for scripts: failure if any finding is a problem. Warnings do not cause a failure.
#[must_use]
pub fn exit_code(findings: &[Finding]) -> ExitCode {
    match findings.iter().any(|finding| finding.level == Level::Problem) {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}
