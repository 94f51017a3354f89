//! What a command reads a backup with: the passphrase or age identity, and the key that verifies who wrote it.

use std::path::PathBuf;

use clap::Args;
use cloch_backup::Trust;
use cloch_backup::signature::Verifier;
use cloch_core::Secret;

use crate::error::CommandError;

/// Keys of a backup, as flags.
#[derive(Args)]
pub(super) struct Keys {
    /// A file with the passphrase or the age identity, and the server's verification key on a line of its own where there is one
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// The passphrase
    #[arg(long, env = "CLOCH_BACKUP_PASSPHRASE", hide = true, hide_env_values = true)]
    passphrase: Option<String>,
    /// The verification key of the server that wrote the backup (`cloch backup status` shows it); with a passphrase it is not needed
    #[arg(long, value_name = "KEY", env = "CLOCH_BACKUP_VERIFY_KEY")]
    verify_key: Option<String>,
    /// Verify nothing: for backups that were made before Cloch signed them. Whoever can write to the target decides then what is read
    #[arg(long)]
    allow_unauthenticated: bool,
}

impl Keys {
    /// The passphrase or age identity; `None` where none is given.
    pub(super) fn key(&self) -> Result<Option<Secret>, CommandError> {
        let in_file = self.lines()?.into_iter().find(|line| !Verifier::is_text(line));
        Ok(in_file.or_else(|| self.passphrase.clone()).map(Secret::new))
    }

    /// How the target is verified.
    pub(super) fn trust(&self) -> Result<Trust, CommandError> {
        let in_file = || Ok::<_, CommandError>(self.lines()?.into_iter().find(|line| Verifier::is_text(line)));
        let verifier = match &self.verify_key {
            Some(key) => Some(key.clone()),
            None => in_file()?,
        };
        let verifier = verifier.map(|text| Verifier::parse(&text)).transpose()?;
        Ok(Trust { key: self.key()?, verifier, allow_unauthenticated: self.allow_unauthenticated })
    }

    /// Whether nothing is verified.
    pub(super) fn allow_unauthenticated(&self) -> bool {
        self.allow_unauthenticated
    }

    /// age-keygen writes comments above the identity.
    fn lines(&self) -> Result<Vec<String>, CommandError> {
        let Some(file) = &self.key_file else { return Ok(Vec::new()) };
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(lines.map(str::to_owned).collect())
    }
}
