//! Prevents a superuser's session from reading views that the project may have created. A function in a view runs with the rights of the
//! role that reads the view, and the project's owner may replace the migration history or storage's tables by views. The setting
//! `restrict_nonsystem_relation_kind`, which PostgreSQL introduced for pg_dump (CVE-2024-7348), exists in versions 15.8, 16.4, 17 and
//! later.

use sqlx::PgConnection;

const READ_NO_VIEWS: &str = "select set_config(name, 'view, foreign-table', false) from pg_catalog.pg_settings
                              where name = 'restrict_nonsystem_relation_kind'";

/// Makes PostgreSQL refuse statements that read a view or a foreign table, until the session of `connection` ends.
///
/// # Errors
/// Fails if the connection breaks.
pub async fn read_no_views(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query(READ_NO_VIEWS).execute(connection).await.map(drop)
}
