//! Command-line options with the keys of a backup: the passphrase or age identity that decrypts it, and the public key that verifies its
//! signature.

use std::path::PathBuf;

use clap::Args;
use cloch_backup::Trust;
use cloch_backup::signature::Verifier;
use cloch_core::Secret;

use crate::error::CommandError;

/// Keys of a backup from flags and environment variables.
#[derive(Args)]
pub(super) struct Keys {
    /// File with the passphrase or the age identity, and optionally the server's verification key on a line of its own
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Passphrase of the backup
    #[arg(long, env = "CLOCH_BACKUP_PASSPHRASE", hide = true, hide_env_values = true)]
    passphrase: Option<String>,
    /// Verification key of the server that wrote the backup (`cloch backup status` shows it); not needed with a passphrase
    #[arg(long, value_name = "KEY", env = "CLOCH_BACKUP_VERIFY_KEY")]
    verify_key: Option<String>,
    /// Skip the verification of signatures, for backups made before Cloch signed backups. Anyone who can write to the backup target can then
    /// change what is restored
    #[arg(long)]
    allow_unauthenticated: bool,
}

impl Keys {
    /// Returns the passphrase or age identity, or `None` if none was given.
    pub(super) fn key(&self) -> Result<Option<Secret>, CommandError> {
        let in_file = self.lines()?.into_iter().find(|line| !Verifier::is_text(line));
        Ok(in_file.or_else(|| self.passphrase.clone()).map(Secret::new))
    }

    /// Returns the keys with which the backup target is decrypted and verified.
    pub(super) fn trust(&self) -> Result<Trust, CommandError> {
        let in_file = || Ok::<_, CommandError>(self.lines()?.into_iter().find(|line| Verifier::is_text(line)));
        let verifier = match &self.verify_key {
            Some(key) => Some(key.clone()),
            None => in_file()?,
        };
        let verifier = verifier.map(|text| Verifier::parse(&text)).transpose()?;
        Ok(Trust { key: self.key()?, verifier, allow_unauthenticated: self.allow_unauthenticated })
    }

    pub(super) fn allow_unauthenticated(&self) -> bool {
        self.allow_unauthenticated
    }

    /// Returns the lines of the key file without comments: age-keygen writes comments above the identity.
    fn lines(&self) -> Result<Vec<String>, CommandError> {
        let Some(file) = &self.key_file else { return Ok(Vec::new()) };
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(lines.map(str::to_owned).collect())
    }
}
