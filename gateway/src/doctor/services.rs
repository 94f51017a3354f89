//! Checks external services: mail server, object store, backup target.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use cloch_backup::Target;
use cloch_storage::settings::BackendSettings;
use rustix::fs::Access;

use super::Finding;
use super::machine::nearest;
use crate::config::Config;
use crate::error::innermost;
use crate::setup;

/// Timeout for the response of an external service.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Connects to the mail server and logs in, without sending a mail.
pub(super) async fn mail(config: &Config) -> Option<Finding> {
    let settings = match setup::mail::settings(config) {
        Ok(settings) => settings,
        Err(error) => return Some(Finding::problem("mail", error.to_string(), "correct [auth.email.smtp]")),
    };
    let Some(smtp) = settings.smtp else {
        let seen = "no mail server: mails stay in the inbox at /_/inbox";
        return Some(match config.is_public() {
            true => {
                Finding::warning("mail", seen, "users of a public server wait for their mails: set [auth.email.smtp]")
            }
            false => Finding::ok("mail", seen),
        });
    };
    let server = format!("{}:{}", smtp.host, smtp.port);
    let outcome = tokio::time::timeout(TIMEOUT, cloch_mail::log_in(&smtp)).await;
    Some(match outcome {
        Ok(Ok(())) => Finding::ok("mail", format!("{server} admits this server")),
        Ok(Err(error)) => refused_mail(&server, &error.to_string()),
        Err(_) => refused_mail(&server, "no answer"),
    })
}

fn refused_mail(server: &str, error: &str) -> Finding {
    let remedy = "check host, port, user and pass of [auth.email.smtp]; many hosters block port 25: use 587 or 465";
    Finding::problem("mail", format!("{server}: {error}"), remedy)
}

/// Checks the object store by listing one object of the S3 bucket. If files are stored in a folder, the check of the data folder applies
/// instead.
pub(crate) async fn store(settings: BackendSettings) -> Finding {
    let asked = async {
        let backend = cloch_storage::backend::open(&settings)?;
        backend.list(None, 1).await
    };
    let failure = match tokio::time::timeout(TIMEOUT, asked).await {
        Ok(Ok(_)) => return Finding::ok("object store", "the bucket can be read"),
        Ok(Err(error)) => format!("{error}: {}", innermost(&error)),
        Err(_) => "no answer".to_owned(),
    };
    let remedy =
        "check endpoint, bucket, region and keys of [storage.s3] in cloch.toml, and whether path_style is needed";
    Finding::problem("object store", failure, remedy)
}

/// Checks the backup target if it is a folder. The running server checks an S3 bucket; `cloch backup status` shows the result.
pub(super) fn backup(config: &Config) -> Option<Finding> {
    let Some(to) = &config.cloch.backup.to else {
        let remedy = "set [backup] to in cloch.toml (docs/operations/back-up.md)";
        let is_own = config.database_is_embedded();
        return (config.is_public() && is_own).then(|| Finding::warning("backup", "there is none", remedy));
    };
    if let Err(error) = setup::backup::check(config) {
        return Some(Finding::problem("backup", error.to_string(), "the server does not start before"));
    }
    let url = setup::backup::absolute(&config.project, to);
    match Target::open(&url, &setup::backup::s3_access(config)) {
        Err(error) => Some(Finding::problem("backup", error.to_string(), "correct [backup] to in cloch.toml")),
        Ok(target) => target.folder().map(|folder| judge_folder(folder, &config.data)),
    }
}

fn judge_folder(folder: &Path, data: &Path) -> Finding {
    let shown = folder.display();
    match folder.metadata() {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            let seen = format!("{shown} cannot be entered by this account");
            return Finding::warning("backup", seen, "run cloch doctor as the account that runs cloch");
        }
        Ok(metadata) if metadata.is_dir() => {}
        // A missing folder is a problem, although the server creates it when it starts: the disk that should contain it may not
        // be mounted.
        _ => return Finding::problem("backup", format!("{shown} is not there"), "mount the disk, or make the folder"),
    }
    if rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return Finding::problem(
            "backup",
            format!("{shown} cannot be written"),
            "chown it to the account that runs cloch",
        );
    }
    let device = |path: &Path| path.metadata().ok().map(|metadata| metadata.dev());
    match device(folder).is_some() && device(folder) == device(nearest(data).as_path()) {
        true => Finding::warning("backup", format!("{shown} is on the disk of the data"), "use another disk or S3"),
        false => Finding::ok("backup", shown.to_string()),
    }
}
