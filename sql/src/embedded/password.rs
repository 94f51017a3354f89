//! Resets the superuser's password in a stopped cluster, if the old password is lost.

use std::io::Write;
use std::process::Stdio;

use super::{Account, Binaries, ClusterSettings, EmbeddedError, SUPERUSER, cluster, leftover};

/// Sets the password of `settings` for the superuser of a stopped cluster, in PostgreSQL's single-user mode, which requires no password.
///
/// # Errors
/// Fails if there is no cluster, its server runs, or PostgreSQL refuses the statement.
pub fn reset_password(settings: &ClusterSettings) -> Result<(), EmbeddedError> {
    let account = Account::choose();
    let folder = account.cluster_folder(&settings.folder)?;
    let version = cluster::version(&folder);
    let binaries = Binaries::find(settings, version.as_deref())?;
    let failed = |output: &str| EmbeddedError::Failed { program: "postgres --single", output: output.to_owned() };
    if leftover::is_running(&folder) {
        return Err(failed("a server runs in this folder: stop it first"));
    }
    let mut command = account.command(&binaries.program("postgres"));
    let mut child = command
        .args(["--single", "-D"])
        .arg(&folder)
        .arg("postgres")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(EmbeddedError::io(binaries.program("postgres")))?;
    let password = settings.password.expose().replace('\'', "''");
    if let Some(mut input) = child.stdin.take() {
        // In single-user mode a line break ends a statement.
        let statement = format!("alter role {SUPERUSER} with login password '{password}'\n");
        input.write_all(statement.as_bytes()).map_err(EmbeddedError::io(&folder))?;
    }
    let output = child.wait_with_output().map_err(EmbeddedError::io(&folder))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && !errors.contains("ERROR:") { Ok(()) } else { Err(failed(errors.trim())) }
}
