//! The platform SQL: roles, schemas, tables and functions that every Supabase project expects. The files in `platform/tables` (tables
//! files) are applied once. The files in `platform/functions` (function files) are applied again when their text changes.

mod attach;
mod files;
mod functions;
mod given_back;
pub(crate) mod needs;
mod numbered_files;
mod statement;

use sqlx::{Connection, PgConnection, Row};

use self::files::TablesFile;
use crate::migrations::MigrationError;

/// Result of applying the platform SQL.
#[derive(Debug, Default)]
pub struct Applied {
    /// Number of files in `platform/tables` that were applied.
    pub files: usize,
    /// Whether another program created the database.
    pub is_foreign: bool,
    /// Whether no file in `platform/tables` had been applied to the database before.
    pub is_new: bool,
    /// Objects outside of schema cloch that were added to a database that another program created.
    pub added: Vec<String>,
    /// Files in the platform SQL of a newer version that were applied to the database, such as `platform/0061_name`.
    pub newer: Vec<String>,
}

/// Whether another program, such as Supabase, created the database. The module `attach` then adds only the objects that are missing.
///
/// # Errors
/// Fails if the catalog cannot be read.
pub(crate) async fn is_foreign(connection: &mut PgConnection) -> sqlx::Result<bool> {
    attach::is_foreign(connection).await
}

/// Applies the files in `platform/tables` that this database lacks, then the files in `platform/functions` whose text has changed. Each
/// tables file is applied and recorded in a separate transaction.
///
/// # Errors
/// Returns the error of the first failing file. No statement of this file takes effect.
pub(crate) async fn apply(connection: &mut PgConnection) -> Result<Applied, MigrationError> {
    sqlx::raw_sql("create schema if not exists cloch").execute(&mut *connection).await?;
    create_records(connection).await?;
    let pending = Pending::read(connection).await?;
    for file in &pending.tables {
        apply_tables(connection, file).await?;
    }
    functions::apply(connection, &pending.functions).await?;
    Ok(Applied {
        files: pending.tables.len(),
        is_new: pending.is_new,
        newer: of_newer_version(connection).await?,
        ..Applied::default()
    })
}

/// Applies the platform SQL to a database that another program created: creates missing objects and keeps existing objects unchanged.
/// `history` is SQL text that creates the migration history. All statements form one transaction. If it fails, the database is unchanged.
///
/// # Errors
/// Fails if the login lacks a privilege without which the project cannot be served, or if an existing object would be changed.
pub(crate) async fn attach(connection: &mut PgConnection, history: &'static str) -> Result<Applied, MigrationError> {
    if attach::is_attached(connection).await? {
        create_records(connection).await?;
        if Pending::read(connection).await?.is_empty() {
            let newer = of_newer_version(connection).await?;
            return Ok(Applied { is_foreign: true, newer, ..Applied::default() });
        }
    }
    let mut transaction = connection.begin().await?;
    let attachment = attach::Attachment::begin(&mut transaction).await?;
    create_records(&mut transaction).await?;
    let pending = Pending::read(&mut transaction).await?;
    attach::apply(&mut transaction, &pending.tables, &pending.functions).await?;
    sqlx::raw_sql(history).execute(&mut *transaction).await?;
    let added = attachment.finish(&mut transaction).await?;
    transaction.commit().await?;
    let newer = of_newer_version(connection).await?;
    Ok(Applied { files: pending.tables.len(), is_foreign: true, is_new: pending.is_new, added, newer })
}

/// Files of the platform SQL that must be applied to a database.
struct Pending {
    tables: Vec<TablesFile>,
    functions: Vec<functions::Changed>,
    /// Whether no file in `platform/tables` has been applied to the database yet.
    is_new: bool,
}

impl Pending {
    async fn read(connection: &mut PgConnection) -> Result<Self, MigrationError> {
        let tables = files::tables()?;
        numbered_files::convert(connection, &tables).await?;
        let applied = applied(connection).await?;
        refuse_other_history(&tables, &applied)?;
        let is_pending = |file: &TablesFile| applied.iter().all(|(version, _)| *version != file.version);
        let tables = tables.into_iter().filter(is_pending).collect();
        Ok(Self { tables, functions: functions::changed(connection).await?, is_new: applied.is_empty() })
    }

    fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.functions.is_empty()
    }
}

/// Creates the tables in which applied files of the platform SQL are recorded.
async fn create_records(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::raw_sql(
        "create table if not exists cloch.platform_migrations (
             version text primary key,
             name text not null,
             applied_at timestamptz not null default now()
         );",
    )
    .execute(&mut *connection)
    .await?;
    sqlx::raw_sql(functions::RECORD_TABLE).execute(connection).await?;
    Ok(())
}

async fn apply_tables(connection: &mut PgConnection, file: &TablesFile) -> Result<(), MigrationError> {
    let mut transaction = connection.begin().await?;
    // Do not check function bodies: a tables file includes function files, which refer to tables and functions that later files create.
    sqlx::raw_sql("set local check_function_bodies = off").execute(&mut *transaction).await?;
    // The SQL text is a constant of this program, embedded at build time.
    sqlx::raw_sql(sqlx::AssertSqlSafe(file.text.clone()))
        .execute(&mut *transaction)
        .await
        .map_err(|error| MigrationError::statement(&file.path(), &file.text, 0, error))?;
    record(&mut transaction, file).await?;
    transaction.commit().await?;
    Ok(())
}

async fn record(connection: &mut PgConnection, file: &TablesFile) -> sqlx::Result<()> {
    sqlx::query("insert into cloch.platform_migrations (version, name) values ($1, $2)")
        .bind(&file.version)
        .bind(&file.name)
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the path and text of every file of the platform SQL, to detect whether a file has changed.
pub(crate) fn texts() -> Result<Vec<(String, String)>, MigrationError> {
    let tables = files::tables()?.into_iter().map(|file| (file.path(), file.text));
    let functions = files::functions().into_iter().map(|file| (file.path(), file.text));
    Ok(tables.chain(functions).collect())
}

/// Returns the version and name of each file in `platform/tables` that was applied to this database, in order.
async fn applied(connection: &mut PgConnection) -> Result<Vec<(String, String)>, MigrationError> {
    let rows = sqlx::query("select version, name from cloch.platform_migrations order by version")
        .fetch_all(&mut *connection)
        .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// Returns the files of the platform SQL that a newer version of Cloch applied to this database: files in `platform/tables` with a greater
/// number than this program's, and files in `platform/functions` that were applied with a greater version.
async fn of_newer_version(connection: &mut PgConnection) -> Result<Vec<String>, MigrationError> {
    let tables = files::tables()?;
    let newest = tables.last().map_or("", |file| &file.version);
    let rows = sqlx::query(
        "select 'platform/' || version || '_' || name from cloch.platform_migrations where version > $1
         union all select 'platform/functions/' || name from cloch.platform_functions where version > $2 order by 1",
    )
    .bind(newest)
    .bind(files::version())
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Refuses a database if the names of its applied files in `platform/tables` differ from those of this program. Development versions before
/// the first release created such databases. Applied files with a greater number than all files of this program are accepted: they belong
/// to a later version, which only adds files.
fn refuse_other_history(files: &[TablesFile], applied: &[(String, String)]) -> Result<(), MigrationError> {
    let newest = files.last().map_or("", |file| &file.version);
    let foreign = applied.iter().find(|(version, name)| {
        version.as_str() <= newest && !files.iter().any(|file| file.version == *version && file.name == *name)
    });
    match foreign {
        None => Ok(()),
        Some((version, name)) => Err(MigrationError::History(format!(
            "the database was made by another line of Cloch's development: it has platform/{version}_{name}, which this version does \
             not know. Nothing was changed. Dump it with the version that made it (cloch db dump), and restore the dump into a new \
             database or data folder"
        ))),
    }
}
