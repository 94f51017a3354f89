//! Revokes privileges that the platform SQL granted on objects of another program's database: the owner of the database may have revoked
//! these privileges deliberately. The grants cannot be skipped one by one, because many are statements inside `do` blocks. Grants on
//! objects that Cloch created in the same transaction are kept.

use std::collections::BTreeMap;

use serde::Deserialize;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::migrations::MigrationError;

/// Objects of the database and the privileges granted on them, as returned by `attach/grants.sql`.
#[derive(Deserialize)]
pub(super) struct Grants {
    objects: BTreeMap<String, bool>,
    grants: BTreeMap<String, Grant>,
}

#[derive(Deserialize)]
struct Grant {
    /// SQL statement that revokes the grant, with names quoted by PostgreSQL.
    statement: String,
    /// Role that may revoke the grant, as a quoted name.
    grantor: String,
    /// Names of the objects that must exist so that this grant can be revoked.
    needs: Vec<String>,
}

impl Grants {
    pub(super) async fn read(connection: &mut PgConnection) -> Result<Self, MigrationError> {
        let text: String =
            sqlx::query_scalar(include_str!("../../attach/grants.sql")).fetch_one(&mut *connection).await?;
        serde_json::from_str(&text).map_err(|error| MigrationError::History(format!("grants cannot be read: {error}")))
    }

    /// Returns the grants that `after`, a later reading of the same database, contains and `self` lacks, limited to objects that exist in
    /// `self`.
    fn added<'a>(&self, after: &'a Self) -> Vec<&'a Grant> {
        let were_there = |grant: &Grant| grant.needs.iter().all(|object| self.objects.contains_key(object));
        let added = after.grants.iter().filter(|(name, grant)| !self.grants.contains_key(*name) && were_there(grant));
        added.map(|(_, grant)| grant).collect()
    }

    /// Revokes the grants that were added after `self` was read, on objects that existed at that time.
    ///
    /// # Errors
    /// Fails if a grant cannot be revoked, because the database would otherwise give privileges that its owner did not grant.
    pub(super) async fn restore(&self, connection: &mut PgConnection) -> Result<(), MigrationError> {
        for by_grantor in [false, true] {
            let after = Self::read(connection).await?;
            for grant in self.added(&after) {
                grant.revoke(connection, by_grantor).await?;
            }
        }
        let left = Self::read(connection).await?;
        match self.added(&left).first() {
            None => Ok(()),
            Some(grant) => Err(MigrationError::History(format!(
                "this database was made by another program, and Cloch would have granted what its owner has not. Nothing was changed. \
                 What does not work as Cloch's login: {}",
                grant.statement
            ))),
        }
    }
}

impl Grant {
    /// Revokes the grant. If `by_grantor` is true, the statement runs in the grantor's role. Otherwise it runs in the role of Cloch's
    /// login, which can act for object owners of which it is a member. After a failure, the transaction can still be used.
    async fn revoke(&self, connection: &mut PgConnection, by_grantor: bool) -> sqlx::Result<()> {
        let mut savepoint = connection.begin().await?;
        let text = match by_grantor {
            true => format!("set local role {}; {}; reset role", self.grantor, self.statement),
            false => self.statement.clone(),
        };
        match sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut *savepoint).await {
            Ok(_) => savepoint.commit().await,
            Err(_) => savepoint.rollback().await,
        }
    }
}
