//! Operations of the Management API on functions of the running server: uploads, deletions, secrets.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use cloch_core::Secret;

use super::{Deployments, Engine, Serve, Source, Versions};

impl Engine {
    /// Returns the deployments of this engine, with which versions are created and switched.
    #[must_use]
    pub fn deployments(&self) -> &Deployments {
        &self.deployments
    }

    /// Returns the deployed function versions of this node.
    #[must_use]
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Whether calls of an uploaded function require an access token. `None` for a function that was not uploaded.
    #[must_use]
    pub fn upload_verifies_jwt(&self, name: &str) -> Option<bool> {
        self.uploads.read().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }

    /// Whether the engine serves deployed versions. `cloch functions serve` serves the project's folder only.
    #[must_use]
    pub fn serves_versions(&self) -> bool {
        self.serve == Serve::Deployed
    }

    /// Returns the names of all functions that the engine serves.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.all_pools().into_iter().map(|(name, _)| name).collect()
    }

    /// Whether the last worker of a function failed to start or crashed, and no other worker serves its requests.
    #[must_use]
    pub fn has_failed(&self, name: &str) -> bool {
        self.pool(name).is_some_and(|pool| pool.has_failed())
    }

    /// Whether the project's folder contains this function.
    #[must_use]
    pub fn is_in_folder(&self, name: &str) -> bool {
        self.in_folder(name).is_some()
    }

    /// Returns the code from which a function is served; `None` if the engine does not serve the function.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<Source> {
        Some(self.pool(name)?.source())
    }

    /// Resolves and downloads the imports of an uploaded version, to verify that the version can run before it is served.
    ///
    /// # Errors
    /// If the imports cannot be resolved or downloaded.
    pub async fn check_upload(&self, name: &str, number: u64) -> Result<(), String> {
        let source = self.versions.uploaded_source_as(name, number).ok_or("there is no such version")?;
        match self.pool(name) {
            Some(pool) => pool.prepare(&source).await.map(drop),
            None => self.shared.prepare(name, &source).await.map(drop),
        }
    }

    /// Switches a function to the version that `versions/<name>/current` names, and returns when the version is served. If the version does not boot,
    /// the previous version remains served.
    pub async fn refresh(&self, name: &str) {
        let _one_at_a_time = self.changing.lock().await;
        self.find_functions();
        if let Some(pool) = self.pool(name) {
            self.follow_version(name, &pool, true).await;
        }
    }

    /// Sets the project's secrets in the environment of functions. The secrets apply from the next request on, which starts new workers.
    pub fn set_secrets(&self, secrets: BTreeMap<String, Secret>) {
        *self.shared.secrets.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(secrets);
        self.all_pools().iter().for_each(|(_, pool)| pool.reload(None));
    }
}
