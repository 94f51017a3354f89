//! A finding: what was looked at, how it is, what to do.

use serde::Serialize;

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// It works, and may hurt later.
    Warning,
    /// It does not work.
    Problem,
}

impl Level {
    /// The word for the table.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "PROBLEM",
        }
    }
}

/// What was found out about one subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How it is.
    pub level: Level,
    /// What was looked at.
    pub subject: &'static str,
    /// What was seen.
    pub seen: String,
    /// What to do; `None` where nothing is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Finding {
    /// Logs a problem that does not stop a start.
    pub(crate) fn log_problem(&self) {
        if self.level == Level::Problem {
            tracing::error!("{}: {}: {}", self.subject, self.seen, self.remedy.as_deref().unwrap_or_default());
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
