//! Statements about extensions. A statement about an extension that this PostgreSQL lacks is skipped, and the start reports it; others run
//! as the login itself. On a cluster of Cloch's own that is the project's owner, who creates what [`crate::embedded`]'s tree of extensions
//! trusts; on the operator's server it may be one that creates more than the owner does.

use std::collections::BTreeSet;

use sqlx::{PgConnection, Row};

use super::script::Script;
use super::transactions::words;

/// The extensions that can be created on this server.
pub(super) struct Available {
    /// Those that are installed.
    real: BTreeSet<String>,
    /// Those that are stood in for, and announced as such.
    stood_in_for: BTreeSet<String>,
}

impl Available {
    pub(super) async fn read(connection: &mut PgConnection) -> sqlx::Result<Self> {
        let (mut real, mut stood_in_for) = (BTreeSet::new(), BTreeSet::new());
        let rows = sqlx::query("select name::text, coalesce(default_version, '') = $1 from pg_available_extensions")
            .bind(crate::stand_ins::VERSION)
            .fetch_all(connection)
            .await?;
        for row in rows {
            let of_kind = if row.try_get(1)? { &mut stood_in_for } else { &mut real };
            of_kind.insert(row.try_get(0)?);
        }
        Ok(Self { real, stood_in_for })
    }

    pub(super) fn is_real(&self, name: &str) -> bool {
        self.real.contains(name)
    }

    pub(super) fn can_be_created(&self, name: &str) -> bool {
        self.is_real(name) || self.stood_in_for.contains(name)
    }
}

/// The extension that a statement creates, alters, drops or comments on.
pub(super) fn named(statement: &str) -> Option<String> {
    let words = words(statement);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let rest = match words.as_slice() {
        ["create" | "alter" | "drop", "extension", rest @ ..] | ["comment", "on", "extension", rest @ ..] => rest,
        _ => return None,
    };
    let name = rest.iter().find(|word| !matches!(**word, "if" | "not" | "exists"))?;
    Some(name.trim_matches('"').to_owned())
}

/// The extension whose index method a statement uses, if no stand-in is possible: PostgreSQL would fail at its name.
pub(super) fn index_method(statement: &str) -> Option<&'static str> {
    let words = words(statement);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let rest = match words.as_slice() {
        ["create", "index", rest @ ..] | ["create", "unique", "index", rest @ ..] => rest,
        _ => return None,
    };
    let method = rest.iter().skip_while(|word| **word != "using").nth(1)?;
    matches!(*method, "hnsw" | "ivfflat").then_some("vector")
}

/// Adds a statement that runs as the login role, and the role's change there and back.
pub(super) fn push_as_login(script: &mut Script<'_>, statement: &str, at: usize) {
    script.push("select set_config('cloch.role', current_setting('role'), true), set_config('role', 'none', true)", at);
    script.push(statement, at);
    script.push("select set_config('role', current_setting('cloch.role'), true)", at);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_extension_of_a_statement() {
        for (statement, expected) in [
            ("create extension if not exists pg_net with schema extensions", Some("pg_net")),
            ("CREATE EXTENSION \"vector\";", Some("vector")),
            ("drop extension if exists \"pg_net\" cascade", Some("pg_net")),
            ("create /* a */ extension\n-- b\n\"uuid-ossp\"", Some("uuid-ossp")),
            ("alter extension pg_trgm set schema extensions", Some("pg_trgm")),
            ("comment on extension pg_cron is 'x'", Some("pg_cron")),
            ("create table extension (a int)", None),
            ("comment on table extension is 'x'", None),
        ] {
            assert_eq!(named(statement).as_deref(), expected, "{statement}");
        }
    }

    #[test]
    fn finds_the_index_methods_of_extensions() {
        for (statement, expected) in [
            ("create index on items using hnsw (embedding vector_l2_ops)", Some("vector")),
            ("CREATE INDEX IF NOT EXISTS i ON items USING ivfflat(embedding) WITH (lists = 100)", Some("vector")),
            ("create unique index i on items using btree (a)", None),
            ("create index i on items (hnsw)", None),
            ("comment on index i is 'using hnsw'", None),
        ] {
            assert_eq!(index_method(statement), expected, "{statement}");
        }
    }
}
