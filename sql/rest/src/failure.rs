//! Description of a failed request for the access log: error codes, and names that exist in the schema cache. The description never
//! contains a value, a token, a request body, or a name that occurs only in the request.

use cloch_sql::schema_cache::SchemaCache;
use http::request::Parts;

use super::active_schema::ActiveSchema;
use super::error::ApiError;
use super::request::{Action, Target};

/// Cause of a failed request, attached to the HTTP response as an extension.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Name of the requested table or function, or `None` if the schema cache does not contain the name.
    pub resource: Option<String>,
    /// Error code: `PGRST…` or an SQLSTATE.
    pub code: String,
    /// Name of the violated constraint; `None` for any other error.
    pub constraint: Option<String>,
}

impl Failure {
    pub(super) fn of(error: &ApiError, parts: &Parts, current: Option<&ActiveSchema>) -> Self {
        let resource = current.and_then(|current| {
            let target = Target::find(parts, &current.settings).ok()?;
            resource(target.action(), &current.schema_cache)
        });
        Self { resource, code: error.code().to_owned(), constraint: error.constraint().map(str::to_owned) }
    }
}

/// Returns the name of the table or function of an action, or `None` if the schema cache does not contain it.
pub(super) fn resource(action: &Action, schema_cache: &SchemaCache) -> Option<String> {
    match action {
        Action::Read { relation: name, .. } | Action::Mutate { relation: name, .. } | Action::RelationOptions(name) => {
            schema_cache.tables.contains_key(name).then(|| name.name.clone())
        }
        Action::Call { function: name, .. } | Action::FunctionOptions(name) => {
            schema_cache.functions.contains_key(name).then(|| format!("rpc/{}", name.name))
        }
        Action::Describe | Action::RootOptions => None,
    }
}
