//! `/secrets`: secrets in the environment of functions. Secrets in secrets.toml can be changed; secrets in config.toml are only listed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use cloch_core::Secret;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::projects::time;
use super::{ApiError, ManagementState, Project};
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
    fn load(&self) -> Result<Secrets, ApiError> {
        let loaded =
            Secrets::load(&self.file).map_err(|error| ApiError::internal("the secrets cannot be read", error))?;
        loaded.ok_or_else(|| ApiError::internal("the secrets cannot be read", "secrets.toml is missing"))
    }

    fn save(&self, secrets: &Secrets) -> Result<(), ApiError> {
        secrets.save(&self.file).map_err(|error| ApiError::internal("the secrets cannot be written", error))
    }

    /// Returns all secrets of functions by name.
    fn merged(&self, secrets: &Secrets) -> BTreeMap<String, Secret> {
        let mut all: BTreeMap<String, Secret> =
            secrets.functions.iter().map(|(name, value)| (name.clone(), Secret::new(value))).collect();
        all.extend(self.of_config.iter().map(|(name, value)| (name.clone(), value.clone())));
        all
    }

    fn check_not_in_config(&self, name: &str) -> Result<(), ApiError> {
        match self.of_config.keys().any(|known| known.eq_ignore_ascii_case(name)) {
            true => {
                Err(ApiError::bad(format!("{name} is set in [edge_runtime.secrets] of config.toml: change it there")))
            }
            false => Ok(()),
        }
    }
}

/// Lists names and SHA-256 digests of the secrets, as `supabase secrets list` prints them.
pub(super) async fn list(State(state): State<ManagementState>) -> Result<Json<Value>, ApiError> {
    let store = state.secrets.lock().await;
    let changed = std::fs::metadata(&store.file).and_then(|file| file.modified()).ok();
    let changed = changed.map_or(0, |at| chrono::DateTime::<chrono::Utc>::from(at).timestamp_millis());
    let all = store.merged(&store.load()?);
    let listed = all.iter().map(|(name, value)| {
        let digest = hex::encode(Sha256::digest(value.expose().as_bytes()));
        json!({ "name": name, "value": digest, "updated_at": time(changed) })
    });
    Ok(Json(listed.collect()))
}

#[derive(Deserialize)]
pub(super) struct NewSecret {
    name: String,
    value: Secret,
}

pub(super) async fn set(
    State(state): State<ManagementState>,
    Json(given): Json<Vec<NewSecret>>,
) -> Result<Response, ApiError> {
    state.set_secrets(given.into_iter().map(|NewSecret { name, value }| (name, value)).collect()).await?;
    Ok(StatusCode::CREATED.into_response())
}

pub(super) async fn unset(
    State(state): State<ManagementState>,
    Json(names): Json<Vec<String>>,
) -> Result<Response, ApiError> {
    state.unset_secrets(&names).await?;
    Ok(Json(json!({})).into_response())
}

impl Project {
    /// Returns the name, digest and source of each secret.
    pub(crate) async fn secret_names(&self) -> Result<Value, ApiError> {
        let store = self.secrets.lock().await;
        let all = store.merged(&store.load()?);
        let listed = all.iter().map(|(name, value)| {
            let source = if store.of_config.contains_key(name) { "config.toml" } else { "secrets" };
            json!({ "name": name, "digest": hex::encode(Sha256::digest(value.expose().as_bytes())), "source": source })
        });
        Ok(listed.collect())
    }

    /// Sets secrets. If one is refused, none is set.
    pub(crate) async fn set_secrets(&self, given: Vec<(String, Secret)>) -> Result<(), ApiError> {
        if given.len() > MAX_NAMES {
            return Err(ApiError::bad(format!("{MAX_NAMES} secrets can be set at once")));
        }
        let store = self.secrets.lock().await;
        let mut secrets = store.load()?;
        let mut judging_password = None;
        for (name, value) in given {
            store.check_not_in_config(&name)?;
            if store.has_judging_password && name == cloch_club::JUDGING_PASSWORD {
                judging_password = Some(value);
            } else {
                secrets.set_function_secret(&name, &value).map_err(ApiError::bad)?;
            }
        }
        if let Some(password) = judging_password {
            let changed = cloch_club::set_judging_password(&self.database, password, None).await;
            changed.map_err(|error| ApiError::bad(format!("{error:?}")))?;
        }
        store.save(&secrets)?;
        self.hand_over(&store, &secrets);
        Ok(())
    }

    pub(crate) async fn unset_secrets(&self, names: &[String]) -> Result<(), ApiError> {
        if names.len() > MAX_NAMES {
            return Err(ApiError::bad(format!("{MAX_NAMES} secrets can be removed at once")));
        }
        let store = self.secrets.lock().await;
        let mut secrets = store.load()?;
        for name in names {
            store.check_not_in_config(name)?;
            if store.has_judging_password && name == cloch_club::JUDGING_PASSWORD {
                return Err(ApiError::bad("The judging password can be changed, not removed"));
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
