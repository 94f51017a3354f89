//! Pairs the current schema cache with the settings that apply to it.

use std::sync::Arc;

use super::settings::Settings;
use cloch_sql::schema_cache::SchemaCache;

/// A schema cache, with the configured settings after the in-database settings of the login role were applied.
#[derive(Debug)]
pub(super) struct ActiveSchema {
    pub(super) schema_cache: Arc<SchemaCache>,
    pub(super) settings: Settings,
}
