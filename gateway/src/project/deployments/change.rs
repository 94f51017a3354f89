//! Changes uploaded functions: name, `verify_jwt`, and which version is served. Also deletes functions.

use cloch_functions::deno::{Upload, is_function_name};
use serde::Deserialize;

use super::{Deployment, refused};
use crate::project::{Project, ProjectError};

const MAX_FUNCTIONS: usize = 500;

/// Uploaded version of a function that a client wants to be served.
#[derive(Debug, Deserialize)]
pub(crate) struct WantedVersion {
    slug: String,
    version: u64,
    name: Option<String>,
    verify_jwt: Option<bool>,
}

impl Project {
    /// Changes the name or `verify_jwt` of an uploaded function.
    pub(crate) async fn describe_function(
        &self,
        slug: &str,
        name: Option<String>,
        verify_jwt: Option<bool>,
    ) -> Result<Deployment, ProjectError> {
        self.function(slug)?;
        let engine = self.engine()?;
        let in_folder =
            || ProjectError::Invalid(format!("{slug} is code of the project's folder: config.toml says what it is"));
        let upload = engine.versions().uploaded(slug).ok_or_else(in_folder)?;
        let number = engine.versions().current_number(slug).ok_or_else(in_folder)?;
        let upload = Upload {
            name: name.unwrap_or(upload.name.clone()),
            verify_jwt: verify_jwt.unwrap_or(upload.verify_jwt),
            updated_at: Upload::now(),
            ..upload
        };
        engine.deployments().describe(slug, number, &upload).await.map_err(refused)?;
        engine.refresh(slug).await;
        self.function(slug)
    }

    /// Makes a stored version of a function the served version.
    pub(crate) async fn serve_version(&self, slug: &str, version: u64) -> Result<(), ProjectError> {
        self.function(slug)?;
        let engine = self.engine()?;
        engine.deployments().serve(slug, version).await.map_err(refused)?;
        engine.refresh(slug).await;
        Ok(())
    }

    /// Returns the numbers of all stored versions of a function, oldest first.
    pub(crate) async fn version_numbers(&self, slug: &str) -> Result<Vec<u64>, ProjectError> {
        self.engine()?.deployments().numbers(slug).await.map_err(refused)
    }

    /// Makes uploaded versions of several functions the served versions. If a version is unknown, no served version changes.
    pub(crate) async fn serve_versions(&self, wanted: &[WantedVersion]) -> Result<Vec<Deployment>, ProjectError> {
        if wanted.len() > MAX_FUNCTIONS {
            return Err(ProjectError::Invalid(format!("{MAX_FUNCTIONS} functions can be changed at once")));
        }
        let engine = self.engine()?;
        let mut uploads = Vec::new();
        for one in wanted {
            let unknown = || ProjectError::Invalid(format!("{} has no uploaded version {}", one.slug, one.version));
            let known =
                is_function_name(&one.slug).then(|| engine.versions().uploaded_as(&one.slug, one.version)).flatten();
            let upload = known.ok_or_else(unknown)?;
            uploads.push(Upload {
                name: one.name.clone().unwrap_or(upload.name.clone()),
                verify_jwt: one.verify_jwt.unwrap_or(upload.verify_jwt),
                ..upload
            });
        }
        let mut functions = Vec::new();
        for (one, upload) in wanted.iter().zip(&uploads) {
            engine.deployments().describe(&one.slug, one.version, upload).await.map_err(refused)?;
            engine.deployments().serve(&one.slug, one.version).await.map_err(refused)?;
            engine.refresh(&one.slug).await;
            functions.push(self.function(&one.slug)?);
        }
        Ok(functions)
    }

    /// Removes an uploaded function.
    pub(crate) async fn remove_function(&self, slug: &str) -> Result<(), ProjectError> {
        self.function(slug)?;
        let engine = self.engine()?;
        if engine.is_in_folder(slug) {
            let message = format!("{slug} is code of the project's folder: remove it there");
            return Err(ProjectError::Conflict(message));
        }
        engine.deployments().remove(slug).await.map_err(refused)?;
        engine.refresh(slug).await;
        Ok(())
    }
}
