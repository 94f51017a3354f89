//! Determines what each role can do with each table, storage bucket and function, and prints the result as a Markdown table.

mod probe;

use std::fmt::Write;

use probe::{Action, Target};
use sqlx::{PgConnection, Row};

/// Callers, as arguments of `expect.caller` in the project's tests/setup.sql.
const CALLERS: [&str; 5] = ["anon", "stranger", "admin", "judge", "service_role"];

const HEAD: &str = "\
# Who may do what

Tried out on a database with the seed, by `cargo test -p cloch-sql --features testing --test it project_rules`; a table, bucket or
function that is not listed here, or behaves otherwise, fails that test. `CLOCH_UPDATE=1` writes this file anew.

*stranger* is signed in and has no role; *refused* is an error, *nothing* means that no row is there for this caller. Where not
every column may be read or written, the columns are named.
";

pub(crate) async fn table(scene: &mut PgConnection) -> sqlx::Result<String> {
    let mut text = HEAD.to_owned();
    for target in targets(scene).await? {
        let _ = write!(text, "\n## {target}\n\n| | select | insert | update | delete |\n|---|---|---|---|---|\n");
        for caller in CALLERS {
            let _ = write!(text, "| {caller} |");
            for action in Action::ALL {
                let cell = probe::cell(scene, &target, caller, action).await?;
                let _ = write!(text, " {cell} |");
            }
            text.push('\n');
        }
    }
    text.push_str("\n## Functions\n\n| |");
    for caller in CALLERS {
        let _ = write!(text, " {caller} |");
    }
    text.push_str("\n|---|---|---|---|---|---|\n");
    text.push_str(&functions(scene).await?);
    Ok(text)
}

async fn targets(scene: &mut PgConnection) -> sqlx::Result<Vec<Target>> {
    let tables = sqlx::query(
        "select relname::text from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
          order by relname",
    )
    .fetch_all(&mut *scene)
    .await?;
    let buckets = sqlx::query("select id from storage.buckets order by id").fetch_all(&mut *scene).await?;
    let mut targets = Vec::new();
    for row in &tables {
        targets.push(Target::Table(row.try_get(0)?));
    }
    for row in &buckets {
        targets.push(Target::Bucket(row.try_get(0)?));
    }
    Ok(targets)
}

/// Lists the functions in schema public with the roles that may call them. Access checks inside the functions are not tested.
async fn functions(scene: &mut PgConnection) -> sqlx::Result<String> {
    let rows = sqlx::query(
        "select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
                array(select has_function_privilege(role, p.oid, 'execute')
                        from unnest(array['anon', 'authenticated', 'authenticated', 'judge', 'service_role'])
                             with ordinality as r (role, place) order by place)
           from pg_proc as p
          where p.pronamespace = 'public'::regnamespace
          order by 1",
    )
    .fetch_all(scene)
    .await?;
    let mut text = String::new();
    for row in &rows {
        let (name, allowed): (String, Vec<bool>) = (row.try_get(0)?, row.try_get(1)?);
        let _ = write!(text, "| {name} |");
        for may in allowed {
            let _ = write!(text, " {} |", if may { "may call" } else { "refused" });
        }
        text.push('\n');
    }
    Ok(text)
}
