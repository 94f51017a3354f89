//! Findings of the advisors (security and performance) about the schema. Findings that cloch.toml lists as ignored are left out.

use cloch_sql::advisors::{Category, Report, advise};

use super::{Project, ProjectError};
use crate::config::ignored_advice;

impl Project {
    /// Returns the findings about the schema in one category (security or performance).
    pub(crate) async fn advice(&self, category: Category) -> Result<Report, ProjectError> {
        Ok(self.report().await?.of(category))
    }

    /// Returns the findings about the schema in all categories.
    pub(crate) async fn report(&self) -> Result<Report, ProjectError> {
        // The queries of the advisors read the whole catalog. Therefore a run uses one of the permits that limit the number of concurrent
        // SQL sessions.
        let _permit = self.sessions.permit().await?;
        let mut connection = self.database.admin().acquire().await?;
        let findings = advise(&mut connection, &self.schemas).await?;
        let folder = self.folder.clone();
        let ignored = tokio::task::spawn_blocking(move || ignored_advice(&folder)).await;
        let ignored = ignored.map_err(|error| ProjectError::internal("cloch.toml cannot be read", error))?;
        let ignored = ignored.map_err(|error| ProjectError::Conflict(error.to_string()))?;
        Ok(Report::new(findings, &ignored))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cloch_sql::testing::TestDatabase;

    use super::*;
    use crate::config::{Config, Flags};

    /// The schema of supabase-config has exactly those findings that its cloch.toml ignores: no other finding, and no ignore entry
    /// without a finding.
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
