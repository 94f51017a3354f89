//! Pairs the current schema cache with the settings of the REST API that apply to this schema cache.

use std::sync::Arc;

use super::settings::Settings;
use cloch_sql::schema_cache::SchemaCache;

/// A schema cache with the settings of the REST API. The settings include the overrides that the login role has in the database
/// (`pgrst.*`).
#[derive(Debug)]
pub(super) struct ActiveSchema {
    pub(super) schema_cache: Arc<SchemaCache>,
    /// Settings of the REST API without the in-database settings.
    pub(super) base: Arc<Settings>,
    pub(super) settings: Settings,
}
