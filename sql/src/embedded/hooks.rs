//! Library `cloch_hooks` (`sql/hooks`), which PostgreSQL loads. Role postgres is not a superuser. With this library, it can execute the
//! statements that PostgreSQL reserves for superusers and that Supabase allows to role postgres.
//!
//! The library is compiled for one major version of PostgreSQL: `cloch_hooks-15.so`. Cloch searches for the library in `CLOCH_HOOKS` (the
//! file, or its folder), beside Cloch's program, and in `../lib/cloch` relative to the program; never in the project's folder. The server
//! loads a copy beside its data, because the server's account may not be allowed to enter the program's folder.

use std::fs;
use std::path::{Path, PathBuf};

use cloch_core::programs;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use super::{EmbeddedError, extensions};
use crate::login::Login;

/// Role to which the library permits statements that PostgreSQL reserves for superusers.
pub(super) const PRIVILEGED_ROLE: &str = "postgres";

/// Copies the library `cloch_hooks` for a major version of PostgreSQL into a folder and returns the path of the copy. `None` if there is no
/// library, or it could not be copied.
pub(super) fn install(major: &str, folder: &Path) -> Option<PathBuf> {
    let source = find(major)?;
    let target = folder.join(file_name(major));
    match fs::read(&source).and_then(|content| extensions::write_file(&target, &content)) {
        Ok(()) => Some(target),
        Err(error) => {
            tracing::warn!(%error, library = %source.display(), "database: copying library cloch_hooks failed, PostgreSQL starts without this library (docs/role-postgres.md says what is missing)");
            None
        }
    }
}

/// Returns the server settings that load the library `cloch_hooks` and the libraries in `others`, as name and value.
pub(super) fn parameters(library: &Path, others: &str) -> [(String, String); 2] {
    // `shared_preload_libraries` is a list of names. A name in quotation marks may contain spaces and commas.
    let own = format!("\"{}\"", library.display().to_string().replace('"', "\"\""));
    let libraries = if others.is_empty() { own } else { format!("{own},{others}") };
    [
        ("shared_preload_libraries".to_owned(), libraries),
        ("cloch.privileged_role".to_owned(), PRIVILEGED_ROLE.to_owned()),
    ]
}

fn file_name(major: &str) -> String {
    format!("cloch_hooks-{major}.{}", if cfg!(target_os = "macos") { "dylib" } else { "so" })
}

/// Returns the path of the library `cloch_hooks` for a major version of PostgreSQL. `None` if no file of the library exists, or if another
/// account could change the file.
fn find(major: &str) -> Option<PathBuf> {
    let file = candidates(major).into_iter().find(|file| file.is_file())?;
    match programs::trusted(&file) {
        Ok(file) => Some(file),
        Err(reason) => {
            tracing::warn!(
                library = %file.display(),
                %reason,
                "database: library cloch_hooks refused (see reason), PostgreSQL starts without this library (docs/role-postgres.md says what is missing)"
            );
            None
        }
    }
}

fn candidates(major: &str) -> Vec<PathBuf> {
    let name = file_name(major);
    if let Some(chosen) = std::env::var_os("CLOCH_HOOKS").map(PathBuf::from) {
        return if chosen.is_absolute() { vec![chosen.join(name), chosen] } else { Vec::new() };
    }
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).unwrap_or_default();
    let Some(folder) = program.parent() else { return Vec::new() };
    let installed = folder.parent().map(|prefix| prefix.join("lib/cloch").join(&name));
    [folder.join(&name)].into_iter().chain(installed).collect()
}

/// Disables event triggers in all databases: those that are owned by a role other than a superuser, and those that call a function owned by
/// such a role. Returns the names of the disabled event triggers. Such event triggers exist if an earlier start loaded the library
/// `cloch_hooks`. Without the library, PostgreSQL would run them with a superuser's rights in Cloch's own sessions.
pub(super) async fn disable_event_triggers(login: &Login) -> Result<Vec<String>, EmbeddedError> {
    let own = login.database.clone();
    let databases = databases(login).await.map_err(|source| EmbeddedError::EventTriggers { database: own, source })?;
    let mut disabled = Vec::new();
    for database in databases {
        match disable_in(login, &database).await {
            Ok(names) => disabled.extend(names),
            Err(source) => return Err(EmbeddedError::EventTriggers { database, source }),
        }
    }
    Ok(disabled)
}

/// Returns the databases that accept connections. A database with connection limit -2 remains after an interrupted `drop database` and is
/// skipped.
async fn databases(login: &Login) -> Result<Vec<String>, sqlx::Error> {
    let mut connection = login.sqlx_options().connect().await?;
    let names = sqlx::query_scalar(
        "select datname::text from pg_catalog.pg_database
          where datallowconn and datconnlimit <> -2 and not pg_catalog.pg_is_in_recovery()",
    )
    .fetch_all(&mut connection)
    .await?;
    connection.close().await?;
    Ok(names)
}

async fn disable_in(login: &Login, database: &str) -> Result<Vec<String>, sqlx::Error> {
    let mut connection = login.sqlx_options().database(database).connect().await?;
    // The statements below do not cause any event trigger to run: PostgreSQL does not run event triggers for statements about event
    // triggers.
    let found: Vec<(String, String)> = sqlx::query_as(
        "select e.evtname::text, pg_catalog.format('alter event trigger %I disable', e.evtname)
           from pg_catalog.pg_event_trigger as e
           join pg_catalog.pg_proc as p on p.oid = e.evtfoid
           join pg_catalog.pg_roles as owner on owner.oid = e.evtowner
           join pg_catalog.pg_roles as author on author.oid = p.proowner
          where e.evtenabled <> 'D' and not (owner.rolsuper and author.rolsuper)",
    )
    .fetch_all(&mut connection)
    .await?;
    for (_, statement) in &found {
        // PostgreSQL has quoted the event trigger's name in the statement.
        sqlx::raw_sql(AssertSqlSafe(statement.clone())).execute(&mut connection).await?;
    }
    connection.close().await?;
    Ok(found.into_iter().map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_loaded_before_the_libraries_of_extensions() {
        let [libraries, role] = parameters(Path::new("/a, b/cloch_hooks-15.so"), "pg_cron,pg_net");
        assert_eq!(libraries.1, "\"/a, b/cloch_hooks-15.so\",pg_cron,pg_net");
        assert_eq!(role, ("cloch.privileged_role".to_owned(), "postgres".to_owned()));
        assert_eq!(parameters(Path::new("/x.so"), "")[0].1, "\"/x.so\"");
    }
}
