//! Deploying: a version is written to the data folder, and to the database where several nodes may serve the project.

use std::path::Path;

use sqlx::PgPool;

use super::shared_versions::{Followed, SharedVersions};
use super::versions::Number;
use super::{Source, Upload, UploadedFile, VersionError, Versions};

/// The versions of this node, and those that it shares with others.
#[derive(Clone, Debug)]
pub struct Deployments {
    versions: Versions,
    shared: Option<SharedVersions>,
}

impl Deployments {
    /// Of the folder that [`super::EngineOptions::folder`] names. `database` is what several nodes may share; none for a node that is the
    /// only one. `project` is the project's folder on this node.
    #[must_use]
    pub fn new(folder: &Path, project: &Path, database: Option<PgPool>) -> Self {
        let versions = Versions::new(folder);
        let shared = database.map(|pool| SharedVersions::new(pool, versions.clone(), project.to_owned()));
        Self { versions, shared }
    }

    /// This node's versions.
    #[must_use]
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Copies the code as a new version. It is served once [`Self::serve`] says so.
    ///
    /// # Errors
    /// A file outside of the project, too many bytes, a disk or a database that refuses.
    pub async fn add(&self, name: &str, source: &Source) -> Result<u64, VersionError> {
        let number = self.versions.add(name, source, self.number(name).await?)?;
        self.publish(name, number).await?;
        Ok(number)
    }

    /// Writes an upload as a new version of this node, to be checked.
    ///
    /// # Errors
    /// A path that leads outside, an entrypoint that is not among the files, too many bytes, a disk or a database that refuses.
    pub async fn add_upload(&self, slug: &str, upload: &Upload, files: &[UploadedFile]) -> Result<u64, VersionError> {
        self.versions.add_upload(slug, upload, files, self.number(slug).await?)
    }

    /// Hands a checked version to all nodes.
    ///
    /// # Errors
    /// A disk or a database that refuses.
    pub async fn publish(&self, name: &str, number: u64) -> Result<(), VersionError> {
        match &self.shared {
            Some(shared) => shared.publish(name, number).await,
            None => Ok(()),
        }
    }

    /// Makes a version the one that is served; running nodes follow.
    ///
    /// # Errors
    /// No such version, a disk or a database that refuses.
    pub async fn serve(&self, name: &str, number: u64) -> Result<(), VersionError> {
        match &self.shared {
            Some(shared) => shared.serve(name, number).await,
            None => self.versions.switch(name, number),
        }
    }

    /// Changes what a version says of itself.
    ///
    /// # Errors
    /// No such version, a disk or a database that refuses.
    pub async fn describe(&self, name: &str, number: u64, upload: &Upload) -> Result<(), VersionError> {
        if let Some(shared) = &self.shared {
            shared.describe(name, number, upload).await?;
        }
        self.versions.describe(name, number, upload)
    }

    /// Removes a function with all its versions.
    ///
    /// # Errors
    /// There is none, or a disk or a database that refuses.
    pub async fn remove(&self, name: &str) -> Result<(), VersionError> {
        match &self.shared {
            Some(shared) => shared.remove(name).await,
            None => self.versions.remove(name),
        }
    }

    /// The version before the one that is served.
    ///
    /// # Errors
    /// There is none, or the database does not answer.
    pub async fn previous(&self, name: &str) -> Result<u64, VersionError> {
        match &self.shared {
            Some(shared) => shared.previous(name).await,
            None => self.versions.previous(name),
        }
    }

    /// The kept versions of a function, in order.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn numbers(&self, name: &str) -> Result<Vec<u64>, VersionError> {
        match &self.shared {
            Some(shared) => shared.numbers(name).await,
            None => Ok(self.versions.numbers(name)),
        }
    }

    /// Brings this node to what all nodes serve, and hands what only this one has to the others.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn join(&self) -> Result<(), VersionError> {
        if let Some(shared) = &self.shared {
            shared.adopt().await?;
        }
        let followed = self.follow().await?;
        for (name, problem) in followed.failed {
            tracing::error!(function = %name, "fetching the version that other nodes serve failed: {problem}");
        }
        Ok(())
    }

    /// Whether other nodes may serve the same.
    pub(super) fn are_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Brings this node's copies to what the database says.
    pub(super) async fn follow(&self) -> Result<Followed, VersionError> {
        match &self.shared {
            Some(shared) => shared.follow().await,
            None => Ok(Followed::default()),
        }
    }

    async fn number(&self, name: &str) -> Result<Number, VersionError> {
        match &self.shared {
            // What the database is given is a name of a function.
            Some(_) if !super::is_function_name(name) => Err(VersionError::Outside(name.into())),
            Some(shared) => Ok(Number::Reserved(shared.reserve(name).await?)),
            None => Ok(Number::Next),
        }
    }
}
