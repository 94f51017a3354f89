//! Who is a member of the platform's roles. Statements that say so are decided about one by one; a block or a function of a dump may do it
//! too, and what it did shows only afterwards.

use std::collections::BTreeSet;

use sqlx::{PgConnection, Row};

use super::super::dump::names::is_powerful_role;
use crate::error::CommandError;

/// The members of roles that open more than a project's own: role and member.
pub(super) struct Memberships(BTreeSet<(String, String)>);

impl Memberships {
    pub(super) async fn read(connection: &mut PgConnection) -> sqlx::Result<Self> {
        let rows = sqlx::query(
            "select r.rolname::text, m.rolname::text
               from pg_catalog.pg_auth_members as a
               join pg_catalog.pg_roles as r on r.oid = a.roleid
               join pg_catalog.pg_roles as m on m.oid = a.member",
        )
        .fetch_all(connection)
        .await?;
        let pairs = rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect::<sqlx::Result<Vec<_>>>()?;
        Ok(Self(pairs.into_iter().filter(|(role, _): &(String, String)| is_powerful_role(role)).collect()))
    }

    /// Refuses what came to these since they were read.
    ///
    /// # Errors
    /// The first new member.
    pub(super) async fn refuse_new(&self, connection: &mut PgConnection) -> Result<(), CommandError> {
        let now = Self::read(connection).await?;
        match now.0.difference(&self.0).next() {
            None => Ok(()),
            Some((role, member)) => Err(format!(
                "the dump makes {member} a member of {role} in a block or function, which would give it the platform's rights; nothing was changed"
            )
            .into()),
        }
    }
}
