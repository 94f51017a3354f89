//! Pairs the current schema cache with the settings of the REST API that apply to this schema cache.

use std::sync::Arc;

use super::settings::Settings;
use cloch_sql::schema_cache::SchemaCache;

/// Schema cache, and the settings of the REST API after the login role's in-database settings (`pgrst.*`) were applied.
#[derive(Debug)]
pub(super) struct ActiveSchema {
    pub(super) schema_cache: Arc<SchemaCache>,
    /// Settings of the REST API without the in-database settings.
    pub(super) base: Arc<Settings>,
    pub(super) settings: Settings,
}
