//! Lint findings that a project ignores: `[[advisors.ignore]]` in cloch.toml.

use serde::{Deserialize, Serialize};

use super::{Category, Finding, LINTS, Level};

/// Ignore entry of cloch.toml: a lint whose findings are ignored, for some objects or for all objects.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(default)]
pub struct Ignore {
    /// Name of the ignored lint.
    pub lint: String,
    /// Ignored objects, as `schema.name` of tables, views, functions or buckets. Empty: all objects.
    pub on: Vec<String>,
    /// Reason why the project ignores the findings. Required.
    pub reason: String,
}

impl Ignore {
    /// Returns an error text if the ignore entry names an unknown lint or has an empty reason. `None` if the ignore entry is valid.
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
    /// Findings that no ignore entry matches.
    pub lints: Vec<Finding>,
    /// Findings that an ignore entry matches, with the reason.
    pub ignored: Vec<Ignored>,
    /// Ignore entries that match no finding, or that name objects without a finding. `on` contains only the objects without a finding; `on`
    /// is empty for an ignore entry without objects.
    pub outdated: Vec<Ignore>,
}

/// Finding that an ignore entry matches.
#[derive(Debug, Serialize)]
pub struct Ignored {
    /// The ignored finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// Reason why the project ignores the finding, from the ignore entry.
    pub reason: String,
}

impl Report {
    /// Splits the findings into reported findings and findings that an ignore entry matches.
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

    /// Keeps only the findings and ignore entries of one advisor category.
    #[must_use]
    pub fn of(mut self, category: Category) -> Self {
        self.lints.retain(|finding| finding.categories.contains(&category));
        self.ignored.retain(|ignored| ignored.finding.categories.contains(&category));
        let is_of = |name: &str| LINTS.iter().any(|lint| lint.name == name && lint.category == category);
        self.outdated.retain(|ignore| is_of(&ignore.lint));
        self
    }

    /// Returns the most severe level of the reported findings; `None` if there are no reported findings.
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
