//! Pairs the current schema cache with the settings of the REST API. The `pgrst.*` settings of the database login role, which override
//! these settings, are loaded together with the schema cache.

use std::sync::Arc;

use super::error::ApiError;
use super::plan::{self, Plan};
use super::request::ApiRequest;
use super::settings::Settings;
use cloch_sql::caller::Caller;
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

impl ActiveSchema {
    /// Plans a request of a caller.
    ///
    /// # Errors
    /// If the request does not fit the schema, such as an unknown table.
    pub(super) fn plan(&self, request: &ApiRequest, caller: &Caller) -> Result<Plan<'_>, ApiError> {
        plan::plan(request, &self.schema_cache, &self.settings, caller.role())
    }
}
