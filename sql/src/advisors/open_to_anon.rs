//! Tables that everybody with the public key can read: findings of the lint `rls_disabled_in_public`, limited to tables that role `anon`
//! can read.

use sqlx::PgConnection;

use super::{Finding, LINTS, Lint};

const LINT: &str = "rls_disabled_in_public";

/// SQL query of the lint `rls_disabled_in_public` with one more condition: role `anon` can read the table (`anon_reads` of
/// `lints/common.sql`). The query ends with its conditions, so the condition can be appended to it.
const SQL: &str =
    concat!(include_str!("lints/common.sql"), include_str!("lints/rls_disabled_in_public.sql"), " and anon_reads");

/// Returns the findings of `rls_disabled_in_public` for tables that role `anon` can read, sorted by name. `schemas` are the schemas that the
/// table REST API exposes.
///
/// # Errors
/// Fails if the database does not respond or the query exceeds its timeout.
pub async fn tables_open_to_anon(connection: &mut PgConnection, schemas: &[String]) -> sqlx::Result<Vec<Finding>> {
    let lints: Vec<Lint> =
        LINTS.iter().filter(|lint| lint.name == LINT).map(|lint| Lint { sql: SQL, ..*lint }).collect();
    super::findings(connection, schemas, &lints).await
}
