//! What the log tells of a request that failed, and of a statement that took long: names from the catalog and codes. Never a value, a token,
//! a body, or a name that only the request knows.

use std::time::{Duration, Instant};

use http::request::Parts;

use super::error::ApiError;
use super::plan::{RowsPlan, Source};
use super::request::{Action, Target};
use super::{Current, Settings};

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
    pub(super) fn of(error: &ApiError, parts: &Parts, current: Option<&Current>) -> Self {
        let resource = current.and_then(|current| resource(parts, current, &current.settings));
        Self { resource, code: error.code().to_owned(), constraint: error.constraint().map(str::to_owned) }
    }
}

fn resource(parts: &Parts, current: &Current, settings: &Settings) -> Option<String> {
    let target = Target::find(parts, settings).ok()?;
    match target.action() {
        Action::Read { relation: name, .. } | Action::Mutate { relation: name, .. } | Action::RelationOptions(name) => {
            current.catalog.tables.contains_key(name).then(|| name.name.clone())
        }
        Action::Call { function: name, .. } | Action::FunctionOptions(name) => {
            current.catalog.functions.contains_key(name).then(|| format!("rpc/{}", name.name))
        }
        Action::Describe | Action::RootOptions => None,
    }
}

/// Tells of a statement that took longer than it should have, also if it was abandoned.
pub(super) struct SlowStatement<'a> {
    plan: &'a RowsPlan,
    begun: Instant,
    limit: Duration,
}

impl<'a> SlowStatement<'a> {
    pub(super) fn begin(plan: &'a RowsPlan, settings: &Settings) -> Option<Self> {
        let limit = settings.slow_statement?;
        Some(Self { plan, begun: Instant::now(), limit })
    }
}

impl Drop for SlowStatement<'_> {
    fn drop(&mut self) {
        let elapsed = self.begun.elapsed();
        if elapsed < self.limit {
            return;
        }
        let (kind, name) = match &self.plan.source {
            Source::Relation(name) => ("read", &name.name),
            Source::Write(_, write) => ("write", &write.table.name),
            Source::Call(_, call) => ("call", &call.function.name),
        };
        tracing::warn!(kind, resource = name, duration_ms = elapsed.as_millis(), "a statement took long");
    }
}
