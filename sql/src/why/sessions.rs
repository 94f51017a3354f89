//! The sessions behind an answer. Conditions of policies, defaults and views are the project's SQL, so no session is one of a stronger
//! login than the statement needs: `set role` could be taken back.

use crate::client::{BatchStatement, ClientError, Connection, Param, Rows};
use crate::database::{Login, Logins};

/// Two sessions: what is there, and what a caller may do with it.
pub struct Sessions {
    /// Reads past row-level security, and may write nothing.
    pub reader: Connection,
    /// May switch to the caller's role.
    pub(super) caller: Connection,
}

impl Sessions {
    /// Opens both, for callers of this role.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn open(logins: &Logins, role: &str) -> Result<Self, ClientError> {
        let mut reader = Connection::open(logins.read_only.as_ref().unwrap_or(&logins.admin)).await?;
        let login = caller_login(&mut reader, logins, role).await?;
        Ok(Self { reader, caller: Connection::open(login).await? })
    }
}

/// The login of the APIs' callers where it may have the role; the project's owner for the roles of developers.
async fn caller_login<'a>(reader: &mut Connection, logins: &'a Logins, role: &str) -> Result<&'a Login, ClientError> {
    let sql = "select from pg_catalog.pg_roles where rolname = $1 and pg_catalog.pg_has_role($2, oid, 'member')";
    let params = [Param::unknown(role.to_owned()), Param::unknown(logins.callers.user.clone())];
    let mut rows = Rows::default();
    reader.run("", &mut [BatchStatement { sql, params: &params, sink: Some(&mut rows) }]).await?;
    Ok(if rows.rows().is_empty() { &logins.owner } else { &logins.callers })
}
