//! The current schema cache, and the settings that belong to it.

use std::sync::Arc;

use super::settings::Settings;
use crate::schema_cache::SchemaCache;

/// A schema cache, and the settings with those of the database applied.
#[derive(Debug)]
pub(super) struct ActiveSchema {
    pub(super) schema_cache: Arc<SchemaCache>,
    pub(super) settings: Settings,
}
