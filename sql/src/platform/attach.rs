//! Applies the platform SQL to a database that another program created (an image of Supabase, a restored dump): creates missing objects if
//! the login has the required privileges, and keeps existing objects unchanged.
//!
//! All files are applied in one transaction. The catalog is read before and after the files are applied. If an existing object was removed
//! or changed, the transaction is rolled back. Whether another program created the database is determined before the first write.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, Connection, PgConnection};

use super::files::TablesFile;
use super::functions::{self, Changed};
use super::given_back::Grants;
use super::record;
use super::statement::Statement;
use crate::database::BECOME_OWNER;
use crate::migrations::{MigrationError, split};

/// SQLSTATEs of failures that are expected when the platform SQL is applied to another program's database: the object exists already, the
/// login lacks a privilege, or the statement depends on an object that could not be created.
const EXPECTED_REFUSALS: [&str; 18] = [
    "42501", "42P07", "42710", "42723", "42701", "42P06", "42704", "42P01", "42883", "42703", "3F000", "0A000",
    "0LP01", "23502", "23505", "42804", "42830", "22023",
];

/// Whether another program created the database, so that only missing objects may be added. The result is the same at every start: the
/// first start adds the table `cloch.attached` to a database of another program, whereas a database that Cloch created has records of
/// applied files (`cloch.platform_migrations`).
pub(super) async fn is_foreign(connection: &mut PgConnection) -> sqlx::Result<bool> {
    if is_attached(connection).await? {
        return Ok(true);
    }
    let is_of_supabase: bool = has_table(connection, "auth.users").await?
        || sqlx::query_scalar(
            "select exists (select from pg_catalog.pg_roles
                             where rolname = 'supabase_admin' and rolcreaterole and not pg_has_role(current_user, oid, 'member'))",
        )
        .fetch_one(&mut *connection)
        .await?;
    if !is_of_supabase || !has_table(connection, "cloch.platform_migrations").await? {
        return Ok(is_of_supabase);
    }
    // If the table of applied files is empty, another program created the database: development versions of Cloch refused such a database
    // at the start, but left the empty table in it.
    sqlx::query_scalar("select not exists (select from cloch.platform_migrations)").fetch_one(connection).await
}

/// Whether an earlier start of Cloch added the platform's objects to this database of another program.
pub(super) async fn is_attached(connection: &mut PgConnection) -> sqlx::Result<bool> {
    has_table(connection, "cloch.attached").await
}

async fn has_table(connection: &mut PgConnection, table: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar(TABLE).bind(table).fetch_one(connection).await
}

/// SQL that stores the names of existing roles and tables in settings of the transaction, before the platform SQL is applied. The
/// platform's functions and files read these settings to keep existing objects unchanged.
const REMEMBER_EXISTING: &str = "
    select set_config('cloch.existing_roles', (select string_agg(rolname, ',') from pg_catalog.pg_roles), true),
           set_config('cloch.existing_tables', coalesce((
               select string_agg(nspname || '.' || relname, ',')
                 from pg_catalog.pg_class join pg_catalog.pg_namespace as n on n.oid = relnamespace
                where nspname in ('auth', 'storage', 'realtime', 'supabase_functions') and relkind in ('r', 'p')), ''), true)";

/// SQL statements that create the schema `cloch` and the table `cloch.attached`, which lists the statements of the platform SQL that
/// PostgreSQL refused.
const BEGIN: &str = "
    do $$ begin
      if not exists (select from pg_catalog.pg_namespace where nspname = 'cloch') then
        create schema cloch;
      end if;
    end $$;
    create table if not exists cloch.attached (
        file text not null, statement text not null, refusal text not null, at timestamptz not null default now());";

/// Objects and grants of a database, read before the platform SQL is applied to it.
pub(super) struct Attachment {
    facts: BTreeSet<String>,
    granted: Grants,
}

impl Attachment {
    /// Reads the objects and grants of the database and creates Cloch's schema. Must run in a transaction in which [`Attachment::finish`]
    /// is called at the end.
    ///
    /// # Errors
    /// Returns [`MigrationError::History`] if the login may not create the schema.
    pub(super) async fn begin(connection: &mut PgConnection) -> Result<Self, MigrationError> {
        // PostgreSQL's warnings are suppressed, because it warns about each grant that has no effect.
        sqlx::raw_sql(
            "set local search_path = ''; set local check_function_bodies = off; set local client_min_messages = error",
        )
        .execute(&mut *connection)
        .await?;
        let facts = facts(connection).await?;
        let granted = Grants::read(connection).await?;
        sqlx::raw_sql(REMEMBER_EXISTING).execute(&mut *connection).await?;
        sqlx::raw_sql("set local search_path = public").execute(&mut *connection).await?;
        if let Err(error) = sqlx::raw_sql(BEGIN).execute(&mut *connection).await {
            return Err(without_privilege(
                error,
                "it may not create tables in schema cloch",
                "grant create on database DATABASE to LOGIN",
            ));
        }
        Ok(Self { facts, granted })
    }

    /// Checks that no existing object was removed or changed since [`Attachment::begin`], and revokes the privileges on existing objects
    /// that the platform SQL has granted. Returns the objects that were added outside of schema cloch, as described by
    /// `attach/catalog.sql`.
    ///
    /// # Errors
    /// Returns [`MigrationError::History`] if the database must not be used in this state. The caller must then roll the transaction back.
    pub(super) async fn finish(self, connection: &mut PgConnection) -> Result<Vec<String>, MigrationError> {
        owner_can_be_assumed(connection).await?;
        sqlx::raw_sql("set local search_path = ''").execute(&mut *connection).await?;
        self.granted.restore(connection).await?;
        let after = facts(connection).await?;
        match self.facts.difference(&after).next() {
            None => Ok(after.difference(&self.facts).cloned().collect()),
            Some(gone) => Err(MigrationError::History(format!(
                "this database was made by another program, and Cloch would have changed it: {gone}. Nothing was changed. Please report this"
            ))),
        }
    }
}

/// Checks that the login can switch to the role that runs the project's migrations.
async fn owner_can_be_assumed(connection: &mut PgConnection) -> Result<(), MigrationError> {
    let mut savepoint = connection.begin().await?;
    let outcome = sqlx::query(BECOME_OWNER).execute(&mut *savepoint).await;
    savepoint.rollback().await?;
    outcome.map(drop).map_err(|error| {
        without_privilege(error, "it cannot switch to the role that owns the project", "grant postgres to LOGIN")
    })
}

/// Returns the error for a login that lacks a privilege. Its message contains what is lacking (`lack`) and the statement that grants the
/// privilege (`grant`).
fn without_privilege(error: sqlx::Error, lack: &str, grant: &str) -> MigrationError {
    let sqlx::Error::Database(refusal) = error else { return MigrationError::Database(error) };
    MigrationError::History(format!(
        "this database was made by another program, and the login of CLOCH_DB_URL cannot serve it: {lack} ({}). Nothing was changed. \
         Execute as a superuser, with your names: {grant}",
        refusal.message()
    ))
}

/// Applies the given tables files and function files of the platform SQL. Existing objects are not replaced.
pub(super) async fn apply(
    connection: &mut PgConnection,
    tables: &[TablesFile],
    changed: &[Changed],
) -> Result<(), MigrationError> {
    let mut run = Run::default();
    for file in tables {
        run.file(connection, &file.path(), &file.text, false).await?;
        record(connection, file).await?;
    }
    for Changed { file, is_ours } in changed {
        let is_ours = *is_ours || run.made.contains(&file.name.replace('/', "."));
        run.file(connection, &file.path(), &file.text, is_ours).await?;
        let is_ours = is_ours || run.made.contains(&file.name.replace('/', "."));
        functions::record(connection, file, is_ours).await?;
    }
    run.record_refusals(connection).await?;
    Ok(())
}

/// Record of the transaction that applies all files of the platform SQL to one database: created objects and failed statements.
#[derive(Default)]
struct Run {
    /// Names of the objects that Cloch created in this transaction.
    made: BTreeSet<String>,
    /// File, statement and PostgreSQL's message of each statement that failed as expected.
    refusals: Vec<(String, String, String)>,
}

impl Run {
    /// Applies the statements of one file of the platform SQL, each in a separate savepoint. `replaces` is true if Cloch created the
    /// function that the file defines, so that the function may be replaced.
    async fn file(
        &mut self,
        connection: &mut PgConnection,
        path: &str,
        text: &str,
        replaces: bool,
    ) -> Result<(), MigrationError> {
        for range in split::statements(text).map_err(MigrationError::text(path))? {
            let statement = text.get(range.clone()).unwrap_or_default();
            match apply_statement(connection, statement, &mut self.made, replaces).await {
                Ok(()) => {}
                Err(Refusal::Expected(message)) => {
                    self.refusals.push((path.to_owned(), statement.to_owned(), message));
                }
                Err(Refusal::Unexpected(error)) => {
                    let error = MigrationError::statement(path, text, range.start, error);
                    return Err(MigrationError::History(format!(
                        "this database was made by another program, and the login of CLOCH_DB_URL cannot serve it: {error}. Nothing was changed"
                    )));
                }
            }
        }
        sqlx::raw_sql("reset role").execute(connection).await?;
        Ok(())
    }

    async fn record_refusals(self, connection: &mut PgConnection) -> sqlx::Result<()> {
        for (file, statement, refusal) in self.refusals {
            sqlx::query("insert into cloch.attached (file, statement, refusal) values ($1, $2, $3)")
                .bind(file)
                .bind(statement)
                .bind(refusal)
                .execute(&mut *connection)
                .await?;
        }
        Ok(())
    }
}

/// Returns a description of every object outside of schema cloch that must not change. The search path must be empty.
async fn facts(connection: &mut PgConnection) -> sqlx::Result<BTreeSet<String>> {
    let mut facts: Vec<String> =
        sqlx::query_scalar(include_str!("../../attach/catalog.sql")).fetch_all(&mut *connection).await?;
    let of_database: Vec<String> =
        sqlx::query_scalar(include_str!("../../attach/database.sql")).fetch_all(connection).await?;
    facts.extend(of_database);
    Ok(facts.into_iter().collect())
}

enum Refusal {
    Expected(String),
    Unexpected(sqlx::Error),
}

async fn apply_statement(
    connection: &mut PgConnection,
    text: &str,
    made: &mut BTreeSet<String>,
    replaces: bool,
) -> Result<(), Refusal> {
    let statement = Statement::read(text);
    let own = statement.is_cloch_own();
    match &statement {
        Statement::TakesDatabase => return Ok(()),
        Statement::OwnObjectsOnly if !text.contains("cloch.") && !made.iter().any(|name| text.contains(name)) => {
            return Ok(());
        }
        Statement::CallersGrant(objects) => {
            let opened: Vec<&str> = objects.iter().copied().filter(|name| made.contains(*name)).collect();
            let (verb, grantees) = (text.split_once(" on "), text.rsplit_once(" to "));
            let grantees = grantees.or_else(|| text.rsplit_once("\n  to "));
            let (Some((verb, _)), Some((_, grantees)), false) = (verb, grantees, opened.is_empty()) else {
                return Ok(());
            };
            return attempt(connection, &format!("{verb} on {} to {grantees}", opened.join(", ")), false).await;
        }
        Statement::Table(name, columns) if !own && exists(connection, TABLE, name).await? => {
            for (column, definition) in columns {
                if !has_column(connection, name, column).await? {
                    let add = format!("alter table {name} add column {column} {definition}");
                    attempt(connection, &add, false).await?;
                }
            }
            return Ok(());
        }
        Statement::Enum(name, labels) if exists(connection, TYPE, name).await? => {
            for label in labels {
                attempt(connection, &format!("alter type {name} add value if not exists '{label}'"), false).await?;
            }
            return Ok(());
        }
        Statement::Schema(name) if !own && exists(connection, SCHEMA, name).await? => return Ok(()),
        Statement::ChangesTable(name)
            if !name.starts_with("cloch.") && !made.contains(*name) && exists(connection, TABLE, name).await? =>
        {
            return Err(Refusal::Expected("another program made the table, which is not changed".to_owned()));
        }
        _ => {}
    }
    let outcome = match &statement {
        // For an existing function, `create function` fails, so the other program's definition of the function is kept.
        Statement::Function(_) if !own && !replaces => {
            attempt(connection, &text.replacen("create or replace function", "create function", 1), false).await
        }
        Statement::Schema(name) if !own => match attempt(connection, text, false).await {
            // A role may create a schema for an owner only if it is a member of the owner. If this fails, create the schema with the login
            // as its owner.
            Err(Refusal::Expected(_)) => attempt(connection, &format!("create schema {name}"), false).await,
            outcome => outcome,
        },
        _ => attempt(connection, text, own).await,
    };
    if outcome.is_ok() {
        match statement {
            Statement::Schema(name) => made.insert(format!("schema {name} ")),
            Statement::Function(name) | Statement::Table(name, _) => made.insert(name.to_owned()),
            _ => false,
        };
    }
    outcome
}

// These queries read the catalog, which every role may read. `to_regclass` and similar functions fail if the role lacks USAGE on the
// schema.
const SCHEMA: &str = "select exists (select from pg_catalog.pg_namespace where nspname = $1)";
const TABLE: &str =
    "select exists (select from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
                                     where nspname || '.' || relname = $1)";
const TYPE: &str =
    "select exists (select from pg_catalog.pg_type as t join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
                                    where nspname || '.' || typname = $1)";
const COLUMN: &str = "select exists (select from pg_catalog.pg_attribute as a
                                       join pg_catalog.pg_class as c on c.oid = a.attrelid
                                       join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
                                      where nspname || '.' || relname = $1 and attname = $2 and not attisdropped)";

async fn exists(connection: &mut PgConnection, lookup: &'static str, name: &str) -> Result<bool, Refusal> {
    sqlx::query_scalar(lookup).bind(name).fetch_one(connection).await.map_err(Refusal::Unexpected)
}

async fn has_column(connection: &mut PgConnection, table: &str, column: &str) -> Result<bool, Refusal> {
    sqlx::query_scalar(COLUMN).bind(table).bind(column).fetch_one(connection).await.map_err(Refusal::Unexpected)
}

/// Executes a statement of the platform SQL inside a savepoint, so that the transaction stays usable after a failure. If `must_succeed` is
/// true, no failure counts as expected.
async fn attempt(connection: &mut PgConnection, statement: &str, must_succeed: bool) -> Result<(), Refusal> {
    let mut savepoint = connection.begin().await.map_err(Refusal::Unexpected)?;
    // The SQL text is a constant of this program, embedded at build time.
    match sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(&mut *savepoint).await {
        Ok(_) => savepoint.commit().await.map_err(Refusal::Unexpected),
        Err(sqlx::Error::Database(refusal))
            if !must_succeed
                && refusal.code().is_some_and(|code| EXPECTED_REFUSALS.iter().any(|expected| *expected == code)) =>
        {
            savepoint.rollback().await.map_err(Refusal::Unexpected)?;
            Err(Refusal::Expected(refusal.message().to_owned()))
        }
        Err(error) => Err(Refusal::Unexpected(error)),
    }
}
