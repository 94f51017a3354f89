//! Bootstrap of the project's database at each start: applies the platform SQL (roles, schemas and functions that a Supabase project
//! expects), creates the login roles, and applies the project's migrations and seed. Nodes that start at the same time run the bootstrap
//! one after another.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection as _, PgConnection, Row};

use crate::client::{BatchStatement, Connection};
use crate::database::BECOME_OWNER;
use crate::logins::{self, Logins};
use crate::migrations::{
    MigrationError, Roles, Seed, apply as apply_migrations, lacks_of_server, read_folder, skipped_extensions,
};
use crate::{platform, stand_ins};

/// Key of the advisory lock that serialises the bootstrap of several nodes: the bytes of "cloch".
const ADVISORY_LOCK_KEY: i64 = 0x63_6c6f_6368;

/// Parts of a project that the bootstrap applies to its database.
#[derive(Clone, Debug)]
pub struct Project {
    /// Project folder, which contains config.toml.
    pub folder: PathBuf,
    /// `[db.migrations] enabled`: whether migrations are applied.
    pub migrate: bool,
    /// `[db.seed]`: glob patterns of seed files; empty if seeding is disabled.
    pub seed: Vec<String>,
    /// Folder of the extension control files of the embedded PostgreSQL ([`crate::embedded::extension_folder`]). `None` for an external
    /// database.
    pub extensions: Option<PathBuf>,
    /// Names and values of database settings that the project's SQL reads, such as `app.settings.jwt_exp`.
    pub settings: Vec<(String, String)>,
    /// `[db] major_version` of config.toml: the version of PostgreSQL that the project was written for.
    pub major_version: Option<u16>,
}

impl Project {
    /// Adds a note to the error of a migration or seed if the project was written for a newer major version of PostgreSQL than `server`.
    fn for_newer_server(&self, error: MigrationError, server: u16) -> MigrationError {
        match self.major_version {
            Some(named) => error.on_older_server(named, server),
            None => error,
        }
    }

    /// Returns the notice that the project was written for a newer major version of PostgreSQL than `server`.
    fn newer_server_notice(&self, server: u16) -> Option<(String, String)> {
        let lacks = lacks_of_server(server, self.major_version?)?;
        let remedy = "A server of the newer version has all of it. If the project needs none of it, set major_version to the server's version";
        Some((format!("version {server}"), format!("{lacks}. {remedy}")))
    }
}

/// Result of a bootstrap.
#[derive(Debug, Default)]
pub struct Bootstrapped {
    /// Number of files of the platform SQL (Cloch's own roles, schemas and functions) that this bootstrap applied.
    pub platform: usize,
    /// Number of migrations applied by this bootstrap.
    pub migrations: usize,
    /// Whether this bootstrap executed the seed, because the database is new.
    pub fresh: bool,
    /// Whether another program created the database, so that what exists in it stays unchanged.
    pub is_foreign: bool,
    /// Number of seed files executed by this bootstrap.
    pub seeds: usize,
    /// Extensions that the project's migrations and seed require and the server lacks.
    pub missing_extensions: BTreeSet<String>,
    /// Objects outside schema cloch that this bootstrap added to a database that another program created.
    pub added: Vec<String>,
    /// Files of the platform SQL that a newer version of Cloch applied to this database.
    pub newer: Vec<String>,
    /// Notices about limitations of the server that affect the project, and about stand-ins (SQL in place of a missing extension). Each
    /// notice is a subject and a detail.
    pub notices: Vec<(String, String)>,
}

/// Updates the database to this program's platform SQL and to the project's migrations. An advisory lock ensures that nodes that start at
/// the same time run the update one after another; the second node then has nothing to apply.
///
/// # Errors
/// Returns the first failure. The failing file is rolled back; files that were applied earlier stay applied.
pub async fn bootstrap(logins: &Logins, project: &Project) -> Result<Bootstrapped, MigrationError> {
    let options: PgConnectOptions = logins.maintenance.sqlx_options();
    let mut connection = options.connect().await?;
    logins::read_no_views(&mut connection).await?;
    // Suppresses PostgreSQL's notices such as "already exists, skipping".
    sqlx::raw_sql("set client_min_messages = warning").execute(&mut connection).await?;
    sqlx::query("select pg_advisory_lock($1)").bind(ADVISORY_LOCK_KEY).execute(&mut connection).await?;
    let result = bootstrap_locked(&mut connection, logins, project).await;
    // Closing the connection releases the advisory lock, also after an error.
    connection.close().await?;
    result
}

async fn bootstrap_locked(
    connection: &mut PgConnection,
    logins: &Logins,
    project: &Project,
) -> Result<Bootstrapped, MigrationError> {
    if let Some(folder) = &project.extensions {
        stand_ins::hide(folder).map_err(sqlx::Error::from)?;
    }
    let applied = match platform::is_foreign(connection).await? {
        true => platform::attach(connection, CREATE_HISTORY).await?,
        false => platform::apply(connection).await?,
    };
    set_database_settings(connection, project, applied.is_foreign).await?;
    start_history(connection, applied.is_foreign).await?;
    logins::set_up(connection, logins).await?;
    let mut bootstrapped = Bootstrapped {
        platform: applied.files,
        is_foreign: applied.is_foreign,
        added: applied.added,
        newer: applied.newer,
        ..Bootstrapped::default()
    };

    // The project's SQL runs in a session with the login of the project's owner. In a session with a more privileged login, the SQL could
    // regain the privileges of that login with `reset role`.
    let mut owner = Connection::open(&logins.owner).await?;
    if !logins.is_own_cluster() {
        owner.run("", &mut [BatchStatement::silent(BECOME_OWNER, &[])]).await?;
    }
    let kept_stand_ins = match applied.is_foreign {
        true => Vec::new(),
        false => stand_ins::switch(connection, &owner.texts(ASKED_EXTENSIONS).await?).await?,
    };
    if let Some(folder) = &project.extensions {
        stand_ins::announce(connection, folder).await?;
        if applied.is_new {
            stand_ins::create_usual(connection).await?;
        }
    }
    let server = server_version(connection).await?;
    bootstrapped.fresh = is_unseeded(connection).await?;
    let roles = Roles::read(&project.folder)?;
    if let Some(roles) = roles.as_ref().filter(|_| bootstrapped.fresh) {
        bootstrapped.missing_extensions = roles.apply(connection, &mut owner).await?;
    }
    if project.migrate {
        let migrations = read_folder(&project.folder.join("migrations"))?;
        let (count, missing) = match apply_migrations(connection, &mut owner, &migrations).await {
            Ok(applied) => applied,
            Err(error) => {
                let error = project.for_newer_server(error, server);
                return Err(match &roles {
                    Some(roles) => roles.explain(connection, error).await?,
                    None => error,
                });
            }
        };
        bootstrapped.migrations = count;
        bootstrapped.missing_extensions.extend(missing);
        if bootstrapped.migrations > 0 {
            // Without a superuser, Cloch cannot create event triggers, so other nodes reload their schema cache only on this notification.
            owner.run("", &mut [BatchStatement::silent("notify pgrst, 'reload schema'", &[])]).await?;
        }
    }
    if bootstrapped.fresh {
        let seed = read_seed(&project.folder, &project.seed)?;
        let (seeds, missing) =
            seed.apply(connection, &mut owner).await.map_err(|error| project.for_newer_server(error, server))?;
        bootstrapped.seeds = seeds;
        bootstrapped.missing_extensions.extend(missing);
        mark_seeded(connection).await?;
    }
    bootstrapped.notices.extend(project.newer_server_notice(server));
    bootstrapped.notices.extend(notices(connection, &mut owner).await?);
    bootstrapped.notices.extend(kept_stand_ins);
    if !logins.is_own_cluster() {
        bootstrapped.notices.extend(replication_lack(connection).await?);
    }
    if applied.is_foreign {
        bootstrapped.notices.extend(platform::needs::missing(connection).await?);
    }
    Ok(bootstrapped)
}

/// Returns the major version of the PostgreSQL server.
async fn server_version(connection: &mut PgConnection) -> sqlx::Result<u16> {
    let version: i32 =
        sqlx::query_scalar("select current_setting('server_version_num')::int / 10000").fetch_one(connection).await?;
    Ok(u16::try_from(version).unwrap_or_default())
}

/// SQL query for the extensions that applied migrations create. Must run in a session of the project owner's login: the owner may have
/// replaced the migration history table by a view, whose functions run with the rights of the role that reads the view.
const ASKED_EXTENSIONS: &str = r#"select distinct (regexp_match(statement, '^create\s+extension\s+(?:if\s+not\s+exists\s+)?"?([\w-]+)', 'i'))[1]
  from supabase_migrations.schema_migrations, unnest(statements) as statement"#;

/// Returns notices about limitations of this PostgreSQL server, as subject and detail. Notices about extensions are limited to extensions
/// that exist in the database or that migrations and seeds create.
async fn notices(
    connection: &mut PgConnection,
    owner: &mut Connection,
) -> Result<Vec<(String, String)>, MigrationError> {
    let mut asked = owner.texts(ASKED_EXTENSIONS).await?;
    asked.extend(skipped_extensions(connection).await?);
    let rows = sqlx::query(
        r#"with asked (name) as (
               select unnest($1::text[]) union
               select extname from pg_extension where not (extversion = 'stand-in' and extname = any($2))
           )
           select subject, detail from cloch.notices where subject not like 'extension %'
           union all
           select 'extension ' || a.name,
                  coalesce(n.detail, case when a.name in (select extname from pg_extension)
                    then 'was created in this database, but its files are not installed any more: what uses it fails'
                    else 'not installed: what uses it fails' end)
             from asked as a
             left join cloch.notices as n on n.subject = 'extension ' || a.name
            where a.name not in (select name from pg_available_extensions where default_version <> 'stand-in')
           order by 1"#,
    )
    .bind(asked)
    .bind(stand_ins::USUAL_EXTENSIONS.map(|(name, _)| name).as_slice())
    .fetch_all(&mut *connection)
    .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// Returns why Realtime cannot stream table changes from an external database (logical replication), as subject and detail. `None` if
/// replication is possible.
async fn replication_lack(connection: &mut PgConnection) -> Result<Option<(String, String)>, MigrationError> {
    let lack: Option<String> = sqlx::query_scalar(
        "select case
             when current_setting('wal_level') <> 'logical' then format('wal_level is %s and not logical', current_setting('wal_level'))
             when not (rolsuper or rolreplication
                       or exists (select from pg_roles where rolname = 'rds_replication' and pg_has_role(r.oid, oid, 'usage')))
             then format('the login %s has no REPLICATION', rolname)
           end from pg_roles as r where rolname = current_user",
    )
    .fetch_one(connection)
    .await?;
    Ok(lack.map(|lack| ("postgres_changes".to_owned(), format!("{lack}: realtime sends no changes of tables"))))
}

fn read_seed(folder: &Path, patterns: &[String]) -> Result<Seed, MigrationError> {
    if patterns.is_empty() { Ok(Seed::default()) } else { Seed::read(folder, patterns) }
}

/// Stores the project's settings as settings of the database. If another program created the database (`is_foreign`), settings that the
/// database already has are not changed.
async fn set_database_settings(
    connection: &mut PgConnection,
    project: &Project,
    is_foreign: bool,
) -> Result<(), MigrationError> {
    let existing: Vec<String> = sqlx::query_scalar(
        "select split_part(setting, '=', 1) from pg_db_role_setting, unnest(setconfig) as setting
          where setrole = 0 and setdatabase = (select oid from pg_database where datname = current_database())",
    )
    .fetch_all(&mut *connection)
    .await?;
    for (name, value) in &project.settings {
        if is_foreign && existing.contains(name) {
            continue;
        }
        let statement: String = sqlx::query(
            "select format('alter database %I set %s to %L', current_database(),
                 (select string_agg(quote_ident(part), '.') from unnest(string_to_array($1::text, '.')) part), $2::text)",
        )
        .bind(name)
        .bind(value)
        .fetch_one(&mut *connection)
        .await?
        .try_get(0)?;
        if let Err(error) = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await {
            tracing::warn!(%error, setting.name = name, "database: `alter database … set` of a setting failed, its previous value stays");
        }
    }
    Ok(())
}

/// SQL statements that create the Supabase CLI's migration history tables and Cloch's table `cloch.state`. As on Supabase, the project's
/// owner owns the history, because migrations written by `supabase db pull` add columns to its tables. In a database that another program
/// created, existing objects keep their owner and privileges.
const CREATE_HISTORY: &str = "
    set local lock_timeout = '4s';
    create table if not exists cloch.state (name text primary key, value text not null);
    do $$
    declare
      is_attached boolean := to_regclass('cloch.attached') is not null;
      is_new boolean;
      table_name text;
    begin
      is_new := not exists (select from pg_catalog.pg_namespace where nspname = 'supabase_migrations');
      if is_new then
        create schema supabase_migrations;
      end if;
      if is_new or not is_attached then
        execute format('grant usage on schema supabase_migrations to %I', cloch.project_owner());
      end if;
      foreach table_name in array array['schema_migrations', 'seed_files'] loop
        is_new := not exists (
          select from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
           where n.nspname = 'supabase_migrations' and c.relname = table_name);
        if is_new and table_name = 'schema_migrations' then
          create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
        elsif is_new then
          create table supabase_migrations.seed_files (path text primary key, hash text not null);
        end if;
        if is_new or not is_attached then
          execute format('grant all on table supabase_migrations.%I to %I', table_name, cloch.project_owner());
          if pg_has_role(current_user, cloch.project_owner(), 'member') and exists (
            select from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
             where n.nspname = 'supabase_migrations' and c.relname = table_name
               and pg_catalog.pg_get_userbyid(c.relowner) <> cloch.project_owner()) then
            execute format('alter table supabase_migrations.%I owner to %I', table_name, cloch.project_owner());
          end if;
        end if;
      end loop;
    end $$;";

/// Creates the migration history, and records that a new database must be seeded. A database that another program created (`is_foreign`)
/// is never seeded.
async fn start_history(connection: &mut PgConnection, is_foreign: bool) -> Result<(), MigrationError> {
    let mut transaction = connection.begin().await?;
    let is_new: bool = !is_foreign
        && sqlx::query_scalar(
            "select to_regclass('supabase_migrations.schema_migrations') is null and to_regclass('cloch.state') is null",
        )
        .fetch_one(&mut *transaction)
        .await?;
    sqlx::raw_sql(CREATE_HISTORY).execute(&mut *transaction).await?;
    if is_new {
        sqlx::raw_sql("insert into cloch.state values ('seed', 'pending') on conflict do nothing")
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(())
}

async fn is_unseeded(connection: &mut PgConnection) -> Result<bool, MigrationError> {
    let row = sqlx::query("select exists (select from cloch.state where name = 'seed' and value = 'pending')")
        .fetch_one(connection)
        .await?;
    Ok(row.try_get(0)?)
}

async fn mark_seeded(connection: &mut PgConnection) -> Result<(), MigrationError> {
    sqlx::raw_sql("update cloch.state set value = 'done' where name = 'seed'").execute(connection).await?;
    Ok(())
}
