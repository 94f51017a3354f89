//! Logins to the project's database, by purpose.
//!
//! SQL of the project runs in sessions that Cloch opens: triggers on `auth.users`, policies, jobs, migrations. In a session of a more
//! privileged login, `set role` does not confine this SQL, because it can execute `reset role`. Therefore, on an embedded cluster, each
//! session that runs SQL of the project uses a login without more rights than the SQL should have. While the server runs, only backups and
//! the bootstrap use superuser sessions, and they do not run SQL of the project in these sessions.

mod no_views;
mod reader;

use sqlx::PgConnection;

use cloch_core::Secret;
pub use no_views::read_no_views;
pub use reader::let_reader_read;

use crate::login::Login;

/// Login role for Cloch's internal work on an embedded cluster. It bypasses row-level security and reads all data, but is not a superuser.
pub const SERVER_ROLE: &str = "cloch_server";
/// Login role of an embedded cluster that alone can write the tables of operators, audits, API keys and settings.
const OPERATORS_ROLE: &str = "cloch_operators";

/// Logins to the project's database. On an external server, all are the login of `CLOCH_DB_URL`.
#[derive(Clone, Debug)]
pub struct Logins {
    /// Login for Cloch's internal work.
    pub admin: Login,
    /// Login for the tables of operators, audits, API keys and settings: see [`Database::operators`](crate::Database::operators).
    pub operators: Login,
    /// Login of the auth API: `supabase_auth_admin`.
    pub auth: Login,
    /// Login of the project's owner, who runs migrations, jobs and statements of developers: `postgres`.
    pub owner: Login,
    /// Login of `authenticator`, which can switch to the callers' roles. It is used by database clients that rely on session state.
    pub callers: Login,
    /// Login that can switch to the callers' roles. It is used by Cloch's own PostgreSQL client. This client uses no session state beyond a
    /// transaction, so the login may connect through a pooler in transaction mode. (The library sqlx does not work with all poolers: it
    /// uses named prepared statements, which PgBouncer does not support before version 1.21.)
    pub requests: Login,
    /// Login for set-up, copy and move of the database: a superuser on an embedded cluster.
    pub maintenance: Login,
    /// Login for read-only statements: `supabase_read_only_user`. `None` on an external server, where Cloch does not set the password of
    /// this role.
    pub read_only: Option<Login>,
}

impl Logins {
    /// Creates a set of logins in which every purpose has the same login.
    #[must_use]
    pub fn same(login: &Login) -> Self {
        Self {
            admin: login.clone(),
            operators: login.clone(),
            auth: login.clone(),
            owner: login.clone(),
            callers: login.clone(),
            requests: login.clone(),
            maintenance: login.clone(),
            read_only: None,
        }
    }

    /// Creates the logins of an embedded cluster.
    #[must_use]
    pub fn of_cluster(superuser: Login, passwords: Passwords) -> Self {
        let callers = superuser.with_user("authenticator", passwords.callers);
        Self {
            admin: superuser.with_user(SERVER_ROLE, passwords.server),
            // Otherwise the project's owner could set another search_path for this role (up to PostgreSQL 15, CREATEROLE is sufficient).
            operators: Login { catalog_only: true, ..superuser.with_user(OPERATORS_ROLE, passwords.operators) },
            auth: superuser.with_user("supabase_auth_admin", passwords.auth),
            owner: superuser.with_user("postgres", passwords.owner),
            requests: callers.clone(),
            callers,
            read_only: Some(superuser.with_user("supabase_read_only_user", passwords.read_only)),
            maintenance: superuser,
        }
    }

    /// Returns the logins whose passwords Cloch sets itself. The list is empty for an external server.
    fn own(&self) -> Vec<&Login> {
        match &self.read_only {
            Some(read_only) => vec![&self.admin, &self.operators, &self.auth, &self.owner, &self.callers, read_only],
            None => Vec::new(),
        }
    }

    pub(crate) fn is_own_cluster(&self) -> bool {
        self.read_only.is_some()
    }
}

/// Passwords for [`Logins::of_cluster`].
#[derive(Clone, Debug)]
pub struct Passwords {
    /// Password of `cloch_server`.
    pub server: Secret,
    /// Password of `cloch_operators`.
    pub operators: Secret,
    /// Password of `supabase_auth_admin`.
    pub auth: Secret,
    /// Password of `postgres`.
    pub owner: Secret,
    /// Password of `authenticator`.
    pub callers: Secret,
    /// Password of `supabase_read_only_user`.
    pub read_only: Secret,
}

/// Creates the roles `cloch_server` and `cloch_operators` of an embedded cluster with their rights, and sets the passwords of all login
/// roles. Does nothing on an external server. Repeated at each start, because the platform SQL and extensions may have added objects on
/// which the roles need rights.
///
/// # Errors
/// Fails if the connection is not a superuser's.
pub(crate) async fn set_up(connection: &mut PgConnection, logins: &Logins) -> sqlx::Result<()> {
    if !logins.is_own_cluster() {
        return Ok(());
    }
    sqlx::raw_sql(concat!(include_str!("server_role.sql"), include_str!("operators_role.sql")))
        .execute(&mut *connection)
        .await?;
    for login in logins.own() {
        let text = "select format('alter role %I with login password %L', $1::text, $2::text)";
        let statement: String = sqlx::query_scalar(text)
            .bind(&login.user)
            .bind(login.password.expose())
            .fetch_one(&mut *connection)
            .await?;
        // `alter role` accepts no parameters, so PostgreSQL's `format` quotes the values.
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut *connection).await?;
    }
    Ok(())
}
