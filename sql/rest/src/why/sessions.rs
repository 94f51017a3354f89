//! Database sessions for explanations. Conditions of policies, defaults and views contain SQL of the project, and this SQL could undo a
//! `set role` with `reset role`. Therefore no session has more privileges than its statements need.

use super::WhyError;
use cloch_sql::caller::CallerRoles;
use cloch_sql::caller::roles::{GrantedBy, RoleError};
use cloch_sql::client::{Connection, Pool};
use cloch_sql::database::{Login, Logins};

/// Names of the role that owns the project's database objects: the normal name, and the name on a server whose superuser is called
/// `postgres`.
const OWNERS: [&str; 2] = ["postgres", "cloch_owner"];

/// The two database sessions of an explanation: `reader` can read all rows, and `caller` runs statements with the caller's role.
pub struct Sessions {
    /// Database session that bypasses row-level security and cannot write.
    pub reader: Connection,
    /// Database session whose login may switch to the caller's role.
    pub(super) caller: Connection,
}

impl Sessions {
    /// Opens both database sessions for callers with the role `role`. Requests must be allowed to run as `role`, or `role` must own the
    /// project's database objects.
    ///
    /// # Errors
    /// Fails if requests may not run as `role`, or if the database is unreachable.
    pub async fn open(logins: &Logins, role: &str) -> Result<Self, WhyError> {
        let reader = Connection::open(logins.reader().await?).await?;
        let login = if OWNERS.contains(&role) { &logins.owner } else { caller_login(logins, role).await? };
        Ok(Self { reader, caller: Connection::open(login).await? })
    }
}

/// Returns the login whose sessions may switch to `role`.
///
/// # Errors
/// Fails if requests may not run as `role`.
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
