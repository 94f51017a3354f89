//! Logs a warning at the start of the server about tables that everybody can read. Most tables that an ORM creates are among them: new
//! tables of role `postgres` in schema public are granted to the roles of the API, and most ORMs do not enable row-level security.

use cloch_sql::advisors::{Finding, Ignore, Report, tables_open_to_anon};
use sqlx::PgPool;

/// Maximum number of tables that the warning names.
const MAX_NAMED_TABLES: usize = 20;

pub(super) async fn run(pool: PgPool, schemas: Vec<String>, ignores: Vec<Ignore>) {
    match open_tables(&pool, &schemas, &ignores).await {
        Ok(tables) if tables.is_empty() => {
            tracing::debug!(
                "database: all tables that role anon can read have row-level security, or are ignored in cloch.toml"
            );
        }
        Ok(tables) => tracing::warn!(
            tables = tables.len(),
            "database: row-level security is disabled on tables that role anon can read: everybody who has the public key reads all rows of \
             {}. Enable row-level security (`cloch advise` prints the SQL), or revoke SELECT from anon. If this is intended, list the tables in \
             [[advisors.ignore]] of cloch.toml with lint = \"rls_disabled_in_public\"",
            named(&tables)
        ),
        Err(error) => {
            tracing::warn!(%error, "database: searching for tables without row-level security failed, no warnings about such tables until the next start")
        }
    }
}

/// Returns the tables that everybody can read, as `schema.name`, without the tables that match an entry of `ignores`.
async fn open_tables(pool: &PgPool, schemas: &[String], ignores: &[Ignore]) -> sqlx::Result<Vec<String>> {
    let findings = tables_open_to_anon(&mut *pool.acquire().await?, schemas).await?;
    let reported = Report::new(findings, ignores).lints;
    Ok(reported.iter().map(Finding::entity).collect())
}

fn named(tables: &[String]) -> String {
    let more = tables.len().saturating_sub(MAX_NAMED_TABLES);
    let names: Vec<&str> = tables.iter().take(MAX_NAMED_TABLES).map(String::as_str).collect();
    match more {
        0 => names.join(", "),
        _ => format!("{} and {more} more tables", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_names_is_limited() {
        let tables: Vec<String> = (1..=22).map(|number| format!("public.t{number}")).collect();
        assert_eq!(named(&tables[..2]), "public.t1, public.t2");
        assert!(named(&tables[..20]).ends_with(", public.t20"));
        assert!(named(&tables).ends_with(", public.t20 and 2 more tables"));
    }
}
