//! Creates a function from the template.

use bytes::Bytes;

use super::{Deployment, Metadata};
use crate::project::{Project, ProjectError};

/// Source code of a new function.
pub(crate) const TEMPLATE: &str = include_str!("template.ts");

impl Project {
    /// Deploys a new function whose source is the template, as version 1, and serves it.
    pub(crate) async fn create_function(&self, slug: &str, verify_jwt: bool) -> Result<Deployment, ProjectError> {
        let _one_at_a_time = super::edit::EDITING.lock().await;
        self.require_versions()?;
        if self.function(slug).is_ok() {
            return Err(ProjectError::Conflict(format!("There is a function {slug} already")));
        }
        let entrypoint = format!("functions/{slug}/index.ts");
        let metadata =
            Metadata { entrypoint_path: entrypoint.clone(), verify_jwt: Some(verify_jwt), ..Metadata::default() };
        let files = vec![(entrypoint, Bytes::from_static(TEMPLATE.as_bytes()))];
        self.deploy(slug, metadata, files, true).await
    }
}
