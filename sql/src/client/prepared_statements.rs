//! Cache of the prepared statements of a connection, keyed by database role and SQL text.
//!
//! A plan depends on the role (row-level security). If several roles shared a prepared statement, PostgreSQL would plan it again whenever
//! the role changes. Therefore each role has its own prepared statements.
//!
//! The plan of a prepared statement occupies memory of the server process. Therefore a statement stays prepared only from its second use,
//! and only if its text is short. The estimated memory of all statements is limited in bytes.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::row::Column;

/// Maximum number of prepared statements of a connection; the least recently used statement is evicted.
const MAX_STATEMENTS: usize = 512;
/// Maximum estimated memory in bytes that all prepared statements of a connection occupy in the server process.
const MAX_SERVER_BYTES: usize = 32 * 1024 * 1024;
/// Maximum length of the SQL text, in bytes, of a statement that stays prepared.
const MAX_TEXT_BYTES: usize = 16 * 1024;
/// Estimated memory of the shortest prepared statement in the server process, in bytes; each byte of the statement's text adds
/// [`BYTES_PER_TEXT_BYTE`]. Measured in PostgreSQL 15 (`pg_backend_memory_contexts`, generic plans, tables with one policy each): 8 KiB for
/// the shortest statement; per byte of text, 30 to 55 bytes in conditions, 45 in columns, 65 to 85 in `ORDER BY`, 80 to 150 in embeds. The
/// plan of a view includes the view's query, which is not part of the statement's text: therefore the number of statements is limited too.
const MIN_STATEMENT_BYTES: usize = 16 * 1024;
const BYTES_PER_TEXT_BYTE: usize = 128;
/// Time for which a failed prepared statement is not prepared again. After a failure, a statement is prepared again and repeated once,
/// because the schema may have changed. If the repeated statement fails in the same way, the parameter values are the cause. Another
/// failure within this time is then returned without a repetition.
const VALID_FOR: Duration = Duration::from_secs(1);
/// Number of slots for hashes of SQL texts that were used once.
const SEEN_SLOTS: usize = 512;

#[derive(Debug, Clone)]
pub(super) struct Prepared {
    pub(super) name: Arc<str>,
    pub(super) columns: Arc<[Column]>,
    used: u64,
    /// Time of this prepared statement's last failure that was not caused by a schema change: the statement was prepared again and failed
    /// in the same way.
    validated: Option<Instant>,
}

#[derive(Debug, Default)]
pub(super) struct PreparedStatements {
    /// Schema version under which all cached statements were prepared.
    version: u64,
    by_role: HashMap<Box<str>, HashMap<Box<str>, Prepared>>,
    count: usize,
    /// Estimated memory of all cached statements in the server process, in bytes.
    bytes: usize,
    clock: u64,
    named: u64,
    /// Hashes of role and SQL text of statements that were used once. The hash determines its own index in the vector, where it overwrites
    /// the hash of another statement.
    seen: Vec<u64>,
    hasher: RandomState,
}

/// Estimates the memory of a prepared statement in the server process, in bytes.
fn estimate(sql: &str) -> usize {
    MIN_STATEMENT_BYTES + sql.len() * BYTES_PER_TEXT_BYTE
}

pub(super) fn is_large(sql: &str) -> bool {
    sql.len() > MAX_TEXT_BYTES
}

impl PreparedStatements {
    pub(super) fn get(&mut self, role: &str, sql: &str) -> Option<Prepared> {
        let prepared = self.by_role.get_mut(role)?.get_mut(sql)?;
        self.clock += 1;
        prepared.used = self.clock;
        Some(prepared.clone())
    }

    /// Whether [`Self::validate`] was called for the prepared statement within the last [`VALID_FOR`].
    pub(super) fn is_valid(&self, role: &str, sql: &str) -> bool {
        let prepared = self.by_role.get(role).and_then(|statements| statements.get(sql));
        prepared.is_some_and(|prepared| prepared.validated.is_some_and(|at| at.elapsed() < VALID_FOR))
    }

    /// Records that the failure of the prepared statement was not caused by a schema change.
    pub(super) fn validate(&mut self, role: &str, sql: &str) {
        if let Some(prepared) = self.by_role.get_mut(role).and_then(|statements| statements.get_mut(sql)) {
            prepared.validated = Some(Instant::now());
        }
    }

    /// Returns a name under which a new statement is prepared. Returns an empty name (PostgreSQL's unnamed statement) if the statement must
    /// not stay prepared.
    pub(super) fn name(&mut self, role: &str, sql: &str) -> Arc<str> {
        if is_large(sql) || !self.has_seen(role, sql) {
            return "".into();
        }
        self.named += 1;
        format!("s{}", self.named).into()
    }

    /// Whether this role has used the SQL text before. Marks the text as used.
    fn has_seen(&mut self, role: &str, sql: &str) -> bool {
        if self.seen.is_empty() {
            self.seen = vec![0; SEEN_SLOTS];
        }
        let hash = self.hasher.hash_one((role, sql));
        let place = usize::try_from(hash % SEEN_SLOTS as u64).unwrap_or_default();
        match self.seen.get_mut(place) {
            Some(seen) => std::mem::replace(seen, hash) == hash,
            None => false,
        }
    }

    pub(super) fn insert(&mut self, role: &str, sql: &str, name: Arc<str>, columns: Arc<[Column]>) {
        self.clock += 1;
        let prepared = Prepared { name, columns, used: self.clock, validated: None };
        if self.by_role.entry(role.into()).or_default().insert(sql.into(), prepared).is_none() {
            self.count += 1;
            self.bytes += estimate(sql);
        }
    }

    /// Removes all statements if they were prepared under another schema version. Returns the names of the statements, which must be
    /// closed. The hashes of used SQL texts are kept, because the same statements will be used again.
    pub(super) fn outdated(&mut self, version: u64) -> Vec<Arc<str>> {
        if self.version == version {
            return Vec::new();
        }
        self.version = version;
        (self.count, self.bytes) = (0, 0);
        let statements = std::mem::take(&mut self.by_role).into_values().flat_map(HashMap::into_values);
        statements.map(|prepared| prepared.name).collect()
    }

    #[expect(clippy::borrowed_box, reason = "the map's own key type: what an iterator over it hands out")]
    /// Removes the least recently used statement if a limit of the cache is exceeded. Returns the statement's name, which must be closed.
    pub(super) fn evict(&mut self) -> Option<Arc<str>> {
        if self.count <= MAX_STATEMENTS && self.bytes <= MAX_SERVER_BYTES {
            return None;
        }
        let oldest = |(role, statements): (&Box<str>, &HashMap<Box<str>, Prepared>)| {
            let (sql, prepared) = statements.iter().min_by_key(|(_, prepared)| prepared.used)?;
            Some((prepared.used, role.clone(), sql.clone()))
        };
        let (_, role, sql) = self.by_role.iter().filter_map(oldest).min()?;
        let name = self.forget(&role, &sql)?;
        if self.by_role.get(&role).is_some_and(HashMap::is_empty) {
            self.by_role.remove(&role);
        }
        Some(name)
    }

    /// Removes a statement from the cache. Returns the statement's name, which must be closed.
    pub(super) fn forget(&mut self, role: &str, sql: &str) -> Option<Arc<str>> {
        let prepared = self.by_role.get_mut(role)?.remove(sql)?;
        self.count -= 1;
        self.bytes -= estimate(sql);
        Some(prepared.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses a statement in the same way as a connection. Returns whether the statement stays prepared.
    fn used(statements: &mut PreparedStatements, role: &str, sql: &str) -> bool {
        if statements.get(role, sql).is_some() {
            return true;
        }
        while statements.evict().is_some() {}
        let name = statements.name(role, sql);
        let is_kept = !name.is_empty();
        if is_kept {
            statements.insert(role, sql, name, [].into());
        }
        is_kept
    }

    #[test]
    fn a_statement_is_kept_from_its_second_use_on() {
        let mut statements = PreparedStatements::default();
        assert!(!used(&mut statements, "anon", "select 1"));
        assert!(!used(&mut statements, "authenticated", "select 1"));
        assert!(used(&mut statements, "anon", "select 1"));
        for other in 0..10_000 {
            assert!(!used(&mut statements, "anon", &format!("select {other} + 0")));
        }
        assert_eq!(statements.count, 1);
        assert!(statements.get("anon", "select 1").is_some());
    }

    #[test]
    fn nothing_is_kept_beyond_a_version_of_the_schema() {
        let mut statements = PreparedStatements::default();
        assert!(statements.outdated(1).is_empty());
        assert!(!used(&mut statements, "anon", "select 1") && used(&mut statements, "anon", "select 1"));
        assert!(statements.outdated(1).is_empty() && statements.get("anon", "select 1").is_some());
        assert_eq!(statements.outdated(2).len(), 1);
        assert!(statements.get("anon", "select 1").is_none());
        assert_eq!((statements.count, statements.bytes), (0, 0));
        assert!(used(&mut statements, "anon", "select 1"), "kept again at once");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut statements = PreparedStatements::default();
        for number in 0..2 * MAX_STATEMENTS {
            for length in [0, MAX_TEXT_BYTES / 2, MAX_TEXT_BYTES] {
                let sql = format!("select {number} -- {}", "x".repeat(length));
                used(&mut statements, "anon", &sql);
                assert_eq!(used(&mut statements, "anon", &sql), length < MAX_TEXT_BYTES);
                // The last inserted statement may exceed the limits until the next call of `evict`.
                let kept: usize = statements.by_role.values().flat_map(HashMap::keys).map(|sql| estimate(sql)).sum();
                assert!(kept == statements.bytes && kept <= MAX_SERVER_BYTES + estimate(&sql));
                assert!(statements.count <= MAX_STATEMENTS + 1);
            }
        }
    }
}
