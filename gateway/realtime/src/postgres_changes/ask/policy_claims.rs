//! Determines by which claims the policies of a table can distinguish callers (`cloch.policy_claims`). Repeated after policies change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cloch_sql::Caller;
use serde_json::Value;
use sqlx::{Postgres, Transaction};

/// Maximum number of tables in the cache. Only tables with subscriptions are cached.
const MAX_KNOWN_TABLES: usize = 1_000;

#[derive(Debug, Default, sqlx::FromRow)]
pub(super) struct PolicyClaims {
    /// Names of the claims that the policies read. `None` if they may read any claim, or may have side effects.
    claims: Option<Vec<String>>,
    /// OIDs of the tables whose policies decide: the table itself, and the tables that its policies read.
    pub(super) relations: Vec<i64>,
    /// Fingerprint of the policies of all `relations`.
    fingerprint: String,
}

/// Key by which callers are grouped. Callers with equal keys share an answer.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Distinction<'a> {
    /// Role to which no policy applies.
    Role(&'a str),
    Claims(&'a str, Vec<Option<&'a Value>>),
    /// The role, and all claims as JSON.
    AllClaims(&'a str, &'a str),
}

impl PolicyClaims {
    /// Whether the policies with this fingerprint are the policies that were analysed.
    pub(super) fn is_of(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint
    }

    /// Whether the policies have no side effects, so that no rollback is needed between callers.
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

/// Cache of the claims that policies read, by table OID.
#[derive(Debug, Default)]
pub(in crate::postgres_changes) struct PolicyClaimsCache(Mutex<HashMap<u32, Arc<PolicyClaims>>>);

impl PolicyClaimsCache {
    fn known(&self) -> MutexGuard<'_, HashMap<u32, Arc<PolicyClaims>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached entry of a table. If absent, returns an entry with the table itself and without claims.
    pub(super) fn last(&self, table: u32) -> Arc<PolicyClaims> {
        let unknown = || Arc::new(PolicyClaims { relations: vec![table.into()], ..PolicyClaims::default() });
        self.known().get(&table).cloned().unwrap_or_else(unknown)
    }

    /// Determines which claims a table's policies currently read, and caches the result.
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
