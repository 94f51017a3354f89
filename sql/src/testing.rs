//! Test databases on a real PostgreSQL server: each test gets a separate database, cloned from a prepared template.
//!
//! `CLOCH_TEST_DB_URL` is the URL of the server (with a superuser, such as `postgres://supabase_admin@127.0.0.1:55400/postgres`);
//! `scripts/test` starts a server and sets the variable.

mod wire;

use std::path::{Path, PathBuf};

use cloch_core::Secret;
use sha2::{Digest, Sha256};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool, Row};

use crate::bootstrap::{Project, bootstrap};
use crate::database::{Database, Login, Logins, Passwords, PoolSizes};
use crate::platform;

pub use wire::Wire;

/// Key of the advisory lock that serialises the creation of a template database.
const ADVISORY_LOCK_KEY: i64 = 0x74_656d_706c;

/// Database of one test. It is deleted when the value is dropped.
#[derive(Debug)]
pub struct TestDatabase {
    login: Login,
    superuser: PgPool,
    database: Database,
}

impl TestDatabase {
    /// Creates a database with only the platform SQL.
    ///
    /// # Panics
    /// If the test server is unavailable.
    pub async fn platform() -> Self {
        Self::of(None).await
    }

    /// Creates a database with the platform SQL and a project's migrations, without its seed.
    ///
    /// # Panics
    /// If the test server is unavailable.
    pub async fn project(folder: impl AsRef<Path>) -> Self {
        Self::of(Some(folder.as_ref())).await
    }

    /// Returns the connection pools of the database, as in a running server.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Returns the connection pool of a superuser, for preparing tests.
    #[must_use]
    pub fn superuser(&self) -> &PgPool {
        &self.superuser
    }

    /// Returns the login of the superuser.
    #[must_use]
    pub fn login(&self) -> &Login {
        &self.login
    }

    async fn of(project: Option<&Path>) -> Self {
        match Self::try_of(project).await {
            Ok(database) => database,
            Err(error) => fail(&error.to_string()),
        }
    }

    async fn try_of(project: Option<&Path>) -> Result<Self, Box<dyn std::error::Error>> {
        let server = server_login()?;
        let template = template_name(project)?;
        let mut connection = server.sqlx_options().connect().await?;
        ensure_template(&mut connection, &server, &template, project).await?;
        let name = format!("cloch_test_{}", uuid::Uuid::new_v4().simple());
        create(&mut connection, &name, &template).await?;
        // A clone belongs to the role that created it, but on the platform the project's owner owns the database.
        sqlx::raw_sql(AssertSqlSafe(format!("alter database \"{name}\" owner to postgres")))
            .execute(&mut connection)
            .await?;
        connection.close().await?;
        let login = server.with_database(&name);
        let sizes = PoolSizes { admin: 4, operators: 4, auth: 4, owner: 2, callers: 4, objects: 4, rest: 4 };
        let superuser = login.pool(PgPoolOptions::new().max_connections(4), "test");
        Ok(Self { database: Database::new(logins(&login), sizes), superuser, login })
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let login = self.login.with_database("postgres");
        let name = self.login.database.clone();
        // The tokio runtime of the test may have ended already, so the deletion runs in a thread with its own runtime.
        let cleaning = std::thread::spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            runtime.block_on(async {
                if let Ok(mut connection) = login.sqlx_options().connect().await {
                    let statement = format!("drop database if exists \"{name}\" with (force)");
                    let _ = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await;
                }
            });
        });
        let _ = cleaning.join();
    }
}

#[expect(clippy::panic, reason = "only tests call it, and a test fails by panicking")]
fn fail(message: &str) -> ! {
    panic!("no database for this test: {message}. Run the tests through `make test`, or set CLOCH_TEST_DB_URL")
}

fn server_login() -> Result<Login, Box<dyn std::error::Error>> {
    let text = std::env::var("CLOCH_TEST_DB_URL").map_err(|_| "CLOCH_TEST_DB_URL is not set")?;
    Ok(Login::from_url(&Secret::new(text))?)
}

/// Returns logins like those of an embedded cluster, without passwords, because the test server requires none.
#[must_use]
pub fn logins(superuser: &Login) -> Logins {
    let none = Secret::default;
    let passwords = Passwords {
        server: none(),
        operators: none(),
        auth: none(),
        owner: none(),
        callers: none(),
        read_only: none(),
    };
    Logins::of_cluster(superuser.clone(), passwords)
}

fn template_name(project: Option<&Path>) -> Result<String, Box<dyn std::error::Error>> {
    let mut hash = Sha256::new();
    for (name, text) in platform::texts()? {
        hash.update(name);
        hash.update(text);
    }
    if let Some(folder) = project {
        for migration in crate::migrations::read_folder(&folder.join("migrations"))? {
            hash.update(migration.file);
            hash.update(migration.text);
        }
    }
    let digest = hex::encode(hash.finalize());
    Ok(format!("cloch_template_{}", digest.get(..24).unwrap_or_default()))
}

async fn ensure_template(
    connection: &mut PgConnection,
    server: &Login,
    template: &str,
    project: Option<&Path>,
) -> Result<(), Box<dyn std::error::Error>> {
    sqlx::query("select pg_advisory_lock($1)").bind(ADVISORY_LOCK_KEY).execute(&mut *connection).await?;
    let exists: bool = sqlx::query("select exists (select from pg_database where datname = $1 and datistemplate)")
        .bind(template)
        .fetch_one(&mut *connection)
        .await?
        .try_get(0)?;
    if !exists {
        let drop_half_made = format!("drop database if exists \"{template}\" with (force)");
        sqlx::raw_sql(AssertSqlSafe(drop_half_made)).execute(&mut *connection).await?;
        create(connection, template, "template1").await?;
        let project = Project {
            folder: project.map_or_else(PathBuf::new, Path::to_owned),
            migrate: project.is_some(),
            seed: Vec::new(),
            extensions: None,
            settings: Vec::new(),
            major_version: None,
        };
        let login = server.with_database(template);
        bootstrap(&logins(&login), &project).await?;
        let mut inside = login.sqlx_options().connect().await?;
        // A clone of the template counts as a new database, whose first start runs the seed.
        sqlx::raw_sql("update cloch.state set value = 'pending' where name = 'seed'").execute(&mut inside).await?;
        inside.close().await?;
        sqlx::raw_sql(AssertSqlSafe(format!("alter database \"{template}\" is_template true")))
            .execute(&mut *connection)
            .await?;
    }
    sqlx::query("select pg_advisory_unlock($1)").bind(ADVISORY_LOCK_KEY).execute(&mut *connection).await?;
    Ok(())
}

async fn create(connection: &mut PgConnection, name: &str, template: &str) -> sqlx::Result<()> {
    // Copying the files takes half the CPU time of the default strategy, which logs every page.
    let statement = format!("create database \"{name}\" template \"{template}\" strategy file_copy");
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await?;
    Ok(())
}
