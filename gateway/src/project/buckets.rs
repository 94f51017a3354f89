//! Buckets of Storage.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{Project, ProjectError};

/// A bucket in the JSON form of Supabase's hosted Management API.
#[derive(Debug, Serialize, sqlx::FromRow)]
pub(crate) struct Bucket {
    id: String,
    name: String,
    owner: String,
    public: bool,
    created_at: Option<DateTime<Utc>>,
    updated_at: Option<DateTime<Utc>>,
}

impl Project {
    /// Returns the buckets of Storage, sorted by id.
    pub(crate) async fn buckets(&self) -> Result<Vec<Bucket>, ProjectError> {
        let text = "select id, name, coalesce(owner_id, '') as owner, coalesce(public, false) as public, created_at, updated_at
                      from storage.buckets order by id";
        Ok(sqlx::query_as(text).fetch_all(self.database.admin()).await?)
    }
}
