//! What the access log tells of a failed request: names from the schema cache and codes. Never a value, a token, a body, or a name that
//! only the request knows.

use http::request::Parts;

use super::active_schema::ActiveSchema;
use super::error::ApiError;
use super::request::{Action, Target};
use super::settings::Settings;

/// Why a request failed, as it lies in its answer's extensions.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The table or function that was asked for, if there is one.
    pub resource: Option<String>,
    /// The error's code: `PGRST…` or an SQLSTATE.
    pub code: String,
    /// The constraint that was broken.
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
