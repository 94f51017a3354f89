//! Counts the objects and rows of a database, to verify that an upgrade preserves them.

use std::collections::BTreeMap;

use cloch_backup::row_counts;
use cloch_sql::database::Login;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row};

use crate::error::CommandError;

/// Maximum number of differences in an error message.
const MAX_SHOWN: usize = 5;

/// Numbers of a database's objects of each kind, and of the rows of each table. A key is a kind of object, or `rows of TABLE`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Contents(BTreeMap<String, i64>);

impl Contents {
    /// Counts roles, functions, policies, triggers, constraints, indexes, and the rows of each table.
    pub(super) async fn read(login: &Login) -> sqlx::Result<Self> {
        let mut connection = login.sqlx_options().connect().await?;
        let rows = sqlx::query(
            "with own as (select oid, nspname from pg_namespace
                           where nspname not in ('pg_catalog', 'information_schema') and nspname !~ '^pg_(toast|temp)')
             select 'roles', count(*) from pg_roles where rolname !~ '^pg_'
             union all select 'databases', count(*) from pg_database
             union all select 'functions of ' || nspname, count(*) from pg_proc join own on own.oid = pronamespace group by nspname
             union all select 'policies', count(*) from pg_policy
             union all select 'triggers', count(*) from pg_trigger where not tgisinternal
             union all select 'indexes of ' || nspname, count(*) from pg_class join own on own.oid = relnamespace where relkind = 'i' group by nspname
             union all select 'views of ' || nspname, count(*) from pg_class join own on own.oid = relnamespace where relkind in ('v', 'm') group by nspname
             union all select 'constraints', count(*) from pg_constraint join own on own.oid = connamespace where contype <> 'n'
             union all select 'settings', count(*) from pg_db_role_setting",
        )
        .fetch_all(&mut connection)
        .await?;
        let mut counts = BTreeMap::new();
        for row in rows {
            counts.insert(row.try_get(0)?, row.try_get(1)?);
        }
        let of_tables = row_counts::read(&mut connection).await?;
        counts.extend(of_tables.into_iter().map(|(table, number)| (format!("rows of {table}"), number)));
        connection.close().await?;
        Ok(Self(counts))
    }

    /// Returns an error with the differences if the numbers of objects and rows differ.
    pub(super) fn compare(&self, other: &Self) -> Result<(), CommandError> {
        let different = row_counts::differences(&self.0, &other.0);
        if different.is_empty() {
            return Ok(());
        }
        Err(different.iter().take(MAX_SHOWN).cloned().collect::<Vec<_>>().join("; ").into())
    }

    /// Returns a sentence with the numbers of tables, rows, users and files.
    pub(super) fn summary(&self) -> String {
        let rows_of = |table: &str| self.0.get(&format!("rows of {table}")).copied().unwrap_or(0);
        let tables = self.0.iter().filter(|(name, _)| name.starts_with("rows of "));
        let (count, rows) = tables.fold((0, 0), |(count, rows), (_, number)| (count + 1, rows + number));
        let (users, files) = (rows_of("auth.users"), rows_of("storage.objects"));
        format!("{count} tables with {rows} rows as before, {users} users and {files} files among them")
    }
}

/// Resets the privileges of `pg_logical_emit_message` to PostgreSQL's defaults: another PostgreSQL version has this function with other
/// arguments, so pg_upgrade cannot transfer changed privileges. Each start of the server revokes the privileges again (`server_role.sql`).
pub(super) async fn reset_catalog_rights(login: &Login) -> sqlx::Result<()> {
    const RESET: &str = "do $$
        declare
          emit regprocedure;
        begin
          for emit in select oid from pg_catalog.pg_proc where proname = 'pg_logical_emit_message' loop
            execute pg_catalog.format('grant execute on function %s to public', emit);
            execute pg_catalog.format('revoke execute on function %s from postgres', emit);
          end loop;
        end;
        $$";
    let mut connection = login.sqlx_options().connect().await?;
    sqlx::raw_sql(RESET).execute(&mut connection).await?;
    connection.close().await
}

/// Creates planner statistics, which pg_upgrade does not copy, and updates extensions to the installed versions. Returns one sentence for
/// each failed update.
pub(super) async fn freshen(login: &Login) -> sqlx::Result<Vec<String>> {
    let mut connection = login.sqlx_options().connect().await?;
    let mut problems = Vec::new();
    let outdated: Vec<String> = sqlx::query_scalar(
        "select quote_ident(e.extname) from pg_extension e join pg_available_extensions a on a.name = e.extname
          where e.extversion <> 'stand-in' and a.default_version <> e.extversion and a.default_version <> 'stand-in'",
    )
    .fetch_all(&mut connection)
    .await?;
    for name in outdated {
        let update = sqlx::raw_sql(AssertSqlSafe(format!("alter extension {name} update")));
        if let Err(error) = update.execute(&mut connection).await {
            problems.push(format!("The extension {name} stays in its older version: {error}"));
        }
    }
    sqlx::raw_sql("analyze").execute(&mut connection).await?;
    connection.close().await?;
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(counts: &[(&str, i64)]) -> Contents {
        Contents(counts.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect())
    }

    #[test]
    fn what_is_missing_or_new_is_named() {
        let before = contents(&[("rows of public.notes", 3), ("policies", 2)]);
        assert!(before.compare(&contents(&[("policies", 2), ("rows of public.notes", 3)])).is_ok());
        let lost = before.compare(&contents(&[("policies", 2)])).map_err(|error| error.to_string());
        assert_eq!(lost, Err("rows of public.notes: 3 before, none after".to_owned()));
        let more = contents(&[("rows of public.notes", 3), ("policies", 2), ("roles", 1)]);
        assert_eq!(
            before.compare(&more).map_err(|error| error.to_string()),
            Err("roles: none before, 1 after".to_owned())
        );
    }
}
