//! Detects column options that a newer PostgreSQL refuses. Some modified distributions of PostgreSQL write such options. pg_upgrade copies
//! the options with the schema, and would fail with `unrecognized parameter` only after the copy has begun.

use std::fmt::Write;

use cloch_sql::database::Login;
use sqlx::{ConnectOptions, Connection};

use crate::error::CommandError;

/// SQL query for the columns with an option that PostgreSQL does not document, and the statement that removes the option. Columns of indexes
/// are left out: their options belong to operator classes.
const UNKNOWN: &str = "
    select current_database()::text as database, split_part(o, '=', 1) as option,
           format('alter %s %I.%I alter column %I reset (%I);',
                  case c.relkind when 'f' then 'foreign table' when 'm' then 'materialized view' else 'table' end,
                  n.nspname, c.relname, a.attname, split_part(o, '=', 1)) as reset
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace,
           unnest(a.attoptions) o
     where c.relkind in ('r', 'p', 'm', 'f') and not a.attisdropped
       and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
       and split_part(o, '=', 1) not in ('n_distinct', 'n_distinct_inherited')
     order by n.nspname, c.relname, a.attnum, 2";
/// Maximum number of columns in the message.
const MAX_SHOWN: usize = 20;

/// A column with an option that PostgreSQL does not document.
#[derive(Debug, PartialEq, Eq, sqlx::FromRow)]
struct Found {
    database: String,
    option: String,
    /// Statement that removes the option.
    reset: String,
}

/// Refuses the upgrade if a column of any database has an unknown option.
///
/// # Errors
/// If there is such a column. The message contains the columns, and the statements that remove the options.
pub(super) async fn refuse_unknown(login: &Login) -> Result<(), CommandError> {
    let mut connection = login.sqlx_options().connect().await?;
    let databases: Vec<String> =
        sqlx::query_scalar("select datname::text from pg_database where datallowconn order by datname")
            .fetch_all(&mut connection)
            .await?;
    connection.close().await?;
    let mut found = Vec::new();
    for database in databases {
        found.extend(unknown(&Login { database, ..login.clone() }).await?);
    }
    match message(&found) {
        Some(message) => Err(message.into()),
        None => Ok(()),
    }
}

async fn unknown(login: &Login) -> sqlx::Result<Vec<Found>> {
    let mut connection = login.sqlx_options().connect().await?;
    let found = sqlx::query_as(UNKNOWN).fetch_all(&mut connection).await?;
    connection.close().await?;
    Ok(found)
}

fn message(found: &[Found]) -> Option<String> {
    let Found { option, .. } = found.first()?;
    let mut text = format!(
        "the newer PostgreSQL refuses the column option {option}, which this package of PostgreSQL has written into {} columns: pg_upgrade would \
         fail with \"unrecognized parameter\". Nothing was changed. Start the server, and remove the options as supabase_admin or postgres:",
        found.len()
    );
    for Found { database, reset, .. } in found.iter().take(MAX_SHOWN) {
        let _ = write!(text, "\n  {reset}  -- database {database}");
    }
    if found.len() > MAX_SHOWN {
        let _ = write!(text, "\n  and {} more", found.len() - MAX_SHOWN);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    #[tokio::test]
    async fn unknown_options_are_named_and_known_ones_are_not() {
        let database = TestDatabase::platform().await;
        let run = async |sql: &'static str| sqlx::raw_sql(sql).execute(database.superuser()).await.map(drop).unwrap();
        run("create table public.notes (id int, body text);
             alter table public.notes alter body set (n_distinct = 5);
             create index on public.notes using gist (to_tsvector('simple', body) tsvector_ops (siglen = 100));")
        .await;
        assert_eq!(unknown(database.login()).await.unwrap(), []);
        run("update pg_attribute set attoptions = '{pg_attver=1,n_distinct=3}'
              where attrelid = 'public.notes'::regclass and attname = 'id'")
        .await;
        let found = unknown(database.login()).await.unwrap();
        let reset = "alter table public.notes alter column id reset (pg_attver);";
        let text = message(&found).unwrap();
        assert!(found.len() == 1 && text.contains("column option pg_attver") && text.contains(reset), "{text}");
        run("alter table public.notes alter column id reset (pg_attver);").await;
        assert_eq!(unknown(database.login()).await.unwrap(), []);
        assert_eq!(message(&[]), None);
    }
}
