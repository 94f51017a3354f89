//! `cloch db restore`: replaces the project's database by a dump, completely or not at all.
//!
//! On the embedded server, the dump is restored into a second database. When the restore and all migrations have succeeded, the two
//! databases are swapped in one transaction.

use std::convert::Infallible;
use std::fs::File;
use std::time::Duration;

use cloch_sql::bootstrap::bootstrap;
use cloch_sql::database::Login;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row};

use super::db::{running_database, tool};
use super::dump_input::Source;
use super::{pg_restore, print};
use crate::config::{Config, DatabaseChoice};
use crate::data_dir_lock::DataDirLock;
use crate::database::{self, REPLACED_DATABASE, RESTORE_LEFTOVERS, RESTORED_DATABASE};
use crate::error::CommandError;

/// Interval at which connections to the project's and the restored database are terminated until the databases are renamed.
const DISCONNECT_INTERVAL: Duration = Duration::from_millis(50);

/// Addition to the error of a restore that failed because the server does not load the library `cloch_hooks`.
const NO_HOOKS: &str = "This server does not load the library cloch_hooks, without which no dump with event triggers or foreign-data \
                        wrappers of role postgres can be restored (docs/role-postgres.md)";

/// Restores a dump into the project's database. If the database is not running, starts it for the restore. `may_replace`: whether rows in
/// the project's tables may be deleted; for example, the migrations of a new project may have inserted rows.
///
/// The whole file is verified before the first of its statements is executed (`dump_input`).
pub(super) async fn restore(config: &Config, source: Source<'_>, may_replace: bool) -> Result<(), CommandError> {
    let input = source.open(config).await?;
    let secrets = config.secrets()?;
    if let Some(running) = running_database(config, &secrets).await {
        restore_into(config, &running.maintenance, input, may_replace).await?;
    } else {
        let _data_dir_lock = DataDirLock::acquire(&config.data)?;
        let is_new = matches!(config.database, DatabaseChoice::Embedded { .. }) && !config.data.join("db").exists();
        // The database is opened without the seed, because the dump contains the seed's rows.
        let opened = database::open_unseeded(config, &secrets).await?;
        let login = &opened.database.logins().maintenance;
        let restored = restore_into(config, login, input, may_replace || is_new).await;
        drop(opened.database);
        if let Some(cluster) = opened.cluster {
            cluster.stop().await;
        }
        restored?;
    }
    print::line(format!("Restored {}", source.file.display()))?;
    Ok(())
}

async fn restore_into(config: &Config, login: &Login, input: File, may_replace: bool) -> Result<(), CommandError> {
    refuse_used(login, may_replace).await?;
    match config.database {
        DatabaseChoice::Embedded { .. } => beside(config, login, input).await,
        DatabaseChoice::External(_) => in_place(config, login, input).await,
    }
}

async fn refuse_used(login: &Login, may_replace: bool) -> Result<(), CommandError> {
    let mut connection = login.sqlx_options().connect().await?;
    let used: bool =
        sqlx::query_scalar("select exists (select from auth.users) or exists (select from storage.objects)")
            .fetch_one(&mut connection)
            .await?;
    let filled = if may_replace { None } else { table_with_rows(&mut connection).await? };
    connection.close().await?;
    if used {
        return Err("this database holds users or files already: restore into a new data folder (--data DIR)".into());
    }
    match filled {
        None => Ok(()),
        Some(table) => Err(format!(
            "this database holds rows already, in tables such as {table}: restore into a new data folder (--data DIR), \
             or say --yes to lose them"
        )
        .into()),
    }
}

/// Returns the quoted name of a table of the project that has rows, or `None` if all tables are empty.
async fn table_with_rows(connection: &mut PgConnection) -> sqlx::Result<Option<String>> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select format('%I.%I', n.nspname, c.relname)
           from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
          where c.relkind = 'r' and c.relpersistence <> 't' and n.nspname not like 'pg\\_%'
            and n.nspname not in ('information_schema', 'auth', 'storage', 'realtime', 'cloch', 'vault', 'cron', 'net',
                                  'extensions', 'supabase_functions', 'supabase_migrations')
            and not exists (select from pg_depend as d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
          order by 1",
    )
    .fetch_all(&mut *connection)
    .await?;
    for table in tables {
        // The query above returns names that PostgreSQL has quoted, so they are inserted into the statement unchanged.
        let statement = format!("select exists (select from {table})");
        if sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(&mut *connection).await? {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// Restores the dump into a second database, which replaces the project's database if the restore succeeds.
async fn beside(config: &Config, login: &Login, input: File) -> Result<(), CommandError> {
    // A database cannot be renamed while it has connections, so the statements run in the database `template1`.
    let mut server = login.with_database("template1").sqlx_options().connect().await?;
    drop_databases(&mut server, &RESTORE_LEFTOVERS).await?;
    create_like(&mut server, RESTORED_DATABASE, &login.database).await?;
    let restored = login.with_database(RESTORED_DATABASE);
    let outcome = async {
        let_views(&mut server, true).await?;
        let program = tool("pg_restore", config, &restored)?;
        if let Err(failure) = pg_restore::run(program, &restored, input, &[]).await {
            // If it cannot be determined whether the library is loaded, the original error is reported unchanged.
            let lacks_hooks = failure.is_about_owners() && loads_hooks(&mut server).await.is_ok_and(|loads| !loads);
            return Err(if lacks_hooks { format!("{failure}. {NO_HOOKS}").into() } else { failure.into() });
        }
        let_views(&mut server, false).await?;
        let secrets = config.secrets()?;
        let logins = database::cluster_logins(restored, &secrets);
        bootstrap(&logins, &database::unseeded_project(config, true)).await?;
        change_places(&mut server, login).await
    };
    let outcome: Result<(), CommandError> = outcome.await;
    // Drops the old database if the restore succeeded, otherwise the incomplete new database.
    let dropped = drop_databases(&mut server, &RESTORE_LEFTOVERS).await;
    server.close().await?;
    outcome.and(dropped)
}

/// Whether the server loads the library `cloch_hooks`, which lets role postgres own event triggers and foreign-data wrappers.
async fn loads_hooks(server: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from pg_settings where name = 'cloch.privileged_role')")
        .fetch_one(server)
        .await
}

/// Enables the superuser's access to views in the restored database, or with `may` = `false` disables it again (setting
/// `restrict_nonsystem_relation_kind`). This access is disabled in all other databases, but `pg_restore` needs it to fill materialized
/// views.
async fn let_views(server: &mut PgConnection, may: bool) -> sqlx::Result<()> {
    let statement: Option<String> = sqlx::query_scalar(
        "select format('alter role %I in database %I %s', current_user, $1::text,
                       case when $2 then format('set %I = %L', name, '') else format('reset %I', name) end)
           from pg_settings where name = 'restrict_nonsystem_relation_kind'",
    )
    .bind(RESTORED_DATABASE)
    .bind(may)
    .fetch_optional(&mut *server)
    .await?;
    match statement {
        Some(statement) => sqlx::raw_sql(AssertSqlSafe(statement)).execute(server).await.map(drop),
        None => Ok(()),
    }
}

/// Restores the dump over the existing objects, for servers on which Cloch cannot create a second database. The restore runs in one
/// transaction, so a failed restore changes nothing, with one exception: the partitions of realtime.messages are dropped before the
/// transaction begins.
async fn in_place(config: &Config, login: &Login, input: File) -> Result<(), CommandError> {
    let program = tool("pg_restore", config, login)?;
    let mut connection = login.sqlx_options().connect().await?;
    // Drops the partitions of realtime.messages, because partitions that the dump lacks would depend on objects that the restore drops.
    // `maintain_partitions` creates the current partitions again after the restore.
    sqlx::raw_sql(
        "do $$ declare partition regclass; begin
           for partition in select inhrelid from pg_inherits where inhparent = 'realtime.messages'::regclass loop
             execute format('drop table %s', partition);
           end loop;
         end $$",
    )
    .execute(&mut connection)
    .await?;
    let outcome = pg_restore::run(program, login, input, &["--clean", "--if-exists", "--single-transaction"]).await;
    let outcome = outcome.map_err(|error| format!("{error}, except that the stored messages of Realtime were deleted"));
    let partitions = sqlx::raw_sql("select realtime.maintain_partitions()").execute(&mut connection).await;
    let closed = connection.close().await;
    // Report the first error, because it is the cause of the following ones.
    outcome?;
    partitions?;
    Ok(closed?)
}

/// Creates an empty database with the owner, privileges and settings of the database `model`: a dump does not contain these properties.
async fn create_like(server: &mut PgConnection, name: &str, model: &str) -> sqlx::Result<()> {
    sqlx::raw_sql(AssertSqlSafe(format!("create database {name} template template0"))).execute(&mut *server).await?;
    // These statements cannot have parameters. Therefore a query builds their texts, in which PostgreSQL quotes the names.
    let statements = sqlx::query(
        "with model as (select * from pg_database where datname = $2),
         setting as (
           select setrole, split_part(c, '=', 1) as name, substring(c from position('=' in c) + 1) as value
             from model, pg_db_role_setting as s, unnest(s.setconfig) as c where s.setdatabase = model.oid)
         select statement from (
           select 1, format('alter database %I owner to %I', $1::text, pg_get_userbyid(datdba)) from model
           union all
           -- A new database gives PUBLIC rights that the model's owner may have revoked.
           select 2, format('revoke all on database %I from public', $1::text) from model where datacl is not null
           union all
           select 3, format('grant %s on database %I to %s%s', a.privilege_type, $1::text,
                    case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end,
                    case when a.is_grantable then ' with grant option' end)
             from model, aclexplode(model.datacl) as a
           union all
           select 4, format('alter %s set %s to %s',
                    case setrole when 0 then format('database %I', $1::text)
                      else format('role %I in database %I', pg_get_userbyid(setrole), $1::text) end,
                    (select string_agg(quote_ident(part), '.') from unnest(string_to_array(name, '.')) as part),
                    -- PostgreSQL stores these lists with quoted elements (GUC_LIST_QUOTE, as in pg_dump).
                    case when value <> '' and name in ('search_path', 'temp_tablespaces', 'local_preload_libraries', 'session_preload_libraries')
                         then value else quote_literal(value) end)
             from setting) as statements (place, statement)
          order by place",
    )
    .bind(name)
    .bind(model)
    .fetch_all(&mut *server)
    .await?;
    for row in statements {
        sqlx::raw_sql(AssertSqlSafe(row.try_get::<String, _>(0)?)).execute(&mut *server).await?;
    }
    Ok(())
}

/// Renames the restored database to the project's database name in one transaction. Connections to both databases are terminated until the
/// rename succeeds; clients reconnect to the restored database.
async fn change_places(server: &mut PgConnection, login: &Login) -> Result<(), CommandError> {
    let present = &login.database;
    let swap = format!(
        "begin; alter database {present} rename to {REPLACED_DATABASE}; alter database {RESTORED_DATABASE} rename to {present}; commit;"
    );
    tokio::select! {
        swapped = sqlx::raw_sql(AssertSqlSafe(swap)).execute(server) => swapped.map(|_| ()).map_err(Into::into),
        failed = disconnect(login) => failed.map(|never| match never {}).map_err(Into::into),
    }
}

/// Terminates the connections to the project's database and to the restored database, again and again. Returns only if an error occurs.
async fn disconnect(login: &Login) -> sqlx::Result<Infallible> {
    let mut server = login.with_database("template1").sqlx_options().connect().await?;
    loop {
        sqlx::query("select pg_terminate_backend(pid) from pg_stat_activity where datname in ($1, $2)")
            .bind(&login.database)
            .bind(RESTORED_DATABASE)
            .execute(&mut server)
            .await?;
        tokio::time::sleep(DISCONNECT_INTERVAL).await;
    }
}

async fn drop_databases(server: &mut PgConnection, names: &[&str]) -> Result<(), CommandError> {
    for name in names {
        let statement = format!("drop database if exists {name} with (force)");
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *server).await?;
    }
    Ok(())
}
