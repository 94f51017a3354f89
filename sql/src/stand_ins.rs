//! Stand-ins (SQL in place of an extension that the server lacks), and the replacement of stand-ins by the real extensions.
//!
//! The platform's SQL creates a stand-in if the server lacks an extension. On an embedded server, Cloch also writes a control file with
//! version `stand-in` and an empty script. With these files, `create extension pg_net` succeeds in psql, the Supabase CLI and functions,
//! and lists of extensions show the stand-in.
//!
//! After the real extension is installed, the next start moves the stand-in's data to the extension in one transaction. If objects of the
//! project depend on the stand-in, the move fails: the stand-in stays in use, and the start reports the reason.

use std::io;
use std::path::Path;

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

use crate::embedded::extensions::write;

/// Version in the control file of a stand-in (SQL in place of a missing extension).
pub(crate) const VERSION: &str = "stand-in";

/// Extensions that every new Supabase project has and that PostgreSQL's own packages do not contain, each with its schema.
pub(crate) const USUAL_EXTENSIONS: [(&str, &str); 2] = [("pg_graphql", "graphql"), ("supabase_vault", "vault")];

/// SQL script that replaces a stand-in (SQL in place of a missing extension) by the real extension, and an SQL condition that is true if
/// the project uses the stand-in.
struct Switch {
    extension: &'static str,
    script: &'static str,
    is_used: &'static str,
}

const SWITCHES: [Switch; 9] = [
    Switch {
        extension: "pg_cron",
        script: include_str!("../switch/pg_cron.sql"),
        is_used: "exists (select from cron.job)",
    },
    Switch {
        extension: "pg_net",
        script: include_str!("../switch/pg_net.sql"),
        is_used: "exists (select from pg_trigger where tgfoid = to_regprocedure('supabase_functions.http_request()'))",
    },
    Switch {
        extension: "supabase_vault",
        script: include_str!("../switch/supabase_vault.sql"),
        is_used: "exists (select from vault.secrets)",
    },
    Switch { extension: "pgmq", script: include_str!("../switch/pgmq.sql"), is_used: "exists (select from pgmq.meta)" },
    Switch {
        extension: "vector",
        script: include_str!("../switch/vector.sql"),
        is_used: "exists (select from pg_attribute where attrelid > 16383 and atttypid in (
                      select objid from cloch.stand_in_vector_objects() where classid = 'pg_type'::regclass))",
    },
    Switch {
        extension: "pg_jsonschema",
        script: include_str!("../switch/pg_jsonschema.sql"),
        is_used: "exists (select from pg_depend where deptype = 'n' and refclassid = 'pg_proc'::regclass and refobjid in (
                      select oid from pg_proc where pronamespace = to_regnamespace('extensions') and proname in (
                          'json_matches_schema', 'jsonb_matches_schema', 'jsonschema_is_valid', 'jsonschema_validation_errors')))",
    },
    Switch { extension: "pgjwt", script: include_str!("../switch/pgjwt.sql"), is_used: "false" },
    Switch { extension: "http", script: include_str!("../switch/http.sql"), is_used: "false" },
    Switch { extension: "pg_graphql", script: include_str!("../switch/pg_graphql.sql"), is_used: "false" },
];

/// Deletes the extension control files of stand-ins, so that the platform's SQL finds only real extensions.
pub(crate) fn hide(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name().to_string_lossy().ends_with(".control") {
            let is_stand_in =
                std::fs::read_to_string(entry.path())?.contains(&format!("default_version = '{VERSION}'"));
            if is_stand_in {
                std::fs::remove_file(entry.path())?;
            }
        }
    }
    Ok(())
}

/// Writes the extension control files of stand-ins, so that `create extension` finds the stand-ins.
pub(crate) async fn announce(connection: &mut PgConnection, folder: &Path) -> sqlx::Result<()> {
    let rows = sqlx::query("select extension, detail from cloch.stand_ins").fetch_all(connection).await?;
    for row in rows {
        let (name, detail): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let control = format!(
            "comment = 'Stand-in of Cloch: {}'\ndefault_version = '{VERSION}'\nrelocatable = true\ntrusted = true\n",
            detail.replace('\'', "''")
        );
        let file = folder.join(format!("{name}.control"));
        // If the extension is installed but its stand-in could not be replaced, the folder already contains the control file of the real
        // extension.
        if !file.exists() {
            write(&file, &control)?;
            write(&folder.join(format!("{name}--{VERSION}.sql")), "-- The stand-in is in the database already.\n")?;
        }
    }
    Ok(())
}

/// Creates the stand-ins (SQL in place of a missing extension) of the extensions that every new Supabase project has, because migrations
/// query pg_extension for them. The project's owner owns these extensions and may drop them.
pub(crate) async fn create_usual(connection: &mut PgConnection) -> sqlx::Result<()> {
    for (name, schema) in USUAL_EXTENSIONS {
        let is_stood_in: bool = sqlx::query_scalar("select exists (select from cloch.stand_ins where extension = $1)")
            .bind(name)
            .fetch_one(&mut *connection)
            .await?;
        if is_stood_in {
            // `name` and `schema` are constants of this program, so no quoting is needed.
            let create = format!(
                "begin; set local role postgres; create extension if not exists {name} with schema {schema}; commit;"
            );
            sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// Replaces stand-ins (SQL in place of a missing extension) by the real extensions that have been installed. `asked` contains the
/// extensions that applied migrations create. Returns the extensions whose stand-in could not be replaced, each with the reason.
pub(crate) async fn switch(connection: &mut PgConnection, asked: &[String]) -> sqlx::Result<Vec<(String, String)>> {
    let installed: Vec<String> = sqlx::query_scalar(
        "select extension from cloch.stand_ins
          where extension in (select name from pg_available_extensions where default_version <> $1) order by 1",
    )
    .bind(VERSION)
    .fetch_all(&mut *connection)
    .await?;
    let mut kept = Vec::new();
    for name in installed {
        let Some(switch) = SWITCHES.iter().find(|switch| switch.extension == name) else { continue };
        match exchange(connection, switch, asked.contains(&name)).await {
            Ok(()) => {
                tracing::info!(
                    "database: extension {name} has been installed: the extension replaces its stand-in (SQL that Cloch used instead), data moved"
                )
            }
            Err(error) => {
                let reason =
                    error.as_database_error().map_or_else(|| error.to_string(), |refusal| refusal.message().to_owned());
                let detail = format!(
                    "is installed, but its stand-in goes on serving, because it could not be exchanged: {reason}. Drop what depends on it \
                     (a view, a function), start again, and create that anew; or remove the extension from the server"
                );
                kept.push((format!("extension {name}"), detail));
            }
        }
    }
    Ok(kept)
}

async fn exchange(connection: &mut PgConnection, switch: &Switch, is_asked: bool) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    let name = switch.extension;
    // The SQL texts are constants of this program. Names from the project's catalog are quoted inside the SQL.
    let wanted: bool = sqlx::query_scalar(AssertSqlSafe(format!(
        "select {} or exists (select from pg_extension where extname = $1)",
        switch.is_used
    )))
    .bind(name)
    .fetch_one(&mut *transaction)
    .await?;
    sqlx::raw_sql(AssertSqlSafe(format!(
        "set local search_path = ''; set local client_min_messages = error; set local check_function_bodies = off;
         drop extension if exists {name}; {}
         do $$ declare names text := cloch.dependents('cloch_stand_in'); begin
           if names is not null then raise exception '% depends on it', names; end if;
         end $$;
         drop schema if exists cloch_stand_in cascade;
         delete from cloch.stand_ins where extension = '{name}';
         delete from cloch.notices where subject = 'extension {name}';",
        switch.script
    )))
    .execute(&mut *transaction)
    .await?;
    if !wanted && !is_asked {
        // The project does not use the extension, so it is dropped. `create extension` creates it again when the project needs it.
        sqlx::raw_sql(AssertSqlSafe(format!("drop extension {name}"))).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}
