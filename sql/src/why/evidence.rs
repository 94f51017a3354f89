//! The second stage: what the database says.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::explain::finds;
use super::probe::Probe;
use super::{Command, Question, Rows, Sessions, WhyError};
use crate::client::{ClientError, Param};
use crate::rest::plan::tree::PlannedLogic;
use crate::rest::sql::matching_rows;

/// Rows that are looked at one by one.
const MAX_ROWS: u32 = 5;
/// Rows that are counted, and looked through for one that policies hide.
const MAX_COUNT: u32 = 1_000;
/// Bytes of a row that is looked through.
const MAX_ROW_BYTES: u32 = 8 * 1024;

/// The catalog's facts about a relation and a role.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Facts {
    /// Whether the role is there.
    pub role_exists: bool,
    /// Whether the role passes all policies (`BYPASSRLS`, superuser).
    pub bypasses: bool,
    /// Whether the role is a member of the relation's owner, to whom policies apply only where they are forced.
    pub owns: bool,
    /// The owner.
    pub owner: String,
    /// `table`, `view`, `materialized view` or `foreign table`.
    pub kind: String,
    /// Of a view: whether its tables are read as the caller.
    pub runs_as_caller: bool,
    /// Whether row-level security is on.
    pub rls: bool,
    /// Whether it is forced on the owner.
    pub forced: bool,
    /// Whether the role may use the schema.
    pub schema_usage: bool,
    /// The commands that the role may use on the whole relation.
    pub privileges: Vec<String>,
    /// The columns.
    pub columns: Vec<Column>,
    /// The policies.
    pub policies: Vec<Policy>,
    /// Triggers that may change a row before it is written.
    pub triggers: Vec<String>,
}

impl Facts {
    /// Whether policies decide.
    #[must_use]
    pub fn policies_apply(&self) -> bool {
        self.rls && !self.bypasses && (!self.owns || self.forced)
    }
}

/// A column.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Its default, or how it is computed, in SQL.
    pub default: Option<String>,
    /// Whether it is generated or an identity: PostgreSQL makes the value.
    pub is_computed: bool,
    /// What the role may do with it.
    pub privileges: Vec<String>,
}

/// A policy.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Permissive ones add up, restrictive ones all have to hold.
    pub is_permissive: bool,
    /// Its command; `None` for all.
    pub command: Option<String>,
    /// Its roles.
    pub roles: Vec<String>,
    /// Whether the caller's role is among them.
    pub applies: bool,
    /// Its `USING` in SQL.
    pub using: Option<String>,
    /// Its `WITH CHECK` in SQL.
    pub check: Option<String>,
}

impl Policy {
    /// Whether it is for this command.
    #[must_use]
    pub fn is_for(&self, command: Command) -> bool {
        self.command.as_deref().is_none_or(|own| own == command.keyword())
    }

    /// The condition on a row that is written: `WITH CHECK`, or `USING` without one.
    #[must_use]
    pub fn check_or_using(&self) -> Option<&str> {
        self.check.as_deref().or(self.using.as_deref())
    }
}

/// What a condition says of a row, alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "value", content = "error")]
pub enum Verdict {
    /// It holds.
    True,
    /// It does not.
    False,
    /// It is unknown, which counts as false.
    Null,
    /// It cannot be evaluated, which fails the whole request.
    Error(String),
}

/// What the policies say of one row, in the order of [`Facts::policies`]; `None` for a condition that a policy lacks or that was not
/// asked for.
#[derive(Clone, Debug, Default)]
pub struct RowEvidence {
    /// The row as it is; `None` for an insertion.
    pub old: Option<Value>,
    /// The row as it would be; `None` where nothing is written.
    pub new: Option<Value>,
    /// `USING` over the old row.
    pub using_old: Vec<Option<Verdict>>,
    /// `WITH CHECK`, or `USING` without one, over the new row.
    pub check_new: Vec<Option<Verdict>>,
    /// `USING` over the new row: where it is read back.
    pub using_new: Vec<Option<Verdict>>,
}

/// All that the database says.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The catalog's facts.
    pub facts: Facts,
    /// The rows that match, whoever asks; [`MAX_COUNT`] at most. `None` for an insertion.
    pub matching: Option<u64>,
    /// Those of them that the caller sees; the message where it is refused.
    pub visible: Option<Result<u64, String>>,
    /// The first rows.
    pub rows: Vec<RowEvidence>,
    /// What is left out, in words.
    pub notes: Vec<String>,
}

/// Asks the database.
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

/// The first of the rows that match which policies hide from the caller: those that are looked at one by one may all be seen.
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

/// The row of an insertion: what is given, else the columns' defaults. Sequences are left alone.
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

/// Evaluates each policy that applies.
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
