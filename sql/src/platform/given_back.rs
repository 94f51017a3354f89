//! What the platform's files grant on objects that were there before is taken back: its owner may have revoked it. They cannot be left out
//! one by one, for many stand in `do` blocks. Grants on objects that were made in the same run stay.

use std::collections::BTreeMap;

use serde::Deserialize;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::migrations::MigrationError;

/// Objects and grants, as `attach/grants.sql` reads them.
#[derive(Deserialize)]
pub(super) struct Grants {
    objects: BTreeMap<String, bool>,
    grants: BTreeMap<String, Grant>,
}

#[derive(Deserialize)]
struct Grant {
    /// Revokes it. PostgreSQL has quoted the names.
    statement: String,
    /// Who may revoke it, quoted.
    grantor: String,
    /// The objects that it needs.
    needs: Vec<String>,
}

impl Grants {
    pub(super) async fn read(connection: &mut PgConnection) -> Result<Self, MigrationError> {
        let text: String =
            sqlx::query_scalar(include_str!("../../attach/grants.sql")).fetch_one(&mut *connection).await?;
        serde_json::from_str(&text).map_err(|error| MigrationError::History(format!("grants cannot be read: {error}")))
    }

    /// What `after` has on objects that are here.
    fn added<'a>(&self, after: &'a Self) -> Vec<&'a Grant> {
        let were_there = |grant: &Grant| grant.needs.iter().all(|object| self.objects.contains_key(object));
        let added = after.grants.iter().filter(|(name, grant)| !self.grants.contains_key(*name) && were_there(grant));
        added.map(|(_, grant)| grant).collect()
    }

    /// Revokes what was granted since on objects that were there.
    ///
    /// # Errors
    /// When it cannot be revoked: the database would not be as its owner left it.
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
    /// Revokes it as the login, which acts for the owners that it is a member of, or as its grantor. A failure leaves the transaction usable.
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
