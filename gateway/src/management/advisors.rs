//! `/advisors/security` and `/advisors/performance`: findings about the schema, without findings that cloch.toml ignores.

use axum::Json;
use axum::extract::{Path, State};
use cloch_sql::advisors::{Category, Report, advise};
use http::StatusCode;
use serde_json::{Value, json};

use super::{ApiError, ManagementState, Project};
use crate::config::ignored_advice;

pub(super) async fn show(
    State(state): State<ManagementState>,
    Path((_, kind)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    let category = match kind.as_str() {
        "security" => Category::Security,
        "performance" => Category::Performance,
        _ => return Err(ApiError::new(StatusCode::NOT_FOUND, "There are two advisors: security and performance")),
    };
    Ok(Json(json!({ "lints": state.advice(category).await?.lints })))
}

impl Project {
    pub(super) async fn advice(&self, category: Category) -> Result<Report, ApiError> {
        Ok(self.report().await?.of(category))
    }

    /// Returns the findings of all advisors.
    pub(crate) async fn report(&self) -> Result<Report, ApiError> {
        // The queries read the whole catalog, so they count towards the limit of SQL sessions.
        let _permit = self.sessions.permit().await?;
        let mut connection = self.database.admin().acquire().await?;
        let findings = advise(&mut connection, &self.schemas).await?;
        let folder = self.folder.clone();
        let ignored = tokio::task::spawn_blocking(move || ignored_advice(&folder)).await;
        let ignored = ignored.map_err(|error| ApiError::internal("cloch.toml cannot be read", error))?;
        let ignored = ignored.map_err(|error| ApiError::new(StatusCode::CONFLICT, error.to_string()))?;
        Ok(Report::new(findings, &ignored))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cloch_sql::testing::TestDatabase;

    use super::*;
    use crate::config::{Config, Flags};

    /// The schema of supabase-config has no findings except those that its cloch.toml ignores, and cloch.toml ignores no finding that no
    /// longer exists.
    #[tokio::test]
    async fn the_projects_schema_is_clean_or_says_why() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../supabase-config");
        let config = Config::read(&Flags { project: Some(folder.clone()), ..Flags::default() }, |_| None).unwrap();
        let database = TestDatabase::project(folder).await;
        let mut connection = database.database().admin().acquire().await.unwrap();
        let findings = advise(&mut connection, &config.file.api.schemas).await.unwrap();
        assert!(!findings.is_empty(), "then cloch.toml has nothing to ignore");
        let report = Report::new(findings, &config.cloch.advisors.ignore);
        assert!(report.lints.is_empty(), "{:#?}", report.lints);
        assert!(report.outdated.is_empty(), "{:#?}", report.outdated);
    }
}
