//! Runs the SQL statements that collect the evidence for an explanation. Each statement runs in a separate read-only transaction, which is
//! rolled back.

use serde_json::{Map, Value};

use super::{Question, Sessions, Verdict};
use crate::sql::quoted;
use cloch_sql::client::{BatchStatement, ClientError, Connection, Param, Rows};

/// Timeout of an SQL statement of an explanation, because the statement may evaluate policies of the project.
const TIMEOUT: &str = "5s";
/// Value of `search_path` for statements with the caller's role: the same schemas as in transactions of the APIs.
const SEARCH_PATH: &str = "public, extensions";

/// Runs SQL statements in the database session that bypasses row-level security (`reader`), or in the database session with the caller's
/// role.
pub(super) struct Probe<'a> {
    sessions: &'a mut Sessions,
    question: &'a Question,
    /// Quoted name of the relation with its schema.
    relation: String,
    /// Quoted name of the relation without its schema, which the expressions of policies use.
    alias: String,
}

impl<'a> Probe<'a> {
    pub(super) fn new(sessions: &'a mut Sessions, question: &'a Question) -> Self {
        let alias = quoted(&question.relation.name);
        let relation = format!("{}.{alias}", quoted(&question.relation.schema));
        Self { sessions, question, relation, alias }
    }

    /// Returns the first column of a statement's rows. Runs in the database session `reader`, which bypasses row-level security.
    pub(super) async fn as_reader(&mut self, sql: &str, params: &[Param]) -> Result<Vec<Option<String>>, ClientError> {
        let settings = settings("", Vec::new());
        run(&mut self.sessions.reader, "", settings, sql, params).await
    }

    /// Returns the first column of a statement's rows. Runs in the database session with the caller's role and claims.
    pub(super) async fn as_caller(&mut self, sql: &str, params: &[Param]) -> Result<Vec<Option<String>>, ClientError> {
        let role = self.question.caller.role();
        let mut of_caller = vec![("request.jwt.claims".to_owned(), self.question.caller.claims_json().to_owned())];
        of_caller.extend(self.question.settings.iter().cloned());
        of_caller.push(("role".to_owned(), role.to_owned()));
        run(&mut self.sessions.caller, role, settings(SEARCH_PATH, of_caller), sql, params).await
    }

    async fn one(&mut self, sql: &str, params: &[Param]) -> Result<String, ClientError> {
        Ok(self.as_reader(sql, params).await?.into_iter().flatten().next().unwrap_or_default())
    }

    /// Returns a row of the relation in PostgreSQL's text format. `values` override the values of the row `base`; without `base`, other
    /// columns are NULL.
    pub(super) async fn record(
        &mut self,
        base: Option<&str>,
        values: &Map<String, Value>,
    ) -> Result<String, ClientError> {
        let relation = &self.relation;
        let sql = format!("select jsonb_populate_record($1::{relation}, $2::jsonb)::text");
        let values = Value::Object(values.clone()).to_string();
        self.one(&sql, &[Param::nullable(base.map(str::to_owned)), Param::unknown(values)]).await
    }

    /// Converts a row from PostgreSQL's text format to JSON.
    pub(super) async fn shown(&mut self, record: &str) -> Result<Value, ClientError> {
        let sql = format!("select to_jsonb($1::{})::text", self.relation);
        let text = self.one(&sql, &[Param::unknown(record.to_owned())]).await?;
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Evaluates the default of a column, an SQL expression from the catalog, with the caller's role.
    pub(super) async fn expression(&mut self, default: &str) -> Result<Value, ClientError> {
        let text = self.as_caller(&format!("select to_jsonb({default})::text"), &[]).await?;
        let text = text.into_iter().flatten().next();
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// Evaluates the condition of a policy, an SQL expression from the catalog, for a given row. The row is a parameter, so that row-level
    /// security does not hide it.
    pub(super) async fn verdict(&mut self, condition: &str, record: &str) -> Result<Verdict, ClientError> {
        let sql = format!("select ({condition})::text from (select ($1::{}).*) as {}", self.relation, self.alias);
        match self.as_caller(&sql, &[Param::unknown(record.to_owned())]).await {
            Ok(rows) => Ok(match rows.first().and_then(Option::as_deref) {
                Some("true") => Verdict::True,
                Some(_) => Verdict::False,
                None => Verdict::Null,
            }),
            Err(ClientError::Db(error)) if !error.fatal => Ok(Verdict::Error(error.message)),
            Err(error) => Err(error),
        }
    }

    /// Returns the first of `records` for which the condition is not true, or `None` if the condition is true for all. Also returns `None`
    /// if the condition cannot be evaluated: the evidence about the first rows then already contains the error.
    pub(super) async fn first_failing(
        &mut self,
        condition: &str,
        records: &[String],
    ) -> Result<Option<String>, ClientError> {
        let (relation, alias) = (&self.relation, &self.alias);
        let sql = format!(
            "select given from unnest($1::text[]) with ordinality as records (given, place)
              where not coalesce((select {condition} from (select (given::{relation}).*) as {alias}), false) order by place limit 1"
        );
        match self.as_caller(&sql, &[Param::texts(records)]).await {
            Ok(rows) => Ok(rows.into_iter().flatten().next()),
            Err(ClientError::Db(error)) if !error.fatal => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn settings(search_path: &str, more: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut settings =
        vec![("statement_timeout".to_owned(), TIMEOUT.to_owned()), ("search_path".to_owned(), search_path.to_owned())];
    settings.extend(more);
    settings
}

async fn run(
    connection: &mut Connection,
    role: &str,
    settings: Vec<(String, String)>,
    sql: &str,
    params: &[Param],
) -> Result<Vec<Option<String>>, ClientError> {
    let (names, values): (Vec<String>, Vec<String>) = settings.into_iter().unzip();
    let settings = [Param::texts(&names), Param::texts(&values)];
    let mut rows = Rows::default();
    let mut steps = [
        BatchStatement::silent("begin read only", &[]),
        BatchStatement::silent(
            "select count(set_config(name, value, true)) from unnest($1::text[], $2::text[]) as s (name, value)",
            &settings,
        ),
        BatchStatement { sql, params, sink: Some(&mut rows) },
        BatchStatement::silent("rollback", &[]),
    ];
    connection.run(role, &mut steps).await?;
    Ok(rows.rows().iter().map(|row| row.text(0).map(str::to_owned)).collect())
}
