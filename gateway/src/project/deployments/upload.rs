//! Stores uploaded functions.

use bytes::Bytes;
use cloch_functions::deno::{Upload, UploadedFile, is_function_name};
use serde::Deserialize;

use super::{Deployment, refused};
use crate::project::{Project, ProjectError};

/// Metadata that a client sends with an uploaded function. An empty path means that the client sent no path.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Metadata {
    pub(crate) name: Option<String>,
    pub(crate) entrypoint_path: String,
    pub(crate) import_map_path: Option<String>,
    pub(crate) static_patterns: Vec<String>,
    pub(crate) verify_jwt: Option<bool>,
}

impl Project {
    /// Resolves the imports of an uploaded function and stores the function as a new version. Makes this version the served version if
    /// `serve` is set.
    pub(crate) async fn deploy(
        &self,
        slug: &str,
        metadata: Metadata,
        files: Vec<(String, Bytes)>,
        serve: bool,
    ) -> Result<Deployment, ProjectError> {
        if !is_function_name(slug) {
            return Err(ProjectError::Invalid(
                "A function's name is letters, digits, - and _, beginning with a letter, 128 at most".to_owned(),
            ));
        }
        let engine = self.engine()?;
        if self.functions_state()?.is_taken(slug) {
            return Err(ProjectError::Invalid(format!(
                "{slug} is a function of the server itself, or has an upstream in cloch.toml"
            )));
        }
        let before = engine.versions().uploaded(slug);
        let declared = self.functions_state()?.services();
        let in_config = || declared.settings.functions.get(slug).is_none_or(|declared| declared.verify_jwt);
        let now = Upload::now();
        let upload = Upload {
            name: metadata.name.unwrap_or_else(|| slug.to_owned()),
            verify_jwt: metadata
                .verify_jwt
                .unwrap_or_else(|| before.as_ref().map_or_else(in_config, |before| before.verify_jwt)),
            entrypoint_path: metadata.entrypoint_path,
            import_map_path: metadata.import_map_path.filter(|path| !path.is_empty()),
            static_patterns: metadata.static_patterns,
            created_at: before.map_or(now, |before| before.created_at),
            updated_at: now,
        };
        let files = files.into_iter().map(|(path, content)| UploadedFile::new(&path, content));
        let files = files.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let number = engine.deployments().add_upload(slug, &upload, &files).await.map_err(refused)?;
        if let Err(problem) = engine.check_upload(slug, number).await {
            engine.versions().discard(slug, number);
            return Err(ProjectError::Invalid(format!("The function cannot run: {problem}")));
        }
        engine.deployments().publish(slug, number).await.map_err(refused)?;
        if serve {
            engine.deployments().serve(slug, number).await.map_err(refused)?;
            engine.refresh(slug).await;
        }
        Ok(self.described(slug, number, upload))
    }
}
