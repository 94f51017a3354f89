//! Second stage of explaining the outcome of a request: queries privileges, policies and rows from the database.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::explain::finds;
use super::probe::Probe;
use super::{Command, Question, Rows, Sessions, WhyError};
use crate::plan::tree::PlannedLogic;
use crate::sql::matching_rows;
use cloch_sql::client::{ClientError, Param};

/// Maximum number of rows for which each policy is evaluated.
const MAX_ROWS: u32 = 5;
/// Maximum number of matching rows that are counted, and searched for a row that policies hide from the caller.
const MAX_COUNT: u32 = 1_000;
/// Maximum size in bytes of a row's text. The search for a hidden row skips larger rows.
const MAX_ROW_BYTES: u32 = 8 * 1024;

/// Facts from PostgreSQL's catalog about a relation and the caller's role.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Facts {
    /// Whether the caller's role exists.
    pub role_exists: bool,
    /// Whether the caller's role bypasses all policies (`BYPASSRLS` or superuser).
    pub bypasses: bool,
    /// Whether the caller's role is the relation's owner, or is a member of the owner and has the owner's rights. Policies then apply only
    /// with `FORCE ROW LEVEL SECURITY`.
    pub owns: bool,
    /// Name of the relation's owner.
    pub owner: String,
    /// Kind of the relation: `table`, `view`, `materialized view` or `foreign table`.
    pub kind: String,
    /// Whether a view reads its tables with the caller's privileges (`security_invoker`).
    pub runs_as_caller: bool,
    /// Whether row-level security is enabled for the relation.
    pub rls: bool,
    /// Whether row-level security also applies to the owner of the relation (`FORCE ROW LEVEL SECURITY`).
    pub forced: bool,
    /// Whether the caller's role has USAGE on the schema of the relation.
    pub schema_usage: bool,
    /// Privileges of the caller's role on the whole relation, such as `SELECT`.
    pub privileges: Vec<String>,
    /// Columns of the relation.
    pub columns: Vec<Column>,
    /// Policies of the relation.
    pub policies: Vec<Policy>,
    /// Names of the triggers that may change a row before it is written.
    pub triggers: Vec<String>,
}

impl Facts {
    /// Whether policies apply to the caller's role.
    #[must_use]
    pub fn policies_apply(&self) -> bool {
        self.rls && !self.bypasses && (!self.owns || self.forced)
    }
}

/// A column of the relation.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Column {
    /// Name of the column.
    pub name: String,
    /// Data type of the column.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Default or generation expression in SQL, or `None` if the column has neither.
    pub default: Option<String>,
    /// Whether PostgreSQL computes the value: a generated column or an identity column.
    pub is_computed: bool,
    /// Privileges of the caller's role on the column, such as `SELECT`.
    pub privileges: Vec<String>,
}

/// A row-level security policy.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Policy {
    /// Name of the policy.
    pub name: String,
    /// Whether the policy is permissive. A row passes if the condition of at least one permissive policy and the conditions of all
    /// restrictive policies are true.
    pub is_permissive: bool,
    /// Command of the policy; `None` for all commands.
    pub command: Option<String>,
    /// Names of the roles to which the policy applies.
    pub roles: Vec<String>,
    /// Whether the policy applies to the caller's role.
    pub applies: bool,
    /// `USING` expression of the policy in SQL; `None` if the policy has no `USING`.
    pub using: Option<String>,
    /// `WITH CHECK` expression of the policy in SQL; `None` if the policy has no `WITH CHECK`.
    pub check: Option<String>,
}

impl Policy {
    /// Whether the policy applies to this command.
    #[must_use]
    pub fn is_for(&self, command: Command) -> bool {
        self.command.as_deref().is_none_or(|own| own == command.keyword())
    }

    /// Returns the condition on a written row: `WITH CHECK`, or `USING` if the policy has no `WITH CHECK`.
    #[must_use]
    pub fn check_or_using(&self) -> Option<&str> {
        self.check.as_deref().or(self.using.as_deref())
    }
}

/// Result of a policy's condition for a single row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "value", content = "error")]
pub enum Verdict {
    /// The condition is true.
    True,
    /// The condition is false.
    False,
    /// The condition is NULL, which counts as false.
    Null,
    /// The evaluation failed with this message. PostgreSQL would fail the whole request in this case.
    Error(String),
}

/// Results of all policies for one row. Each list has one entry per policy, in the order of [`Facts::policies`]. An entry is `None` if the
/// policy has no such condition or if the condition was not evaluated.
#[derive(Clone, Debug, Default)]
pub struct RowEvidence {
    /// Existing row; `None` for an INSERT.
    pub old: Option<Value>,
    /// New row; `None` if the command writes no row.
    pub new: Option<Value>,
    /// Results of the policies' `USING` conditions for the existing row.
    pub using_old: Vec<Option<Verdict>>,
    /// Results of the policies' `WITH CHECK` conditions for the new row. A policy without `WITH CHECK` is represented by the result of its
    /// `USING` condition.
    pub check_new: Vec<Option<Verdict>>,
    /// Results of the policies' `USING` conditions for the new row, which apply if the statement returns the row.
    pub using_new: Vec<Option<Verdict>>,
}

/// Facts about the relation and the caller's role, and rows of the relation. The outcome of a request is derived from this evidence.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Facts from the catalog about the relation and the role.
    pub facts: Facts,
    /// Number of rows that match the request's conditions, including rows that policies hide from the caller, counted up to [`MAX_COUNT`];
    /// `None` if the rows were not counted.
    pub matching: Option<u64>,
    /// Number of matching rows that are visible to the caller, or the error message of PostgreSQL. `None` if the rows were not counted.
    pub visible: Option<Result<u64, String>>,
    /// Results of the policies for the first rows that match the request's conditions; for an INSERT, for the new row.
    pub rows: Vec<RowEvidence>,
    /// Notes in full sentences about facts that were not examined, for example the tables that a view reads.
    pub notes: Vec<String>,
}

/// Reads from the database the privileges, policies and rows that explain the outcome of the request in `question`.
pub(super) async fn gather(sessions: &mut Sessions, question: &Question) -> Result<Evidence, WhyError> {
    let relation = &question.relation;
    let mut probe = Probe::new(sessions, question);
    let names = [relation.schema.clone(), relation.name.clone(), question.caller.role().to_owned()];
    let params: Vec<Param> = names.into_iter().map(Param::unknown).collect();
    let Some(facts) = probe.as_reader(include_str!("facts.sql"), &params).await?.into_iter().flatten().next() else {
        return Err(WhyError::NoRelation(format!("{}.{}", relation.schema, relation.name)));
    };
    let facts: Facts =
        serde_json::from_str(&facts).map_err(|error| WhyError::Request(format!("the catalog's facts: {error}")))?;
    let mut evidence = Evidence { facts, matching: None, visible: None, rows: Vec::new(), notes: Vec::new() };
    if !evidence.facts.role_exists {
        return Ok(evidence);
    }
    let mut old = Vec::new();
    match &question.rows {
        _ if question.command == Command::Insert => {}
        Rows::Given(row) => old.push(probe.record(None, row).await?),
        Rows::Matching(conditions) => {
            let count = matching_rows(relation, conditions, true, MAX_COUNT);
            let all = probe.as_reader(&count.text, &count.params).await?;
            evidence.matching = number(&all);
            if evidence.facts.schema_usage {
                evidence.visible = match probe.as_caller(&count.text, &count.params).await {
                    Ok(rows) => number(&rows).map(Ok),
                    Err(ClientError::Db(error)) => Some(Err(error.message)),
                    Err(error) => return Err(error.into()),
                };
            }
            if evidence.facts.kind == "table" {
                let rows = matching_rows(relation, conditions, false, MAX_ROWS);
                let rows = probe.as_reader(&rows.text, &rows.params).await?;
                old.extend(rows.into_iter().flatten());
                if evidence.matching > Some(MAX_ROWS.into()) && evidence.facts.schema_usage {
                    let hidden = first_hidden(&mut probe, &evidence.facts, question, conditions).await?;
                    old.extend(hidden.filter(|row| !old.contains(row)));
                }
            }
        }
    }
    if evidence.facts.kind != "table" || !evidence.facts.schema_usage {
        return Ok(evidence);
    }
    if question.command == Command::Insert {
        let values = with_defaults(&mut probe, &mut evidence, &question.values).await?;
        let new = probe.record(None, &values).await?;
        evidence.rows.push(row(&mut probe, &evidence.facts, question, None, Some(&new)).await?);
    }
    for old in old {
        let new = match question.command {
            Command::Update => Some(probe.record(Some(&old), &question.values).await?),
            _ => None,
        };
        evidence.rows.push(row(&mut probe, &evidence.facts, question, Some(&old), new.as_deref()).await?);
    }
    if matches!(question.command, Command::Insert | Command::Update) && !evidence.facts.triggers.is_empty() {
        let triggers = evidence.facts.triggers.join(", ");
        evidence
            .notes
            .push(format!("Triggers may change the row before the policies see it; they were not run: {triggers}"));
    }
    Ok(evidence)
}

/// Searches the matching rows for the first row that policies hide from the caller. The search is needed because each policy is evaluated
/// only for the first rows, and these may all be visible.
async fn first_hidden(
    probe: &mut Probe<'_>,
    facts: &Facts,
    question: &Question,
    conditions: &[PlannedLogic],
) -> Result<Option<String>, WhyError> {
    let Some(condition) = finds(question, facts).filter(|_| facts.policies_apply()) else { return Ok(None) };
    let rows = matching_rows(&question.relation, conditions, false, MAX_COUNT);
    let text = format!(
        "select record from ({}) as matching (record) where octet_length(record) <= {MAX_ROW_BYTES}",
        rows.text
    );
    let rows: Vec<String> = probe.as_reader(&text, &rows.params).await?.into_iter().flatten().collect();
    Ok(probe.first_failing(&condition, &rows).await?)
}

fn number(rows: &[Option<String>]) -> Option<u64> {
    rows.first()?.as_ref()?.parse().ok()
}

/// Returns the row of an INSERT: the given values, and the defaults of other columns. If the evaluation of a default fails, for example
/// because `nextval` is not allowed in a read-only transaction, the column becomes null and a note is added to `evidence`.
async fn with_defaults(
    probe: &mut Probe<'_>,
    evidence: &mut Evidence,
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, WhyError> {
    let mut row = given.clone();
    for column in &evidence.facts.columns {
        let Some(default) = &column.default else { continue };
        if given.contains_key(&column.name) || column.is_computed {
            continue;
        }
        match probe.expression(default).await {
            Ok(value) => _ = row.insert(column.name.clone(), value),
            Err(ClientError::Db(error)) => {
                evidence.notes.push(format!("{} is taken as null: {default}: {}", column.name, error.message));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(row)
}

/// Evaluates the policies for the request's command and for SELECT that apply to the caller's role, for the existing row `old` and the new
/// row `new`.
async fn row(
    probe: &mut Probe<'_>,
    facts: &Facts,
    question: &Question,
    old: Option<&str>,
    new: Option<&str>,
) -> Result<RowEvidence, WhyError> {
    let mut row = RowEvidence::default();
    if let Some(old) = old {
        row.old = Some(probe.shown(old).await?);
    }
    if let Some(new) = new {
        row.new = Some(probe.shown(new).await?);
    }
    if !facts.policies_apply() {
        return Ok(row);
    }
    for policy in &facts.policies {
        let concerns = policy.applies && (policy.is_for(question.command) || policy.is_for(Command::Select));
        let using = policy.using.as_deref().filter(|_| concerns);
        let check = policy.check_or_using().filter(|_| policy.applies && policy.is_for(question.command));
        row.using_old.push(verdict(probe, using, old).await?);
        row.check_new.push(verdict(probe, check, new).await?);
        row.using_new.push(verdict(probe, using, new).await?);
    }
    Ok(row)
}

async fn verdict(
    probe: &mut Probe<'_>,
    condition: Option<&str>,
    record: Option<&str>,
) -> Result<Option<Verdict>, ClientError> {
    match (condition, record) {
        (Some(condition), Some(record)) => probe.verdict(condition, record).await.map(Some),
        _ => Ok(None),
    }
}
