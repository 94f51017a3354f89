//! Removes the privilege MAINTAIN, which PostgreSQL 17 introduced, from grants and revokes on an older server. `pg_dump` and
//! `supabase db diff` of PostgreSQL 17 write MAINTAIN together with the other privileges of a table. An older server has no such privilege:
//! only the owner of a table may run `vacuum`, `analyze` and `reindex`. Without MAINTAIN, a statement therefore never grants more than it
//! did before.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::scan::{Backslashes, Kind, Scanner};
use crate::client::{ClientError, Connection};

/// First version of PostgreSQL with the privilege, in the format of `server_version_num`.
const FIRST_VERSION: u32 = 170_000;
const PRIVILEGE: &str = "maintain";

/// Privileges that the PostgreSQL server supports.
#[derive(Debug)]
pub struct KnownPrivileges {
    has_maintain: bool,
    /// Whether the removal of the privilege has already been logged. It is logged only once, because a dump contains hundreds of such
    /// statements.
    is_logged: AtomicBool,
}

impl KnownPrivileges {
    pub(super) async fn read(owner: &mut Connection) -> Result<Self, ClientError> {
        let version = owner.texts("select /* cloch */ current_setting('server_version_num')").await?;
        Ok(Self::of_version(version.first().map_or("", String::as_str)))
    }

    /// Returns the privileges of a server. `version` is the server's `server_version_num`.
    #[must_use]
    pub fn of_version(version: &str) -> Self {
        let version: Option<u32> = version.parse().ok();
        Self { has_maintain: version.is_none_or(|version| version >= FIRST_VERSION), is_logged: AtomicBool::new(false) }
    }

    /// Returns the statement of a file without the privileges that the server lacks. Returns `None` if no privilege remains.
    pub fn known<'a>(&self, statement: &'a str, file: &str) -> Option<Cow<'a, str>> {
        if self.has_maintain {
            return Some(Cow::Borrowed(statement));
        }
        let known = without_maintain(statement);
        if !matches!(known, Some(Cow::Borrowed(_))) && !self.is_logged.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "database: {file}: privilege MAINTAIN skipped in grants and revokes: this version of PostgreSQL lacks it, and only the owner of a table may vacuum, analyze and reindex it, no action needed"
            );
        }
        known
    }
}

/// Removes MAINTAIN from a grant or revoke of privileges, and returns all other statements unchanged. Returns `None` if MAINTAIN is the
/// only privilege of the statement.
fn without_maintain(statement: &str) -> Option<Cow<'_, str>> {
    let Some((list, kept)) = kept_privileges(statement) else { return Some(Cow::Borrowed(statement)) };
    if kept.is_empty() {
        return None;
    }
    let (before, behind) = (statement.get(..list.start)?, statement.get(list.end..)?);
    let kept: Vec<&str> = kept.into_iter().filter_map(|range| statement.get(range)).collect();
    Some(Cow::Owned(format!("{before}{}{behind}", kept.join(", "))))
}

/// Returns the range of the list of privileges, and the ranges of all privileges except MAINTAIN. Returns `None` if the statement does not
/// name MAINTAIN as a privilege.
fn kept_privileges(statement: &str) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let mut scanner = Scanner::new(statement, Backslashes::Plain);
    let mut next = || {
        let token = scanner.token().ok()??;
        let word = match token.kind {
            Kind::Word => statement.get(token.range.clone()).unwrap_or_default().to_ascii_lowercase(),
            _ => String::new(),
        };
        Some((token, word))
    };
    let first = next()?.1;
    if first == "alter" {
        if next()?.1 != "default" {
            return None;
        }
        while !matches!(next()?.1.as_str(), "grant" | "revoke") {}
    } else if !matches!(first.as_str(), "grant" | "revoke") {
        return None;
    }
    let (mut privileges, mut words, mut depth) = (vec![], Vec::<String>::new(), 0);
    let mut range: Option<Range<usize>> = None;
    loop {
        let (token, word) = next()?;
        match token.kind {
            Kind::Symbol(b'(') => depth += 1,
            Kind::Symbol(b')') => depth -= 1,
            _ => {}
        }
        let ends_list = depth == 0 && word == "on";
        if ends_list || (depth == 0 && token.kind == Kind::Symbol(b',')) {
            privileges.push((range.take()?, std::mem::take(&mut words)));
            if ends_list {
                break;
            }
            continue;
        }
        range = Some(range.map_or(token.range.start, |range| range.start)..token.range.end);
        words.push(word);
        // In `revoke grant option for`, the list of privileges follows these words.
        if words == ["grant", "option", "for"] {
            (range, words) = (None, Vec::new());
        }
    }
    let list = privileges.first()?.0.start..privileges.last()?.0.end;
    let count = privileges.len();
    let kept: Vec<_> =
        privileges.into_iter().filter(|(_, words)| *words != [PRIVILEGE]).map(|(range, _)| range).collect();
    (kept.len() < count).then_some((list, kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maintain_is_removed_from_lists_of_privileges() {
        for (statement, expected) in [
            ("GRANT INSERT, MAINTAIN, UPDATE ON public.a TO anon", Some("GRANT INSERT, UPDATE ON public.a TO anon")),
            ("grant maintain,select (a, b) on t to anon;", Some("grant select (a, b) on t to anon;")),
            (
                "grant select, Maintain on table \"maintain\" to anon",
                Some("grant select on table \"maintain\" to anon"),
            ),
            (
                "revoke grant option for maintain, select on t from a",
                Some("revoke grant option for select on t from a"),
            ),
            ("revoke maintain on table t from anon", None),
            (
                "ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT SELECT,MAINTAIN ON TABLES TO anon;",
                Some("ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA public GRANT SELECT ON TABLES TO anon;"),
            ),
            ("alter default privileges grant maintain on tables to anon", None),
        ] {
            assert_eq!(without_maintain(statement).as_deref(), expected, "{statement}");
        }
    }

    #[test]
    fn other_statements_are_unchanged() {
        for statement in [
            "grant maintain to anon",
            "grant select on maintain to anon",
            "grant select (maintain) on t to anon",
            "grant \"maintain\" to anon",
            "alter table maintain enable row level security",
            "select 'grant maintain on t to anon'",
            "create table maintain (a int)",
        ] {
            assert!(
                matches!(without_maintain(statement), Some(Cow::Borrowed(text)) if text == statement),
                "{statement}"
            );
        }
    }
}
