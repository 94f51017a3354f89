//! `cloch db dump`: writes the whole database to a file, in PostgreSQL's custom format and with a seal (`dump_seal`).

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use cloch_sql::database::Login;

use super::db::{require_database, tool, with_logins};
use super::dump_seal::SealKey;
use super::print;
use crate::config::Config;
use crate::error::CommandError;

pub(super) async fn dump(config: &Config, file: &Path) -> Result<(), CommandError> {
    require_database(config)?;
    let key = SealKey::new(&config.secrets()?.dump_seal_key()?)?;
    with_logins(config, async |logins| {
        let mut draft = file.to_owned().into_os_string();
        draft.push(".partial");
        let draft = PathBuf::from(draft);
        let _ = std::fs::remove_file(&draft);
        // The dump file has mode 0600, because it contains every user's address and password hash.
        let mut options = OpenOptions::new();
        let out = options.read(true).write(true).create_new(true).mode(0o600).open(&draft);
        let out = out.map_err(|error| format!("{}: {error}", draft.display()))?;
        let written = write(config, &logins.maintenance, out, &key).await;
        let finished = written.and_then(|()| Ok(std::fs::rename(&draft, file)?));
        if finished.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        finished?;
        print::line(format!(
            "Wrote {}. The files in objects/ and secrets.toml are backed up beside it, by copying them",
            file.display()
        ))?;
        Ok(())
    })
    .await
}

/// Writes the dump into the file, then its seal. When pg_dump has finished, it writes positions into the beginning of the file. Therefore
/// the seal can be computed only afterwards.
async fn write(config: &Config, login: &Login, mut out: File, key: &SealKey) -> Result<(), CommandError> {
    let mut command = tokio::process::Command::from(tool("pg_dump", config, login)?);
    command.arg("--format=custom").stdout(Stdio::from(out.try_clone()?)).kill_on_drop(true);
    if !command.status().await?.success() {
        return Err(CommandError::from("pg_dump failed; its message stands above"));
    }
    key.append(&mut out).await?;
    out.sync_all()?;
    Ok(())
}
