//! Secrets that functions get as environment variables. The secrets in secrets.toml can be changed here; those in config.toml are only
//! listed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use sha2::{Digest, Sha256};

use super::{Project, ProjectError};
use crate::config::{ConfigError, Secrets, SecretsDraft};

/// Maximum number of secrets in one request.
const MAX_NAMES: usize = 100;

/// Locations in which the functions' secrets are stored.
#[derive(Debug)]
pub struct SecretStore {
    /// Path of secrets.toml.
    pub file: PathBuf,
    /// Secrets from config.toml. They take precedence over the secrets in secrets.toml, and can be changed only in config.toml.
    pub of_config: BTreeMap<String, Secret>,
    /// Whether the project has the club's built-in functions (crate cloch_club), whose password for judges is stored as a hash in the
    /// database.
    pub has_judging_password: bool,
}

impl SecretStore {
    fn load(&self) -> Result<Secrets, ProjectError> {
        let loaded =
            Secrets::load(&self.file).map_err(|error| ProjectError::internal("the secrets cannot be read", error))?;
        loaded.ok_or_else(|| ProjectError::internal("the secrets cannot be read", "secrets.toml is missing"))
    }

    fn draft(&self, secrets: &Secrets) -> Result<SecretsDraft, ProjectError> {
        secrets.draft(&self.file).map_err(not_written)
    }

    /// Returns all secrets of functions by name. Secrets of config.toml replace those of secrets.toml with the same name.
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
    /// Returns the names and digests of all secrets, and the time at which secrets.toml was last changed.
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

    /// Sets all given secrets. If one secret is refused or cannot be stored, none is set. First, the new secrets are written to a draft
    /// file beside secrets.toml. Then the hash of the judges' password (if given) is committed to the database. Last, a rename replaces
    /// secrets.toml by the draft file.
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
        let draft = store.draft(&secrets)?;
        if let Some(password) = judging_password {
            let changed = cloch_club::set_judging_password(&self.database, password, None).await;
            changed.map_err(|error| ProjectError::Invalid(format!("{error:?}")))?;
        }
        draft.commit().map_err(not_written)?;
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
        store.draft(&secrets)?.commit().map_err(not_written)?;
        self.hand_over(&store, &secrets);
        Ok(())
    }

    /// Passes the secrets to the engine that runs the functions. Each function gets the new secrets with its next request.
    fn hand_over(&self, store: &SecretStore, secrets: &Secrets) {
        if let Some(engine) = self.functions.as_ref().and_then(|functions| functions.engine()) {
            engine.set_secrets(store.merged(secrets));
        }
    }
}

fn not_written(error: ConfigError) -> ProjectError {
    ProjectError::internal("the secrets cannot be written", error)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cloch_sql::testing::TestDatabase;

    use super::*;
    use crate::project::testing::project;

    fn given() -> Vec<(String, Secret)> {
        let pair = |name: &str, value: &str| (name.to_owned(), Secret::new(value));
        vec![pair("A_SECRET", "new"), pair(cloch_club::JUDGING_PASSWORD, "a new password")]
    }

    async fn names(project: &Project) -> Vec<String> {
        project.secret_digests().await.unwrap().digests.into_iter().map(|secret| secret.name).collect()
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_written_changes_no_password() {
        let database = TestDatabase::project(Path::new(env!("CARGO_MANIFEST_DIR")).join("../supabase-config")).await;
        let folder = tempfile::tempdir().unwrap();
        let project = project(&database, folder.path());
        Secrets::generate().unwrap().save(&folder.path().join("secrets.toml")).unwrap();
        // A folder exists at the path of the draft file, so that writing the draft fails even for root.
        let draft = folder.path().join("secrets.toml.new");
        std::fs::create_dir(&draft).unwrap();
        assert!(matches!(project.set_secrets(given()).await, Err(ProjectError::Internal)));
        let passwords = "select count(*) from club.judging_password";
        assert_eq!(sqlx::query_scalar::<_, i64>(passwords).fetch_one(database.superuser()).await.unwrap(), 0);
        assert!(names(&project).await.is_empty());
        std::fs::remove_dir(&draft).unwrap();
        project.set_secrets(given()).await.unwrap();
        assert_eq!(sqlx::query_scalar::<_, i64>(passwords).fetch_one(database.superuser()).await.unwrap(), 1);
        assert_eq!(names(&project).await, ["A_SECRET"]);
    }

    #[tokio::test]
    async fn a_password_that_cannot_be_stored_leaves_the_file_as_it_was() {
        // The platform SQL alone creates no table of judging passwords.
        let database = TestDatabase::platform().await;
        let folder = tempfile::tempdir().unwrap();
        let project = project(&database, folder.path());
        Secrets::generate().unwrap().save(&folder.path().join("secrets.toml")).unwrap();
        assert!(project.set_secrets(given()).await.is_err());
        assert!(names(&project).await.is_empty());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    }
}
