//! Determines which token claims the policies of a table read (`cloch.policy_claims`), and so which callers the policies can distinguish.
//! Repeated after policies change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cloch_sql::Caller;
use serde_json::Value;
use sqlx::{Postgres, Transaction};

/// Maximum number of tables in the cache. Only tables with subscriptions are cached.
const MAX_KNOWN_TABLES: usize = 1_000;

#[derive(Debug, Default, sqlx::FromRow)]
pub(super) struct PolicyClaims {
    /// Names of the token claims that the policies read. `None` if the policies may read any claim, or may have side effects.
    claims: Option<Vec<String>>,
    /// OIDs of the table itself and of the tables that its policies read. The policies of all these tables affect the result of a check.
    pub(super) relations: Vec<i64>,
    /// Fingerprint of the policies of all tables in `relations`.
    fingerprint: String,
}

/// Key by which callers are grouped. One policy check is made for all callers with equal keys.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Distinction<'a> {
    /// Key of the callers with a role to which no policy applies.
    Role(&'a str),
    Claims(&'a str, Vec<Option<&'a Value>>),
    /// Key of a caller if the policies may read all claims: the role, and all claims as JSON.
    AllClaims(&'a str, &'a str),
}

impl PolicyClaims {
    /// Whether `fingerprint` is the fingerprint of the policies from which this entry was determined. If not, the policies have changed
    /// since then, and the entry is outdated.
    pub(super) fn is_of(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint
    }

    /// Whether the policies have no side effects, so that no rollback is needed between the checks of two callers.
    pub(super) fn sets_nothing(&self) -> bool {
        self.claims.is_some()
    }

    pub(super) fn distinction<'a>(&self, caller: &'a Caller) -> Distinction<'a> {
        match &self.claims {
            Some(names) => {
                Distinction::Claims(caller.role(), names.iter().map(|name| caller.claims().get(name)).collect())
            }
            None => Distinction::AllClaims(caller.role(), caller.claims_json()),
        }
    }
}

/// Cache, by table OID, of the names of the token claims that the table's row-level security policies use.
#[derive(Debug, Default)]
pub(in crate::postgres_changes) struct PolicyClaimsCache(Mutex<HashMap<u32, Arc<PolicyClaims>>>);

impl PolicyClaimsCache {
    fn known(&self) -> MutexGuard<'_, HashMap<u32, Arc<PolicyClaims>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached entry of a table. If the cache has no entry, returns an entry whose only relation is the table itself and whose
    /// fingerprint matches no policies.
    pub(super) fn last(&self, table: u32) -> Arc<PolicyClaims> {
        let unknown = || Arc::new(PolicyClaims { relations: vec![table.into()], ..PolicyClaims::default() });
        self.known().get(&table).cloned().unwrap_or_else(unknown)
    }

    /// Determines which token claims a table's policies currently read, and caches the result.
    pub(super) async fn find(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        table: u32,
    ) -> sqlx::Result<Arc<PolicyClaims>> {
        let sql =
            "select claims, relations::bigint[] as relations, fingerprint from cloch.policy_claims($1::bigint::oid)";
        let found: Arc<PolicyClaims> =
            Arc::new(sqlx::query_as(sql).bind(i64::from(table)).fetch_one(&mut **transaction).await?);
        let mut known = self.known();
        if known.len() >= MAX_KNOWN_TABLES {
            known.clear();
        }
        known.insert(table, Arc::clone(&found));
        Ok(found)
    }
}
