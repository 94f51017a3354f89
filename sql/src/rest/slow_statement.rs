//! The log line of a slow statement.

use std::time::{Duration, Instant};

use super::plan::{RowsPlan, Source};
use super::settings::Settings;
use crate::metrics;

/// Logs a statement that took longer than `slow_statement`, even if it was abandoned.
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
        metrics::SLOW_STATEMENTS.inc();
        let (kind, name) = match &self.plan.source {
            Source::Relation(name) => ("read", &name.name),
            Source::Write(_, write) => ("write", &write.table.name),
            Source::Call(_, call) => ("call", &call.function.name),
        };
        tracing::warn!(kind, resource = name, duration_ms = elapsed.as_millis(), "a statement took long");
    }
}
