//! Secrets in the environment of functions. Secrets in secrets.toml can be changed; secrets in config.toml are only listed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use sha2::{Digest, Sha256};

use super::{Project, ProjectError};
use crate::config::Secrets;

/// Maximum number of secrets in a request.
const MAX_NAMES: usize = 100;

/// Storage of the functions' secrets.
#[derive(Debug)]
pub struct SecretStore {
    /// Path of secrets.toml.
    pub file: PathBuf,
    /// Secrets from config.toml. They override secrets.toml, and can be changed only in config.toml.
    pub of_config: BTreeMap<String, Secret>,
    /// Whether the project has the club's functions, whose judging password is stored as a hash in the database.
    pub has_judging_password: bool,
}

impl SecretStore {
    fn load(&self) -> Result<Secrets, ProjectError> {
        let loaded =
            Secrets::load(&self.file).map_err(|error| ProjectError::internal("the secrets cannot be read", error))?;
        loaded.ok_or_else(|| ProjectError::internal("the secrets cannot be read", "secrets.toml is missing"))
    }

    fn save(&self, secrets: &Secrets) -> Result<(), ProjectError> {
        secrets.save(&self.file).map_err(|error| ProjectError::internal("the secrets cannot be written", error))
    }

    /// Returns all secrets of functions by name.
    fn merged(&self, secrets: &Secrets) -> BTreeMap<String, Secret> {
        let mut all: BTreeMap<String, Secret> =
            secrets.functions.iter().map(|(name, value)| (name.clone(), Secret::new(value))).collect();
        all.extend(self.of_config.iter().map(|(name, value)| (name.clone(), value.clone())));
        all
    }

    fn check_not_in_config(&self, name: &str) -> Result<(), ProjectError> {
        match self.of_config.keys().any(|known| known.eq_ignore_ascii_case(name)) {
            true => Err(ProjectError::Invalid(format!(
                "{name} is set in [edge_runtime.secrets] of config.toml: change it there"
            ))),
            false => Ok(()),
        }
    }
}

/// Name and digest of a secret.
pub(crate) struct SecretDigest {
    pub(crate) name: String,
    /// SHA-256 of the value in hexadecimal digits.
    pub(crate) digest: String,
    /// Whether the secret is set in config.toml.
    pub(crate) is_of_config: bool,
}

pub(crate) struct SecretDigests {
    pub(crate) digests: Vec<SecretDigest>,
    /// Modification time of secrets.toml; `None` if the file system does not report it.
    pub(crate) changed_at: Option<DateTime<Utc>>,
}

impl Project {
    /// Lists the secrets by name, and the time of the last change in secrets.toml.
    pub(crate) async fn secret_digests(&self) -> Result<SecretDigests, ProjectError> {
        let store = self.secrets.lock().await;
        let changed_at = std::fs::metadata(&store.file).and_then(|file| file.modified()).ok().map(DateTime::from);
        let all = store.merged(&store.load()?);
        let digests = all.iter().map(|(name, value)| SecretDigest {
            name: name.clone(),
            digest: hex::encode(Sha256::digest(value.expose().as_bytes())),
            is_of_config: store.of_config.contains_key(name),
        });
        Ok(SecretDigests { digests: digests.collect(), changed_at })
    }

    /// Sets secrets. If one is refused, none is set.
    pub(crate) async fn set_secrets(&self, given: Vec<(String, Secret)>) -> Result<(), ProjectError> {
        if given.len() > MAX_NAMES {
            return Err(ProjectError::Invalid(format!("{MAX_NAMES} secrets can be set at once")));
        }
        let store = self.secrets.lock().await;
        let mut secrets = store.load()?;
        let mut judging_password = None;
        for (name, value) in given {
            store.check_not_in_config(&name)?;
            if store.has_judging_password && name == cloch_club::JUDGING_PASSWORD {
                judging_password = Some(value);
            } else {
                secrets.set_function_secret(&name, &value).map_err(ProjectError::Invalid)?;
            }
        }
        if let Some(password) = judging_password {
            let changed = cloch_club::set_judging_password(&self.database, password, None).await;
            changed.map_err(|error| ProjectError::Invalid(format!("{error:?}")))?;
        }
        store.save(&secrets)?;
        self.hand_over(&store, &secrets);
        Ok(())
    }

    pub(crate) async fn unset_secrets(&self, names: &[String]) -> Result<(), ProjectError> {
        if names.len() > MAX_NAMES {
            return Err(ProjectError::Invalid(format!("{MAX_NAMES} secrets can be removed at once")));
        }
        let store = self.secrets.lock().await;
        let mut secrets = store.load()?;
        for name in names {
            store.check_not_in_config(name)?;
            if store.has_judging_password && name == cloch_club::JUDGING_PASSWORD {
                return Err(ProjectError::Invalid("The judging password can be changed, not removed".to_owned()));
            }
            secrets.functions.remove(name);
        }
        store.save(&secrets)?;
        self.hand_over(&store, &secrets);
        Ok(())
    }

    /// Passes the secrets to the functions' engine. They apply from a function's next request.
    fn hand_over(&self, store: &SecretStore, secrets: &Secrets) {
        if let Some(engine) = self.functions.as_ref().and_then(|functions| functions.engine()) {
            engine.set_secrets(store.merged(secrets));
        }
    }
}
