//! Lint findings that a project ignores: `[[advisors.ignore]]` in cloch.toml.

use serde::{Deserialize, Serialize};

use super::{Category, Finding, LINTS, Level};

/// A lint that is ignored, for some objects or everywhere.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(default)]
pub struct Ignore {
    /// Name of the lint.
    pub lint: String,
    /// Ignored objects, as `schema.name` of tables, views, functions or buckets. Empty: all objects.
    pub on: Vec<String>,
    /// Reason for ignoring the finding. Required.
    pub reason: String,
}

impl Ignore {
    /// Returns an error text if the entry is invalid: an unknown lint or an empty reason. `None` if the entry is valid.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        if !LINTS.iter().any(|lint| lint.name == self.lint) {
            let nearest = LINTS
                .iter()
                .map(|lint| lint.name)
                .max_by(|a, b| strsim::jaro_winkler(a, &self.lint).total_cmp(&strsim::jaro_winkler(b, &self.lint)));
            return Some(format!("no rule has the name {:?}; is {} meant?", self.lint, nearest.unwrap_or_default()));
        }
        if self.reason.trim().is_empty() {
            return Some(format!("{} is ignored without a reason", self.lint));
        }
        None
    }

    fn covers(&self, finding: &Finding) -> bool {
        self.lint == finding.name && (self.on.is_empty() || self.on.contains(&finding.entity()))
    }
}

/// Findings of the advisors, split by the project's ignore entries.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Findings that no entry ignores.
    pub lints: Vec<Finding>,
    /// Findings that an entry ignores.
    pub ignored: Vec<Ignored>,
    /// Ignore entries that match no finding, with the unmatched objects in `on` (empty if the entry has no objects).
    pub outdated: Vec<Ignore>,
}

/// Finding that the project ignores.
#[derive(Debug, Serialize)]
pub struct Ignored {
    /// Finding that the entry ignores.
    #[serde(flatten)]
    pub finding: Finding,
    /// Reason from the ignore entry.
    pub reason: String,
}

impl Report {
    /// Splits the findings into reported and ignored findings.
    #[must_use]
    pub fn new(findings: Vec<Finding>, ignores: &[Ignore]) -> Self {
        let mut report = Self { outdated: outdated(&findings, ignores), ..Self::default() };
        for finding in findings {
            match ignores.iter().find(|ignore| ignore.covers(&finding)) {
                Some(ignore) => report.ignored.push(Ignored { finding, reason: ignore.reason.clone() }),
                None => report.lints.push(finding),
            }
        }
        report
    }

    /// Keeps only the findings and entries of one advisor category.
    #[must_use]
    pub fn of(mut self, category: Category) -> Self {
        self.lints.retain(|finding| finding.categories.contains(&category));
        self.ignored.retain(|ignored| ignored.finding.categories.contains(&category));
        let is_of = |name: &str| LINTS.iter().any(|lint| lint.name == name && lint.category == category);
        self.outdated.retain(|ignore| is_of(&ignore.lint));
        self
    }

    /// Returns the most severe level of the findings that are not ignored; `None` without findings.
    #[must_use]
    pub fn worst(&self) -> Option<Level> {
        self.lints.iter().map(|finding| finding.level).min()
    }
}

fn outdated(findings: &[Finding], ignores: &[Ignore]) -> Vec<Ignore> {
    let unused = |ignore: &Ignore| {
        let found: Vec<String> =
            findings.iter().filter(|finding| finding.name == ignore.lint).map(Finding::entity).collect();
        let on: Vec<String> = ignore.on.iter().filter(|entity| !found.contains(entity)).cloned().collect();
        let is_unused = if ignore.on.is_empty() { found.is_empty() } else { !on.is_empty() };
        is_unused.then(|| Ignore { on, ..ignore.clone() })
    };
    ignores.iter().filter_map(unused).collect()
}
