//! What a project ignores, and why: `[[advisors.ignore]]` of cloch.toml, beside the migrations that it speaks of.

use serde::{Deserialize, Serialize};

use super::{Category, Finding, LINTS, Level};

/// One decision not to fix something.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(default)]
pub struct Ignore {
    /// The rule's name.
    pub lint: String,
    /// What may break it: `schema.name` of tables, views, functions or buckets. Empty for everything.
    pub on: Vec<String>,
    /// Why. A decision without a reason is refused.
    pub reason: String,
}

impl Ignore {
    /// What is wrong with the entry itself, in words; `None` for a usable one.
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

/// What was found, with the project's decisions.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// What is to be fixed.
    pub lints: Vec<Finding>,
    /// What is ignored.
    pub ignored: Vec<Ignored>,
    /// Decisions about what is there no longer: the rule and the names, or the rule alone.
    pub outdated: Vec<Ignore>,
}

/// A finding that the project ignores.
#[derive(Debug, Serialize)]
pub struct Ignored {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// Why.
    pub reason: String,
}

impl Report {
    /// Sets apart what `ignores` covers.
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

    /// The part that one advisor tells.
    #[must_use]
    pub fn of(mut self, category: Category) -> Self {
        self.lints.retain(|finding| finding.categories.contains(&category));
        self.ignored.retain(|ignored| ignored.finding.categories.contains(&category));
        let is_of = |name: &str| LINTS.iter().any(|lint| lint.name == name && lint.category == category);
        self.outdated.retain(|ignore| is_of(&ignore.lint));
        self
    }

    /// The worst level of what is to be fixed.
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
