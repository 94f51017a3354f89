//! Detects whether the load of a dump has granted memberships in roles of the platform. The rules for statements check GRANT statements, but
//! a `DO` block or a function in the dump may also grant a membership. Such a grant can be detected only after the load.

use std::collections::BTreeSet;

use sqlx::{PgConnection, Row};

use super::super::dump::names::is_powerful_role;
use crate::error::CommandError;

/// Members of roles, as pairs of role and member. Contains only roles of the platform with more privileges than `anon` and `authenticated`.
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

    /// Fails if a privileged role of the platform has a member that it did not have when [`Self::read`] was called.
    ///
    /// # Errors
    /// Returns an error that names the first new member.
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
