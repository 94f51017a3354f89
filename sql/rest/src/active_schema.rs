//! Pairs the current schema cache with the settings of the REST API. The `pgrst.*` settings of the database login role, which override
//! these settings, are loaded together with the schema cache.

use std::sync::Arc;

use super::settings::Settings;
use cloch_sql::schema_cache::SchemaCache;

/// A schema cache with the settings of the REST API, to which the `pgrst.*` settings of the database login role are applied (`alter role
/// authenticator set pgrst.… = '…'`).
#[derive(Debug)]
pub(super) struct ActiveSchema {
    pub(super) schema_cache: Arc<SchemaCache>,
    /// Settings of the REST API from the server's configuration, without the `pgrst.*` settings of the database login role.
    pub(super) base: Arc<Settings>,
    pub(super) settings: Settings,
}
