//! What the Management API does to functions while the server runs: uploads, deletions, secrets.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use cloch_core::Secret;

use super::{Deployments, Engine, Source, Versions};

impl Engine {
    /// Changes which version is served.
    #[must_use]
    pub fn deployments(&self) -> &Deployments {
        &self.deployments
    }

    /// The deployed versions.
    #[must_use]
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Whether an uploaded function needs a token to be called; `None` for one that was not uploaded.
    #[must_use]
    pub fn upload_verifies_jwt(&self, name: &str) -> Option<bool> {
        self.uploads.read().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }

    /// The names of all functions.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.all_pools().into_iter().map(|(name, _)| name).collect()
    }

    /// Whether the project's folder has this function.
    #[must_use]
    pub fn is_in_folder(&self, name: &str) -> bool {
        self.in_folder(name).is_some()
    }

    /// The code that a function is served from.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<Source> {
        Some(self.pool(name)?.source())
    }

    /// Resolves and downloads the imports of an uploaded version: whether it can run is known before it is served.
    ///
    /// # Errors
    /// Why it cannot.
    pub async fn check_upload(&self, name: &str, number: u64) -> Result<(), String> {
        let source = self.versions.uploaded_source_as(name, number).ok_or("there is no such version")?;
        match self.pool(name) {
            Some(pool) => pool.prepare(&source).await.map(drop),
            None => self.shared.prepare(name, &source).await.map(drop),
        }
    }

    /// Serves what the versions' folder says now; returns once it does. Where a new version does not boot, the one before is served.
    pub async fn refresh(&self, name: &str) {
        let _one_at_a_time = self.changing.lock().await;
        self.find_functions();
        if let Some(pool) = self.pool(name) {
            self.follow_version(name, &pool, true).await;
        }
    }

    /// The secrets that functions find in their environment, from the next request on.
    pub fn set_secrets(&self, secrets: BTreeMap<String, Secret>) {
        *self.shared.secrets.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(secrets);
        self.all_pools().iter().for_each(|(_, pool)| pool.reload(None));
    }
}
