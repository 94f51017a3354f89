//! By which claims the policies of a table can tell callers apart (`cloch.policy_claims`): found out again when the policies have changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cloch_sql::Caller;
use serde_json::Value;
use sqlx::{Postgres, Transaction};

/// Tables whose policies' claims are kept: those that somebody subscribes to. A project has as many as its owner made.
const MAX_KNOWN_TABLES: usize = 1_000;

/// What the policies of a table can know of a caller.
#[derive(Debug, Default, sqlx::FromRow)]
pub(super) struct PolicyClaims {
    /// The names of the claims that they read. `None` if they may read any, or set something.
    claims: Option<Vec<String>>,
    /// The tables whose policies decide: the table itself, and what they read.
    pub(super) relations: Vec<i64>,
    /// The fingerprint of all their policies.
    fingerprint: String,
}

/// What callers are told apart by: those with equal keys share an answer.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Distinction<'a> {
    /// No policy applies to the role.
    Role(&'a str),
    Claims(&'a str, Vec<Option<&'a Value>>),
    /// The role, and all claims as JSON.
    AllClaims(&'a str, &'a str),
}

impl PolicyClaims {
    /// Whether this holds for policies with this fingerprint.
    pub(super) fn is_of(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint
    }

    /// Whether the policies set nothing: they need not be rolled back for each caller.
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

/// The claims that the policies of tables read, by the OIDs of the tables, as far as it was asked for.
#[derive(Debug, Default)]
pub(in crate::postgres_changes) struct PolicyClaimsCache(Mutex<HashMap<u32, Arc<PolicyClaims>>>);

impl PolicyClaimsCache {
    fn known(&self) -> MutexGuard<'_, HashMap<u32, Arc<PolicyClaims>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was found out last; of the table alone, and of no claim, if nothing was.
    pub(super) fn last(&self, table: u32) -> Arc<PolicyClaims> {
        let unknown = || Arc::new(PolicyClaims { relations: vec![table.into()], ..PolicyClaims::default() });
        self.known().get(&table).cloned().unwrap_or_else(unknown)
    }

    /// Finds out which claims a table's policies read now.
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
