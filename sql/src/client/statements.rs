//! The statements a connection has prepared, by role and text.
//!
//! A plan depends on the role (row-level security), so one statement shared by alternating roles would be planned again at
//! every change. Each role gets its own.

use std::collections::HashMap;
use std::sync::Arc;

use super::exchange::Column;

/// Prepared statements that a connection keeps; the least recently used goes first.
const KEPT: usize = 512;

#[derive(Debug, Clone)]
pub(super) struct Prepared {
    pub(super) name: Arc<str>,
    pub(super) columns: Arc<[Column]>,
    used: u64,
}

#[derive(Debug, Default)]
pub(super) struct Statements {
    by_role: HashMap<Box<str>, HashMap<Box<str>, Prepared>>,
    count: usize,
    clock: u64,
    named: u64,
}

impl Statements {
    pub(super) fn get(&mut self, role: &str, sql: &str) -> Option<Prepared> {
        let prepared = self.by_role.get_mut(role)?.get_mut(sql)?;
        self.clock += 1;
        prepared.used = self.clock;
        Some(prepared.clone())
    }

    pub(super) fn next_name(&mut self) -> Arc<str> {
        self.named += 1;
        format!("s{}", self.named).into()
    }

    pub(super) fn insert(&mut self, role: &str, sql: &str, name: Arc<str>, columns: Arc<[Column]>) {
        self.clock += 1;
        let prepared = Prepared { name, columns, used: self.clock };
        if self.by_role.entry(role.into()).or_default().insert(sql.into(), prepared).is_none() {
            self.count += 1;
        }
    }

    #[expect(clippy::borrowed_box, reason = "the map's own key type: what an iterator over it hands out")]
    /// Takes out one statement beyond the limit: its name, to be closed.
    pub(super) fn evict(&mut self) -> Option<Arc<str>> {
        if self.count <= KEPT {
            return None;
        }
        let oldest = |(role, statements): (&Box<str>, &HashMap<Box<str>, Prepared>)| {
            let (sql, prepared) = statements.iter().min_by_key(|(_, prepared)| prepared.used)?;
            Some((prepared.used, role.clone(), sql.clone()))
        };
        let (_, role, sql) = self.by_role.iter().filter_map(oldest).min()?;
        let statements = self.by_role.get_mut(&role)?;
        let prepared = statements.remove(&sql)?;
        if statements.is_empty() {
            self.by_role.remove(&role);
        }
        self.count -= 1;
        Some(prepared.name)
    }

    /// Forgets one statement; its name, to be closed.
    pub(super) fn forget(&mut self, role: &str, sql: &str) -> Option<Arc<str>> {
        let prepared = self.by_role.get_mut(role)?.remove(sql)?;
        self.count -= 1;
        Some(prepared.name)
    }
}
