//! The sessions behind an answer. Conditions of policies, defaults and views are the project's SQL, so no session is one of a stronger
//! login than the statement needs: `set role` could be taken back.

use super::WhyError;
use crate::caller::CallerRoles;
use crate::caller::roles::{GrantedBy, RoleError};
use crate::client::{Connection, Pool};
use crate::database::{Login, Logins};

/// The project's owner, and its name on a server whose superuser is called `postgres`.
const OWNERS: [&str; 2] = ["postgres", "cloch_owner"];

/// Two sessions: what is there, and what a caller may do with it.
pub struct Sessions {
    /// Reads past row-level security, and may write nothing.
    pub reader: Connection,
    /// May switch to the caller's role.
    pub(super) caller: Connection,
}

impl Sessions {
    /// Opens both, for callers of this role: one that a request may have, or the project's owner.
    ///
    /// # Errors
    /// When a request cannot have the role; when the database does not answer.
    pub async fn open(logins: &Logins, role: &str) -> Result<Self, WhyError> {
        let reader = Connection::open(logins.reader().await?).await?;
        let login = if OWNERS.contains(&role) { &logins.owner } else { caller_login(logins, role).await? };
        Ok(Self { reader, caller: Connection::open(login).await? })
    }
}

/// The login of the APIs' callers, where they may have the role.
async fn caller_login<'a>(logins: &'a Logins, role: &str) -> Result<&'a Login, WhyError> {
    let roles = CallerRoles::new(Pool::new(logins.callers.clone(), 1));
    match roles.check(role, GrantedBy::OwnKey).await {
        Ok(()) => Ok(&logins.callers),
        Err(RoleError::Refused(refusal)) => {
            let hint = refusal.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
            Err(WhyError::Request(format!("no request has this role: {refusal}{hint}")))
        }
        Err(RoleError::Database(error)) => Err(error.into()),
    }
}
