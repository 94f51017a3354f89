//! The schema cache in use, with the settings that apply to it.

use std::sync::Arc;

use super::settings::Settings;
use crate::schema_cache::SchemaCache;

/// A schema cache, and the settings in which the database's own are included.
#[derive(Debug)]
pub(super) struct ActiveSchema {
    pub(super) schema_cache: Arc<SchemaCache>,
    pub(super) settings: Settings,
}
