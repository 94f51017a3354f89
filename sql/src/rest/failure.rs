//! The part of a failed request that the access log contains: codes, and names from the schema cache. Never a value, a token, a body, or a
//! name that occurs only in the request.

use http::request::Parts;

use super::active_schema::ActiveSchema;
use super::error::ApiError;
use super::request::{Action, Target};
use super::settings::Settings;

/// Why a request failed; a response extension.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The requested table or function, if it exists.
    pub resource: Option<String>,
    /// The error's code: `PGRST…` or an SQLSTATE.
    pub code: String,
    /// The violated constraint.
    pub constraint: Option<String>,
}

impl Failure {
    pub(super) fn of(error: &ApiError, parts: &Parts, current: Option<&ActiveSchema>) -> Self {
        let resource = current.and_then(|current| resource(parts, current, &current.settings));
        Self { resource, code: error.code().to_owned(), constraint: error.constraint().map(str::to_owned) }
    }
}

fn resource(parts: &Parts, current: &ActiveSchema, settings: &Settings) -> Option<String> {
    let target = Target::find(parts, settings).ok()?;
    match target.action() {
        Action::Read { relation: name, .. } | Action::Mutate { relation: name, .. } | Action::RelationOptions(name) => {
            current.schema_cache.tables.contains_key(name).then(|| name.name.clone())
        }
        Action::Call { function: name, .. } | Action::FunctionOptions(name) => {
            current.schema_cache.functions.contains_key(name).then(|| format!("rpc/{}", name.name))
        }
        Action::Describe | Action::RootOptions => None,
    }
}
