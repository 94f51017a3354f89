//! A finding of `cloch doctor`: what was checked, its state, and what the operator can do.

use serde::Serialize;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// No problem.
    Ok,
    /// The checked part works now, but may cause problems later.
    Warning,
    /// The checked part does not work.
    Problem,
}

impl Level {
    /// Returns the word for this level in the table that `cloch doctor` prints.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "PROBLEM",
        }
    }
}

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Severity of the finding.
    pub level: Level,
    /// Checked part, such as "disk".
    pub subject: &'static str,
    /// State that the check has found, as a text for the operator.
    pub seen: String,
    /// Action for the operator; `None` if no action is necessary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Finding {
    /// Logs the finding as an error if it is a problem. The server starts nevertheless.
    pub(crate) fn log_problem(&self) {
        if self.level == Level::Problem {
            tracing::error!(
                "server: startup check failed: {}: {}: {}",
                self.subject,
                self.seen,
                self.remedy.as_deref().unwrap_or_default()
            );
        }
    }

    pub(super) fn ok(subject: &'static str, seen: impl Into<String>) -> Self {
        Self { level: Level::Ok, subject, seen: seen.into(), remedy: None }
    }

    pub(super) fn warning(subject: &'static str, seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { level: Level::Warning, subject, seen: seen.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn problem(subject: &'static str, seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { level: Level::Problem, subject, seen: seen.into(), remedy: Some(remedy.into()) }
    }
}
