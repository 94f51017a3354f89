//! Creates a trace span for each SQL statement that sqlx runs, in the trace of the request that caused the statement. sqlx emits a log event
//! for each finished statement.

use std::fmt::Debug;
use std::time::Duration;

use cloch_core::spans::{Kind, Span};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::Context;

const TARGET: &str = "sqlx::query";

/// Logging layer that converts sqlx's events into spans.
pub(super) struct DatabaseSpans;

/// Returns the filter that passes sqlx's log events to [`DatabaseSpans`], even if the log filter excludes these events.
pub(super) fn filter() -> Targets {
    Targets::new().with_target(TARGET, Level::DEBUG)
}

impl<S: Subscriber> Layer<S> for DatabaseSpans {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut statement = Statement::default();
        event.record(&mut statement);
        let Ok(duration) = Duration::try_from_secs_f64(statement.seconds) else { return };
        let attributes = vec![
            ("db.system.name", "postgresql".into()),
            ("db.query.summary", without_literals(&statement.summary).to_owned().into()),
        ];
        Span::ended("postgresql", Kind::Client, duration, attributes);
    }
}

/// Returns the beginning of an SQL statement up to its first literal. The rest is left out, because operators may type secret values in the
/// SQL console.
fn without_literals(summary: &str) -> &str {
    let end = summary.find(|letter: char| letter == '\'' || letter.is_ascii_digit()).unwrap_or(summary.len());
    summary.get(..end).unwrap_or_default().trim_end()
}

#[derive(Default)]
struct Statement {
    summary: String,
    seconds: f64,
}

impl Visit for Statement {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "summary" {
            value.clone_into(&mut self.summary);
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.seconds = value;
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_not_in_the_summary() {
        assert_eq!(without_literals("select 'secret' as x"), "select");
        assert_eq!(without_literals("select 42, name …"), "select");
        assert_eq!(without_literals("insert into auth.users (id, …"), "insert into auth.users (id, …");
    }
}
