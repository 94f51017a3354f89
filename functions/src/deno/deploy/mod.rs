//! Deploys functions: writes a new version of a function to the data folder, and to the database if several nodes may serve the project.

mod archive;
mod boots;
mod shared_versions;
pub(in crate::deno) mod upload;
pub(in crate::deno) mod versions;

use std::path::Path;

use sqlx::PgPool;

use self::shared_versions::{Followed, SharedVersions};
use self::upload::{Upload, UploadedFile};
use self::versions::{Number, VersionError, Versions};
use crate::deno::{Source, is_function_name};

/// The deployed function versions of this node, and the versions shared with other nodes.
#[derive(Clone, Debug)]
pub struct Deployments {
    versions: Versions,
    shared: Option<SharedVersions>,
}

impl Deployments {
    /// Opens the function versions in the folder [`crate::deno::EngineOptions::folder`]. `database` is the database with which several nodes share
    /// versions; `None` for a single node. `project` is the project's folder on this node.
    #[must_use]
    pub fn new(folder: &Path, project: &Path, database: Option<PgPool>) -> Self {
        let versions = Versions::new(folder);
        let shared = database.map(|pool| SharedVersions::new(pool, versions.clone(), project.to_owned()));
        Self { versions, shared }
    }

    /// Returns the function versions of this node.
    #[must_use]
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Copies a function's code as a new version. The version is served after a call of [`Self::serve`].
    ///
    /// # Errors
    /// If a file is outside the project, the version is too large, or a write to disk or database fails.
    pub async fn add(&self, name: &str, source: &Source) -> Result<u64, VersionError> {
        let number = self.versions.add(name, source, self.number(name).await?)?;
        self.publish(name, number).await?;
        Ok(number)
    }

    /// Writes uploaded code as a new function version on this node, but does not serve the version yet, because the caller must verify it
    /// first.
    ///
    /// # Errors
    /// If a path leads outside the function's folder, the entrypoint is missing, the version is too large, or a write to disk or database fails.
    pub async fn add_upload(&self, slug: &str, upload: &Upload, files: &[UploadedFile]) -> Result<u64, VersionError> {
        self.versions.add_upload(slug, upload, files, self.number(slug).await?)
    }

    /// Publishes a verified function version to all nodes.
    ///
    /// # Errors
    /// If the disk or the database fails.
    pub async fn publish(&self, name: &str, number: u64) -> Result<(), VersionError> {
        match &self.shared {
            Some(shared) => shared.publish(name, number).await,
            None => Ok(()),
        }
    }

    /// Makes a version the served version of a function. Running nodes switch to this version.
    ///
    /// # Errors
    /// If the version does not exist, or the disk or the database fails.
    pub async fn serve(&self, name: &str, number: u64) -> Result<(), VersionError> {
        match &self.shared {
            Some(shared) => shared.serve(name, number).await,
            None => self.versions.switch(name, number),
        }
    }

    /// Changes the metadata of an uploaded function version.
    ///
    /// # Errors
    /// If the version does not exist, or the disk or the database fails.
    pub async fn describe(&self, name: &str, number: u64, upload: &Upload) -> Result<(), VersionError> {
        if let Some(shared) = &self.shared {
            shared.describe(name, number, upload).await?;
        }
        self.versions.describe(name, number, upload)
    }

    /// Removes a function with all its versions.
    ///
    /// # Errors
    /// If the function does not exist, or the disk or the database fails.
    pub async fn remove(&self, name: &str) -> Result<(), VersionError> {
        match &self.shared {
            Some(shared) => shared.remove(name).await,
            None => self.versions.remove(name),
        }
    }

    /// Returns the number of the version before the served version of a function.
    ///
    /// # Errors
    /// If the function has no earlier version, or the database fails.
    pub async fn previous(&self, name: &str) -> Result<u64, VersionError> {
        match &self.shared {
            Some(shared) => shared.previous(name).await,
            None => self.versions.previous(name),
        }
    }

    /// Returns the numbers of the kept versions of a function, in ascending order.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn numbers(&self, name: &str) -> Result<Vec<u64>, VersionError> {
        match &self.shared {
            Some(shared) => shared.numbers(name).await,
            None => Ok(self.versions.numbers(name)),
        }
    }

    /// Synchronises this node with the database: publishes functions that only this node has deployed, then downloads the function versions
    /// that all nodes serve. Does nothing if versions are not shared.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn join(&self) -> Result<(), VersionError> {
        if let Some(shared) = &self.shared {
            shared.adopt().await?;
        }
        let followed = self.follow().await?;
        for (name, problem) in followed.failed {
            tracing::error!(
                function = %name,
                error = %problem,
                "functions: fetching a function version deployed by another node failed, this node does not serve that version and retries every second"
            );
        }
        Ok(())
    }

    pub(in crate::deno) fn are_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Updates the function versions on this node to the served versions in the database. Does nothing if versions are not shared.
    pub(in crate::deno) async fn follow(&self) -> Result<Followed, VersionError> {
        match &self.shared {
            Some(shared) => shared.follow().await,
            None => Ok(Followed::default()),
        }
    }

    async fn number(&self, name: &str) -> Result<Number, VersionError> {
        match &self.shared {
            // Only valid function names are stored in the database.
            Some(_) if !is_function_name(name) => Err(VersionError::Outside(name.into())),
            Some(shared) => Ok(Number::Reserved(shared.reserve(name).await?)),
            None => Ok(Number::Next),
        }
    }
}
