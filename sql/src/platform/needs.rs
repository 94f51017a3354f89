//! Checks at each start which tables, columns and privileges that Cloch requires are missing in a database that another program created,
//! and which features therefore fail.

use std::collections::BTreeSet;

use sqlx::{PgConnection, Row};

use super::statement::Statement;
use super::texts;
use crate::migrations::{MigrationError, split};

/// Prefix of a table's name, and the features that fail if a table with this prefix is missing. For each table, the first matching prefix
/// applies. The text is empty for tables that Cloch does not use.
const COSTS: [(&str, &str); 18] = [
    ("auth.schema_migrations", ""),
    ("auth.instances", ""),
    ("auth.mfa_amr_claims", "signing in fails"),
    ("auth.mfa_", "second factors cannot be used"),
    ("auth.webauthn_", "passkeys cannot be used"),
    ("auth.custom_oauth_providers", "providers added at run time cannot be used"),
    ("auth.oauth_client_states", "signing in through a provider fails"),
    ("auth.oauth_", "OAuth clients cannot be served"),
    ("auth.sso_", "single sign-on cannot be used"),
    ("auth.saml_", "single sign-on cannot be used"),
    ("auth.flow_state", "signing in with PKCE fails"),
    ("auth.", "sign-up, signing in and what follows them fail"),
    ("storage.buckets_vectors", "vector buckets cannot be used"),
    ("storage.vector_indexes", "vector buckets cannot be used"),
    ("storage.s3_multipart_", "uploads in parts over S3 fail"),
    ("storage.objects", "files cannot be stored or read"),
    ("storage.buckets", "files cannot be stored or read"),
    ("realtime.messages", "private channels and broadcasts from the database do not work"),
];

/// A table that only Supabase's hosted services use.
const UNUSED: &str = "storage.buckets_analytics";

fn cost(table: &str) -> Option<&'static str> {
    if table == UNUSED {
        return None;
    }
    let (_, cost) = COSTS.iter().find(|(prefix, _)| table.starts_with(prefix))?;
    (!cost.is_empty()).then_some(*cost)
}

/// Returns the missing tables, columns, functions, roles and privileges, each with the features that fail for this reason.
pub(crate) async fn missing(connection: &mut PgConnection) -> Result<Vec<(String, String)>, MigrationError> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (file, text) in texts()? {
        for range in split::statements(&text).map_err(MigrationError::text(&file))? {
            match Statement::read(text.get(range).unwrap_or_default()) {
                Statement::Table(table, columns) => {
                    let Some(cost) = cost(table) else { continue };
                    let columns: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
                    if let Some(lack) = table_lack(connection, table, &columns).await? {
                        found.push((format!("table {table}"), format!("{lack}: {cost}")));
                    }
                }
                Statement::Function(name)
                    if (name.starts_with("auth.") || name.starts_with("storage."))
                        && seen.insert(name.to_owned())
                        && !has_function(connection, name).await? =>
                {
                    let cost = "is missing: policies and calls that name it fail";
                    found.push((format!("function {name}"), cost.to_owned()));
                }
                _ => {}
            }
        }
    }
    found.extend(missing_roles(connection).await?);
    Ok(found)
}

/// Returns as text which columns of a table are missing or which privileges this login lacks; `None` if nothing is missing.
async fn table_lack(connection: &mut PgConnection, table: &str, columns: &[&str]) -> sqlx::Result<Option<String>> {
    let row = sqlx::query(
        "select array(select wanted from unnest($2::text[]) as wanted
                       where not exists (select from pg_catalog.pg_attribute
                                          where attrelid = c.oid and attname = wanted and not attisdropped)),
                array(select 'usage of its schema' where not has_schema_privilege(n.oid, 'usage')
                      union all
                      select right_ from unnest('{select,insert,update,delete}'::text[]) as right_
                       where not has_table_privilege(c.oid, right_)),
                row_security_active(c.oid) and not pg_has_role(current_user, c.relowner, 'member')
           from pg_catalog.pg_class as c
           join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
          where nspname || '.' || relname = $1",
    )
    .bind(table)
    .bind(columns)
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(Some("is missing".to_owned())) };
    let (columns, rights): (Vec<String>, Vec<String>) = (row.try_get(0)?, row.try_get(1)?);
    let mut lacks = Vec::new();
    if !columns.is_empty() {
        lacks.push(format!("lacks {}", columns.join(", ")));
    }
    if !rights.is_empty() {
        lacks.push(format!("may not be used by this login ({})", rights.join(", ")));
    } else if row.try_get(2)? {
        lacks.push("hides its rows from this login (row security)".to_owned());
    }
    Ok((!lacks.is_empty()).then(|| lacks.join("; ")))
}

async fn has_function(connection: &mut PgConnection, name: &str) -> sqlx::Result<bool> {
    sqlx::query(
        "select exists (select from pg_catalog.pg_proc
                         where pronamespace = to_regnamespace(split_part($1, '.', 1)) and proname = split_part($1, '.', 2))",
    )
    .bind(name)
    .fetch_one(connection)
    .await?
    .try_get(0)
}

/// Returns the required roles to which this login cannot switch, each with the requests that fail.
async fn missing_roles(connection: &mut PgConnection) -> sqlx::Result<Vec<(String, String)>> {
    let rows = sqlx::query(
        "select name, cost || format('. To change this, execute: grant %I to %I', name, current_user)
           from (values ('anon', 'requests without a session are refused'),
                        ('authenticated', 'requests of signed-in users are refused'),
                        ('service_role', 'requests with the secret key, and all of storage, are refused'),
                        ('supabase_auth_admin',
                         'triggers on auth.users and hooks run with the rights of Cloch''s login')) as needed (name, cost)
          where not exists (select from pg_catalog.pg_roles where rolname = name and pg_has_role(current_user, oid, 'member'))",
    )
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            let (name, cost): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            Ok((format!("role {name}"), format!("cannot be taken on by this login: {cost}")))
        })
        .collect()
}
