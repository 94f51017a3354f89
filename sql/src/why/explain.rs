//! The third stage: what follows. Pure.

use serde::Serialize;
use serde_json::{Map, Value};

use super::evidence::{Evidence, Facts, Policy, RowEvidence, Verdict};
use super::{Command, Question, Returned};

/// How the request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is done, as far as privileges and policies go.
    Allowed,
    /// It is done to some of the rows.
    Partly,
    /// It is refused with an error (401 without a session, else 403).
    Refused,
    /// The rows are there, and the caller does not see them: the answer is empty.
    Hidden,
    /// No row matches, whoever asks.
    NoRows,
    /// Unknown, because a view reads other tables.
    Unknown,
}

/// Why. Its fields stand beside those of an [`Explanation`] or a [`RowOutcome`]: no name of theirs is one of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "cause")]
#[expect(missing_docs, reason = "named for what they are")]
pub enum Cause {
    /// The database has no such role.
    Role { role: String },
    /// `GRANT USAGE ON SCHEMA` is missing.
    Schema { schema: String, role: String },
    /// A privilege on the relation is missing.
    Privilege { privilege: Command, role: String },
    /// A privilege on some columns is missing.
    Columns { privilege: Command, role: String, columns: Vec<String> },
    /// Row-level security is on, and no permissive policy is for this command and role.
    NoPolicy {
        #[serde(rename = "policy_command")]
        command: Command,
    },
    /// There are permissive policies, and none holds.
    NotPermitted {
        #[serde(rename = "policy_command")]
        command: Command,
        clause: &'static str,
        #[serde(rename = "candidates")]
        policies: Vec<String>,
    },
    /// A restrictive policy does not hold.
    Restricted {
        #[serde(rename = "policy_command")]
        command: Command,
        clause: &'static str,
        policy: String,
    },
    /// A policy cannot be evaluated.
    PolicyFails { policy: String, error: String },
    /// A view's tables decide.
    View { runs_as: String },
    /// No row matches the conditions.
    NoRows,
}

/// One policy and what it says of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The policy.
    pub policy: String,
    /// For which command it is asked.
    pub command: Command,
    /// `USING` or `WITH CHECK`.
    pub clause: &'static str,
    /// Permissive, not restrictive.
    pub is_permissive: bool,
    /// The condition in SQL.
    pub condition: String,
    /// What it says.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What happens to one row.
#[derive(Clone, Debug, Serialize)]
pub struct RowOutcome {
    /// The row, as it is or would be.
    pub row: Value,
    /// Its outcome.
    pub outcome: Outcome,
    /// Why, unless it is allowed.
    #[serde(flatten)]
    pub cause: Option<Cause>,
    /// Every policy that was asked.
    pub policies: Vec<Judged>,
    /// Permissive policies that would have been enough, had they held.
    pub would_be_enough: Vec<String>,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// `schema.name`.
    pub relation: String,
    /// The command.
    pub command: Command,
    /// The caller's role.
    pub role: String,
    /// The claims that policies see.
    pub claims: Map<String, Value>,
    /// How it ends.
    pub outcome: Outcome,
    /// Why.
    #[serde(flatten)]
    pub cause: Option<Cause>,
    /// The rows that match, whoever asks (counted to 1,000).
    pub matching: Option<u64>,
    /// Those that the caller sees; the database's message where it may not look.
    pub visible: Option<Result<u64, String>>,
    /// The first rows, one by one.
    pub rows: Vec<RowOutcome>,
    /// The catalog's facts.
    pub facts: Facts,
    /// What was left out.
    pub notes: Vec<String>,
}

/// Draws the conclusion.
#[must_use]
pub fn explain(question: &Question, evidence: Evidence) -> Explanation {
    let Evidence { facts, matching, visible, rows, notes } = evidence;
    let rows: Vec<RowOutcome> = rows.iter().map(|row| of_row(question, &facts, row)).collect();
    let (outcome, cause) = match privilege(question, &facts) {
        Some(cause) => (Outcome::Refused, Some(cause)),
        None if facts.kind == "view" => {
            let runs_as = if facts.runs_as_caller { question.caller.role() } else { facts.owner.as_str() };
            match (matching, &visible) {
                (Some(0), _) => (Outcome::NoRows, Some(Cause::NoRows)),
                (Some(all), Some(Ok(seen))) if *seen == all => (Outcome::Allowed, None),
                _ => (Outcome::Unknown, Some(Cause::View { runs_as: runs_as.to_owned() })),
            }
        }
        None if matching == Some(0) => (Outcome::NoRows, Some(Cause::NoRows)),
        None => of_rows(&rows),
    };
    Explanation {
        relation: format!("{}.{}", question.relation.schema, question.relation.name),
        command: question.command,
        role: question.caller.role().to_owned(),
        claims: question.caller.claims().clone(),
        outcome,
        cause,
        matching,
        visible,
        rows,
        facts,
        notes,
    }
}

/// The first privilege that is missing, in the order in which PostgreSQL asks.
fn privilege(question: &Question, facts: &Facts) -> Option<Cause> {
    let role = question.caller.role().to_owned();
    if !facts.role_exists {
        return Some(Cause::Role { role });
    }
    if !facts.schema_usage {
        return Some(Cause::Schema { schema: question.relation.schema.clone(), role });
    }
    let written: Vec<String> = question.values.keys().cloned().collect();
    let needed = match question.command {
        Command::Select => vec![(Command::Select, &question.reads)],
        Command::Delete => vec![(Command::Delete, &question.reads), (Command::Select, &question.reads)],
        command => vec![(command, &written), (Command::Select, &question.reads)],
    };
    needed.into_iter().find_map(|(privilege, columns)| missing(facts, privilege, columns, &role, question.command))
}

fn missing(facts: &Facts, privilege: Command, columns: &[String], role: &str, asked: Command) -> Option<Cause> {
    let keyword = privilege.keyword();
    if facts.privileges.iter().any(|own| own == keyword) {
        return None;
    }
    let role = role.to_owned();
    let has = |column: &super::Column| column.privileges.iter().any(|own| own == keyword);
    if privilege == Command::Delete || !facts.columns.iter().any(has) {
        // A write that reads no column needs no privilege to read.
        let is_needed = privilege == asked || !columns.is_empty();
        return is_needed.then_some(Cause::Privilege { privilege, role });
    }
    let is_read = |column: &super::Column| columns.iter().any(|name| *name == column.name || name == "*");
    let columns: Vec<String> = facts
        .columns
        .iter()
        .filter(|column| is_read(column) && !has(column))
        .map(|column| column.name.clone())
        .collect();
    (!columns.is_empty()).then_some(Cause::Columns { privilege, role, columns })
}

fn of_rows(rows: &[RowOutcome]) -> (Outcome, Option<Cause>) {
    let Some(failed) = rows.iter().find(|row| row.outcome != Outcome::Allowed) else { return (Outcome::Allowed, None) };
    // An error ends the whole request; a hidden row only itself.
    if let Some(refused) = rows.iter().find(|row| row.outcome == Outcome::Refused) {
        return (Outcome::Refused, refused.cause.clone());
    }
    let some_pass = rows.iter().any(|row| row.outcome == Outcome::Allowed);
    (if some_pass { Outcome::Partly } else { Outcome::Hidden }, failed.cause.clone())
}

/// A condition on a row that PostgreSQL adds to the statement: of which command's policies, which clause, over which row.
#[derive(Clone, Copy)]
enum Test {
    /// `USING`, over the row as it is: a row that fails is passed over.
    Sees(Command),
    /// `WITH CHECK`, over the row as it would be: a row that fails is an error.
    Checks(Command),
    /// `USING` of `SELECT`, over the row as it would be, because it is read back: likewise.
    ReadsBack,
}

/// What a statement is tested with, in PostgreSQL's order (the table in the documentation of CREATE POLICY).
fn tests(question: &Question) -> Vec<Test> {
    let reads = !question.reads.is_empty();
    let mut tests = Vec::new();
    match question.command {
        Command::Select => tests.push(Test::Sees(Command::Select)),
        Command::Insert => {
            tests.push(Test::Checks(Command::Insert));
            if question.returned == Returned::Yes {
                tests.push(Test::ReadsBack);
            }
        }
        Command::Update | Command::Delete => {
            tests.push(Test::Sees(question.command));
            if reads {
                tests.push(Test::Sees(Command::Select));
            }
            if question.command == Command::Update {
                tests.push(Test::Checks(Command::Update));
                if reads {
                    tests.push(Test::ReadsBack);
                }
            }
        }
    }
    tests
}

/// The condition, in SQL, that the row as it is has to meet for its policies to let a statement find it; `None` where nothing is to be met, or
/// nothing can be.
pub(super) fn finds(question: &Question, facts: &Facts) -> Option<String> {
    let mut conditions = Vec::new();
    for test in tests(question) {
        let Test::Sees(command) = test else { continue };
        let of = |is_permissive: bool| {
            let policies = facts.policies.iter().filter(move |policy| policy.applies && policy.is_for(command));
            policies
                .filter(move |policy| policy.is_permissive == is_permissive)
                .filter_map(|policy| policy.using.as_ref().map(|using| format!("({using})")))
        };
        let permissive: Vec<String> = of(true).collect();
        if permissive.is_empty() {
            return None;
        }
        conditions.push(format!("({})", permissive.join(" or ")));
        conditions.extend(of(false));
    }
    (!conditions.is_empty()).then(|| conditions.join(" and "))
}

fn of_row(question: &Question, facts: &Facts, row: &RowEvidence) -> RowOutcome {
    let shown = row.new.as_ref().or(row.old.as_ref()).cloned().unwrap_or_default();
    let mut result = RowOutcome {
        row: shown,
        outcome: Outcome::Allowed,
        cause: None,
        policies: Vec::new(),
        would_be_enough: Vec::new(),
    };
    if !facts.policies_apply() {
        return result;
    }
    for test in tests(question) {
        let (command, clause, verdicts, failure) = match test {
            Test::Sees(command) => (command, "USING", &row.using_old, Outcome::Hidden),
            Test::Checks(command) => (command, "WITH CHECK", &row.check_new, Outcome::Refused),
            Test::ReadsBack => (Command::Select, "USING", &row.using_new, Outcome::Refused),
        };
        let is_check = matches!(test, Test::Checks(_));
        let judged: Vec<Judged> = facts
            .policies
            .iter()
            .zip(verdicts)
            .filter(|(policy, _)| policy.applies && policy.is_for(command))
            .filter_map(|(policy, verdict)| judged(policy, command, clause, is_check, verdict.clone()?))
            .collect();
        if result.outcome == Outcome::Allowed
            && let Some(cause) = failed(command, clause, &judged)
        {
            result.outcome = if matches!(cause, Cause::PolicyFails { .. }) { Outcome::Refused } else { failure };
            if let Cause::NotPermitted { policies, .. } = &cause {
                result.would_be_enough.clone_from(policies);
            }
            result.cause = Some(cause);
        }
        result.policies.extend(judged);
    }
    result
}

fn judged(policy: &Policy, command: Command, clause: &'static str, is_check: bool, verdict: Verdict) -> Option<Judged> {
    let condition = if is_check { policy.check_or_using() } else { policy.using.as_deref() }?.to_owned();
    let is_permissive = policy.is_permissive;
    Some(Judged { policy: policy.name.clone(), command, clause, is_permissive, condition, verdict })
}

/// Why the policies of one test do not let a row pass.
fn failed(command: Command, clause: &'static str, judged: &[Judged]) -> Option<Cause> {
    let permissive: Vec<&Judged> = judged.iter().filter(|policy| policy.is_permissive).collect();
    let passes = permissive.iter().any(|policy| policy.verdict == Verdict::True);
    let broken = judged.iter().find_map(|policy| match &policy.verdict {
        Verdict::Error(error) => Some(Cause::PolicyFails { policy: policy.policy.clone(), error: error.clone() }),
        _ => None,
    });
    if broken.is_some() {
        return broken;
    }
    if permissive.is_empty() {
        return Some(Cause::NoPolicy { command });
    }
    if let Some(restrictive) = judged.iter().find(|policy| !policy.is_permissive && policy.verdict != Verdict::True) {
        return Some(Cause::Restricted { command, clause, policy: restrictive.policy.clone() });
    }
    let names = || permissive.iter().map(|policy| policy.policy.clone()).collect();
    (!passes).then(|| Cause::NotPermitted { command, clause, policies: names() })
}
