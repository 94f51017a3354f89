//! Third stage of explaining a request: derives the outcome of the request from the evidence, without accessing the database.

use serde::Serialize;
use serde_json::{Map, Value};

use super::evidence::{Evidence, Facts, Policy, RowEvidence, Verdict};
use super::{Command, Question, Returned};

/// Outcome of a request, as derived from privileges, policies and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Privileges and policies allow the request for all rows.
    Allowed,
    /// Policies allow the request for some of the rows.
    Partly,
    /// The request fails with an error (status 401 without a session, 403 with a session).
    Refused,
    /// Rows match the request, but policies hide these rows from the caller: the response is empty.
    Hidden,
    /// No row matches the conditions, independently of the caller.
    NoRows,
    /// The outcome is unknown: the relation is a view, and the tables that the view reads determine the outcome.
    Unknown,
}

/// Cause of a request's outcome. The fields of a cause are flattened into an [`Explanation`] or a [`RowOutcome`], so the names of the
/// fields must differ from the field names of these types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "cause")]
#[expect(missing_docs, reason = "named for what they are")]
pub enum Cause {
    /// The database has no role with this name.
    Role { role: String },
    /// The caller's role lacks USAGE on the schema.
    Schema { schema: String, role: String },
    /// The caller's role lacks a privilege on the relation.
    Privilege { privilege: Command, role: String },
    /// The caller's role lacks a privilege on some columns.
    Columns { privilege: Command, role: String, columns: Vec<String> },
    /// Row-level security is enabled, and no permissive policy of the command applies to the caller's role.
    NoPolicy {
        #[serde(rename = "policy_command")]
        command: Command,
    },
    /// Permissive policies of the command apply to the caller's role, but the condition of none of these policies is true for the row.
    NotPermitted {
        #[serde(rename = "policy_command")]
        command: Command,
        clause: &'static str,
        #[serde(rename = "candidates")]
        policies: Vec<String>,
    },
    /// The condition of a restrictive policy is not true for the row.
    Restricted {
        #[serde(rename = "policy_command")]
        command: Command,
        clause: &'static str,
        policy: String,
    },
    /// The evaluation of a policy failed.
    PolicyFails { policy: String, error: String },
    /// The relation is a view, and the tables that the view reads determine the outcome. `runs_as` is the role with whose privileges the
    /// view reads these tables.
    View { runs_as: String },
    /// No row matches the conditions of the request.
    NoRows,
}

/// Result of evaluating one policy for one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// Name of the policy.
    pub policy: String,
    /// Command whose policies PostgreSQL applies to the row.
    pub command: Command,
    /// Clause of the policy that was evaluated: `USING` or `WITH CHECK`.
    pub clause: &'static str,
    /// Whether the policy is permissive instead of restrictive.
    pub is_permissive: bool,
    /// Condition of the policy as an SQL expression.
    pub condition: String,
    /// Result of the policy's condition.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Outcome of the request for one row.
#[derive(Clone, Debug, Serialize)]
pub struct RowOutcome {
    /// New row for a write, or else the existing row.
    pub row: Value,
    /// Outcome for this row.
    pub outcome: Outcome,
    /// Cause of the outcome; `None` if the row is allowed.
    #[serde(flatten)]
    pub cause: Option<Cause>,
    /// Results of all policies that were evaluated for this row.
    pub policies: Vec<Judged>,
    /// Names of the permissive policies whose conditions are not true for the row. If one of these conditions was true, the row would be
    /// allowed.
    pub would_be_enough: Vec<String>,
}

/// The explanation of a request's outcome.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// Relation as `schema.name`.
    pub relation: String,
    /// SQL command of the request.
    pub command: Command,
    /// Role of the caller.
    pub role: String,
    /// Claims of the caller, which policies can read.
    pub claims: Map<String, Value>,
    /// Outcome of the request.
    pub outcome: Outcome,
    /// Cause of the outcome; `None` if the request is allowed.
    #[serde(flatten)]
    pub cause: Option<Cause>,
    /// Number of rows that match the request's conditions, including rows that policies hide from the caller, counted up to 1,000; `None`
    /// if the rows were not counted.
    pub matching: Option<u64>,
    /// Number of matching rows that are visible to the caller, or PostgreSQL's error message. `None` if the rows were not counted.
    pub visible: Option<Result<u64, String>>,
    /// Outcomes of the request for the first matching rows.
    pub rows: Vec<RowOutcome>,
    /// Facts from the catalog about the relation and the role.
    pub facts: Facts,
    /// Notes in full sentences about facts that were not examined, for example the tables that a view reads.
    pub notes: Vec<String>,
}

/// Derives the outcome of the request in `question` from the privileges, policies and rows in `evidence`.
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

/// Returns the first missing privilege as cause, in the order in which PostgreSQL checks privileges.
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
        // A write that reads no column requires no SELECT privilege.
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
    // An error for one row ends the whole request, whereas a hidden row affects no other row.
    if let Some(refused) = rows.iter().find(|row| row.outcome == Outcome::Refused) {
        return (Outcome::Refused, refused.cause.clone());
    }
    let some_pass = rows.iter().any(|row| row.outcome == Outcome::Allowed);
    (if some_pass { Outcome::Partly } else { Outcome::Hidden }, failed.cause.clone())
}

/// A condition that PostgreSQL's policies impose on a row.
#[derive(Clone, Copy)]
enum Test {
    /// `USING` of the command's policies for the existing row. The statement skips a row for which this condition is false.
    Sees(Command),
    /// `WITH CHECK` of the command's policies for the new row. A row for which this condition is false raises an error.
    Checks(Command),
    /// `USING` of the SELECT policies for the new row, because the statement returns the row. A row for which this condition is false
    /// raises an error.
    ReadsBack,
}

/// Returns the policy conditions of a statement in the order in which PostgreSQL evaluates them (see the table in the documentation of
/// CREATE POLICY).
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

/// Returns the SQL condition that an existing row must meet so that the statement finds it. Returns `None` in two cases: no policy restricts the
/// statement, so that it finds all rows, or one of the commands whose policies apply (such as `SELECT` for an `UPDATE`) has no permissive policy,
/// so that it finds no row.
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

/// Returns the cause for which the evaluated policies reject a row, or `None` if the row passes.
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
