//! Advisors: rules about a project's schema, each a query of the catalog whose rows are what breaks it, with the statement that fixes it.
//!
//! The queries read the catalog and the statistics only, in a transaction that cannot write. [`advise`] runs them; [`Report`] sets apart
//! what the project ignores, and why.

mod catalogue;
mod ignore;

use serde::Serialize;
use serde_json::{Map, Value, json};
use sqlx::{Connection, PgConnection, Row};

pub use catalogue::LINTS;
pub use ignore::{Ignore, Report};

/// A rule takes this long at most; the largest catalogs need some seconds for all of them.
const LINT_TIMEOUT: &str = "20s";

/// One rule.
#[derive(Debug)]
pub struct Lint {
    /// Its name, as clients know it.
    pub name: &'static str,
    /// What it is about, in a few words.
    pub title: &'static str,
    /// How bad a breach is.
    pub level: Level,
    /// Which advisor has it.
    pub category: Category,
    /// Why there is such a rule.
    pub description: &'static str,
    /// What fixes a breach, in words.
    pub remediation: &'static str,
    /// The query: `$1` is the list of exposed schemas; columns `schema`, `name`, `type`, `detail`, `fix` and `extra`.
    sql: &'static str,
}

/// How bad a breach of a rule is. The worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// A hole.
    Error,
    /// What is probably not meant.
    Warn,
    /// What may be meant.
    Info,
}

/// The advisors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Category {
    /// Who can read or write what.
    Security,
    /// Time and space.
    Performance,
}

/// One breach of a rule, in the shape of the Management API.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The rule's name.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Its level.
    pub level: Level,
    /// `EXTERNAL`: it concerns who uses the project.
    pub facing: &'static str,
    /// Its advisor.
    pub categories: [Category; 1],
    /// Why there is such a rule.
    pub description: &'static str,
    /// What breaks it here.
    pub detail: String,
    /// What fixes it, in words.
    pub remediation: &'static str,
    /// `schema`, `name` and `type` of what breaks it, and what else the rule knows.
    pub metadata: Map<String, Value>,
    /// Names this finding among all.
    pub cache_key: String,
    /// The SQL that fixes it; `None` where a person has to decide.
    pub fix: Option<String>,
}

impl Finding {
    /// What breaks the rule: `schema.name`.
    #[must_use]
    pub fn entity(&self) -> String {
        let text = |key: &str| self.metadata.get(key).and_then(Value::as_str).unwrap_or_default();
        format!("{}.{}", text("schema"), text("name"))
    }
}

/// Everything that breaks a rule, the worst first, then by what it is. `schemas` are those that the table REST exposes.
///
/// # Errors
/// When the database does not answer, or a rule takes too long.
pub async fn advise(connection: &mut PgConnection, schemas: &[String]) -> sqlx::Result<Vec<Finding>> {
    let mut transaction = connection.begin().await?;
    // With an empty search_path, names in expressions have their schemas.
    sqlx::raw_sql("set transaction read only").execute(&mut *transaction).await?;
    sqlx::query("select set_config('search_path', '', true), set_config('statement_timeout', $1, true)")
        .bind(LINT_TIMEOUT)
        .execute(&mut *transaction)
        .await?;
    let mut findings = Vec::new();
    for lint in &LINTS {
        let rows = sqlx::query(lint.sql).bind(schemas).fetch_all(&mut *transaction).await?;
        for row in rows {
            findings.push(lint.finding(&row)?);
        }
    }
    transaction.rollback().await?;
    findings.sort_by(|a, b| (a.level, a.name, &a.cache_key).cmp(&(b.level, b.name, &b.cache_key)));
    Ok(findings)
}

impl Lint {
    fn finding(&self, row: &sqlx::postgres::PgRow) -> sqlx::Result<Finding> {
        let (schema, name, kind): (String, String, String) =
            (row.try_get("schema")?, row.try_get("name")?, row.try_get("type")?);
        let extra: Value = row.try_get("extra")?;
        let mut metadata = Map::from_iter([
            ("schema".to_owned(), json!(schema)),
            ("name".to_owned(), json!(name)),
            ("type".to_owned(), json!(kind)),
        ]);
        let mut cache_key = format!("{}_{schema}_{name}", self.name);
        if let Value::Object(extra) = extra {
            // What tells several findings on one table apart.
            for key in ["policy", "fkey_name", "index", "column", "command", "arguments", "indexes", "policies"] {
                match extra.get(key) {
                    Some(Value::String(text)) => cache_key.extend(["_", text]),
                    Some(other) => cache_key.extend(["_", &other.to_string()]),
                    None => {}
                }
            }
            metadata.extend(extra);
        }
        Ok(Finding {
            name: self.name,
            title: self.title,
            level: self.level,
            facing: "EXTERNAL",
            categories: [self.category],
            description: self.description,
            detail: row.try_get("detail")?,
            remediation: self.remediation,
            metadata,
            cache_key,
            fix: row.try_get("fix")?,
        })
    }
}
