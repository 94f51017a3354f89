//! Advisors: lints of a project's schema. Each lint is a catalog query that returns one row per finding, if possible with the SQL that
//! fixes the finding.
//!
//! The queries read only the catalog and the statistics, in a read-only transaction. [`advise`] runs the queries; [`Report`] separates the
//! findings that the project ignores.

mod catalogue;
mod ignore;
mod open_to_anon;

use serde::Serialize;
use serde_json::{Map, Value, json};
use sqlx::{Connection, PgConnection, Row};

pub use catalogue::LINTS;
pub use ignore::{Ignore, Report};
pub use open_to_anon::tables_open_to_anon;

/// Statement timeout of each lint query. (On the largest catalogs, all lints together need a few seconds.)
const LINT_TIMEOUT: &str = "20s";

/// A lint: a rule about a project's schema.
#[derive(Debug)]
pub struct Lint {
    /// Name of the lint in the Management API.
    pub name: &'static str,
    /// Short title of the lint.
    pub title: &'static str,
    /// Severity of the lint's findings.
    pub level: Level,
    /// Advisor that reports the lint.
    pub category: Category,
    /// Explanation of the problem that the lint detects.
    pub description: &'static str,
    /// Instructions for fixing a finding, as text.
    pub remediation: &'static str,
    /// SQL query of the lint. The parameter `$1` is the list of schemas that the table REST API exposes. The query returns the columns
    /// `schema`, `name`, `type`, `detail`, `fix` and `extra`.
    sql: &'static str,
}

/// Severity of a finding; the most severe level sorts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// The finding is a security hole or a serious defect.
    Error,
    /// The finding probably describes a mistake, for example a policy that is always true.
    Warn,
    /// The finding may describe something that is intended, for example an unused index.
    Info,
}

/// Category of a lint. Each category has an endpoint in the Management API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Category {
    /// Lints about access to data.
    Security,
    /// Lints about query time and disk space.
    Performance,
}

/// Finding of a lint, in the JSON shape of the Management API.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Name of the lint.
    pub name: &'static str,
    /// Title of the lint.
    pub title: &'static str,
    /// Severity of the finding.
    pub level: Level,
    /// Always `EXTERNAL`: the finding concerns users of the project.
    pub facing: &'static str,
    /// Advisor categories of the lint.
    pub categories: [Category; 1],
    /// Explanation of the problem that the lint detects.
    pub description: &'static str,
    /// Description of this finding.
    pub detail: String,
    /// Instructions for fixing the finding, as text.
    pub remediation: &'static str,
    /// `schema`, `name` and `type` of the affected object, and the fields in the column `extra` of the lint query.
    pub metadata: Map<String, Value>,
    /// Identifier of the finding: the lint, the object and the details that distinguish the finding from others. Unique among all findings.
    pub cache_key: String,
    /// SQL that fixes the finding; `None` if the fix needs a person's decision.
    pub fix: Option<String>,
}

impl Finding {
    /// Returns the affected object as `schema.name`.
    #[must_use]
    pub fn entity(&self) -> String {
        let text = |key: &str| self.metadata.get(key).and_then(Value::as_str).unwrap_or_default();
        format!("{}.{}", text("schema"), text("name"))
    }
}

/// Runs all lints and returns their findings, sorted by level, name and `cache_key`. `schemas` are the schemas that the table REST API
/// exposes.
///
/// # Errors
/// Fails if the database does not respond or a lint query exceeds its timeout.
pub async fn advise(connection: &mut PgConnection, schemas: &[String]) -> sqlx::Result<Vec<Finding>> {
    findings(connection, schemas, &LINTS).await
}

/// Runs the given lints in a read-only transaction and returns their findings, sorted by level, name and `cache_key`. `schemas` are the
/// schemas that the table REST API exposes.
async fn findings(connection: &mut PgConnection, schemas: &[String], lints: &[Lint]) -> sqlx::Result<Vec<Finding>> {
    let mut transaction = connection.begin().await?;
    // With an empty search_path, PostgreSQL prints names in expressions with their schemas.
    sqlx::raw_sql("set transaction read only").execute(&mut *transaction).await?;
    sqlx::query("select set_config('search_path', '', true), set_config('statement_timeout', $1, true)")
        .bind(LINT_TIMEOUT)
        .execute(&mut *transaction)
        .await?;
    let mut findings = Vec::new();
    for lint in lints {
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
            // The cache key includes the fields that distinguish several findings of one lint on the same table.
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
