//! The logins of the project's database, by what they are for.
//!
//! SQL of the project runs in sessions that Cloch opens: triggers on `auth.users`, policies, jobs, migrations. `set role` in a session of a
//! stronger login does not confine it, for it can `reset role`. So on a cluster of Cloch's own each such session is one of a login that has
//! no more rights than the SQL is meant to have, and no session of a running server is a superuser's, except that of backups and of the
//! start, which run no SQL of the project.

mod no_views;
mod reader;

use sqlx::PgConnection;

use cloch_core::Secret;
pub use no_views::read_no_views;
pub use reader::let_reader_read;

use crate::login::Login;

/// The login of Cloch's own work on a cluster of its own: bypasses row-level security, reads everything, is no superuser.
pub const SERVER_ROLE: &str = "cloch_server";

/// The logins of one database. On the operator's server all are the login of `CLOCH_DB_URL`.
#[derive(Clone, Debug)]
pub struct Logins {
    /// Cloch's own work.
    pub admin: Login,
    /// Auth: `supabase_auth_admin`.
    pub auth: Login,
    /// The project's owner, who runs migrations, jobs and developers' statements: `postgres`.
    pub owner: Login,
    /// Switches to the callers' roles, for a session: `authenticator`.
    pub callers: Login,
    /// The same for Cloch's own client, whose sessions are one transaction long: a pooler may be in front. (sqlx names its prepared
    /// statements, which poolers in transaction mode mix up before PgBouncer 1.21.)
    pub requests: Login,
    /// Setting the database up, copying it, moving it: a superuser on a cluster of Cloch's own.
    pub maintenance: Login,
    /// Statements that only read: `supabase_read_only_user`. `None` where Cloch does not know its password from the start.
    pub read_only: Option<Login>,
}

impl Logins {
    /// One login for everything.
    #[must_use]
    pub fn same(login: &Login) -> Self {
        Self {
            admin: login.clone(),
            auth: login.clone(),
            owner: login.clone(),
            callers: login.clone(),
            requests: login.clone(),
            maintenance: login.clone(),
            read_only: None,
        }
    }

    /// The logins of a cluster of Cloch's own.
    #[must_use]
    pub fn of_cluster(superuser: Login, passwords: Passwords) -> Self {
        let callers = superuser.with_user("authenticator", passwords.callers);
        Self {
            admin: superuser.with_user(SERVER_ROLE, passwords.server),
            auth: superuser.with_user("supabase_auth_admin", passwords.auth),
            owner: superuser.with_user("postgres", passwords.owner),
            requests: callers.clone(),
            callers,
            read_only: Some(superuser.with_user("supabase_read_only_user", passwords.read_only)),
            maintenance: Login { catalog_only: true, ..superuser },
        }
    }

    /// Those whose passwords are Cloch's to set: none on the operator's server.
    fn own(&self) -> Vec<&Login> {
        match &self.read_only {
            Some(read_only) => vec![&self.admin, &self.auth, &self.owner, &self.callers, read_only],
            None => Vec::new(),
        }
    }

    /// Whether the roles are those of a cluster of Cloch's own.
    pub(crate) fn is_own_cluster(&self) -> bool {
        self.read_only.is_some()
    }
}

/// The passwords of [`Logins::of_cluster`].
#[derive(Clone, Debug)]
pub struct Passwords {
    /// Of `cloch_server`.
    pub server: Secret,
    /// Of `supabase_auth_admin`.
    pub auth: Secret,
    /// Of `postgres`.
    pub owner: Secret,
    /// Of `authenticator`.
    pub callers: Secret,
    /// Of `supabase_read_only_user`.
    pub read_only: Secret,
}

/// Makes the logins of a cluster of Cloch's own, with their rights and passwords. Each start repeats it: the platform's files and
/// extensions bring new objects.
///
/// # Errors
/// When the connection is no superuser's.
pub(crate) async fn set_up(connection: &mut PgConnection, logins: &Logins) -> sqlx::Result<()> {
    if !logins.is_own_cluster() {
        return Ok(());
    }
    sqlx::raw_sql(include_str!("server_role.sql")).execute(&mut *connection).await?;
    for login in logins.own() {
        let text = "select format('alter role %I with login password %L', $1::text, $2::text)";
        let statement: String = sqlx::query_scalar(text)
            .bind(&login.user)
            .bind(login.password.expose())
            .fetch_one(&mut *connection)
            .await?;
        // `alter role` takes no parameters, so PostgreSQL quotes the statement itself.
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut *connection).await?;
    }
    Ok(())
}
