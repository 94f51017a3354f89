//! Stand-ins for extensions, and the real ones.
//!
//! A stand-in is made by the platform's files where the server lacks an extension. On an embedded server it announces itself by a control
//! file whose version is `stand-in` and whose script is empty, so that `create extension pg_net` succeeds through psql, the Supabase CLI
//! and inside of functions alike, and lists of extensions show what it is.
//!
//! Once the real extension is installed, the next start moves the stand-in's data into it, in one transaction. Where that fails, because
//! the project has built on the stand-in's objects, the stand-in goes on serving and the start says what is in the way.

use std::io;
use std::path::Path;

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

use crate::embedded::extensions::write;

/// The version of an extension that is stood in for.
pub(crate) const VERSION: &str = "stand-in";

/// How an extension takes over from its stand-in, and a condition that tells whether the project uses the stand-in.
struct Switch {
    extension: &'static str,
    script: &'static str,
    is_used: &'static str,
}

const SWITCHES: [Switch; 8] = [
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
        is_used: "exists (select from pg_attribute where atttypid = to_regtype('extensions.vector') and attrelid > 16383)",
    },
    Switch { extension: "pgjwt", script: include_str!("../switch/pgjwt.sql"), is_used: "false" },
    Switch { extension: "http", script: include_str!("../switch/http.sql"), is_used: "false" },
    Switch { extension: "pg_graphql", script: include_str!("../switch/pg_graphql.sql"), is_used: "false" },
];

/// Takes the announcements of stand-ins away: the platform's files look for real extensions.
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

/// Lets `create extension` find the stand-ins.
pub(crate) async fn announce(connection: &mut PgConnection, folder: &Path) -> sqlx::Result<()> {
    let rows = sqlx::query("select extension, detail from cloch.stand_ins").fetch_all(connection).await?;
    for row in rows {
        let (name, detail): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let control = format!(
            "comment = 'Stand-in of Cloch: {}'\ndefault_version = '{VERSION}'\nrelocatable = true\ntrusted = true\n",
            detail.replace('\'', "''")
        );
        let file = folder.join(format!("{name}.control"));
        // The real one may be there, and its stand-in kept because it cannot be exchanged.
        if !file.exists() {
            write(&file, &control)?;
            write(&folder.join(format!("{name}--{VERSION}.sql")), "-- The stand-in is in the database already.\n")?;
        }
    }
    Ok(())
}

/// Exchanges stand-ins for the real extensions that are installed by now. Returns what could not be exchanged: subject and reason.
pub(crate) async fn switch(connection: &mut PgConnection) -> sqlx::Result<Vec<(String, String)>> {
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
        match exchange(connection, switch).await {
            Ok(()) => {
                tracing::info!("extension {name} is installed now: it has taken over from its stand-in, with the data")
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

async fn exchange(connection: &mut PgConnection, switch: &Switch) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    let name = switch.extension;
    // Fixed texts of this program; what the project wrote is read from the catalog and quoted there.
    let wanted: bool = sqlx::query_scalar(AssertSqlSafe(format!(
        r#"select {} or exists (select from pg_extension where extname = $1)
             or exists (select from supabase_migrations.schema_migrations, unnest(statements) as statement
                         where (regexp_match(statement, '^create\s+extension\s+(?:if\s+not\s+exists\s+)?"?([\w-]+)', 'i'))[1] = $1)"#,
        switch.is_used
    )))
    .bind(name)
    .fetch_one(&mut *transaction)
    .await?;
    sqlx::raw_sql(AssertSqlSafe(format!(
        "set local search_path = ''; set local client_min_messages = error; set local check_function_bodies = off; drop extension if exists {name}; {}
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
    if !wanted {
        // Nobody asked for it: `create extension` makes it when somebody does.
        sqlx::raw_sql(AssertSqlSafe(format!("drop extension {name}"))).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}
