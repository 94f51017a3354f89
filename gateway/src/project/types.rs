//! Generates TypeScript types of the schema.

use super::{Project, ProjectError};

const MAX_SCHEMAS: usize = 100;

impl Project {
    /// Returns the type `Database` of supabase-js for the given schemas; if empty, for the schemas that the table REST API exposes.
    pub(crate) async fn typescript(&self, mut schemas: Vec<String>) -> Result<String, ProjectError> {
        if schemas.is_empty() {
            schemas.clone_from(&self.schemas);
        }
        if schemas.len() > MAX_SCHEMAS {
            return Err(ProjectError::Invalid(format!("Types of {MAX_SCHEMAS} schemas at most are made at once")));
        }
        let mut connection = self.database.admin().acquire().await?;
        Ok(cloch_sql::types::typescript(&mut connection, &schemas).await?)
    }
}
