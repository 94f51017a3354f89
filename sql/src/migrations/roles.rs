//! The project's roles: `roles.sql` in the project folder, as `supabase db dump --role-only` writes it. As with the Supabase CLI, the file
//! is executed once, in a new database, before the migrations. Like migrations, it runs with the rights of the project's owner.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use sqlx::PgConnection;

use super::MigrationError;
use super::extensions;
use super::script::{File, Script, start_file};
use super::server::Server;
use super::skipped::Skipped;
use crate::client::Connection;

/// Path of the file, relative to the project folder.
const FILE: &str = "roles.sql";

/// SQLSTATE of errors about a role that does not exist. PostgreSQL also uses it for some other missing objects.
const UNDEFINED_OBJECT: &str = "42704";

/// The text of `roles.sql`.
#[derive(Clone, Debug)]
pub struct Roles(String);

impl Roles {
    /// Reads the project's `roles.sql`; `None` if the project has none.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(project: &Path) -> Result<Option<Self>, MigrationError> {
        match super::text::read(&project.join(FILE)) {
            Ok(text) => Ok(Some(Self(text))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(MigrationError::File { file: FILE.to_owned(), source }),
        }
    }

    /// Executes the file, unless this database has executed it already. `connection` reads the catalog, `owner` is a session of the
    /// project's owner. Returns the extensions that the server lacks.
    ///
    /// # Errors
    /// Returns the error of the first failing statement.
    pub async fn apply(
        &self,
        connection: &mut PgConnection,
        owner: &mut Connection,
    ) -> Result<BTreeSet<String>, MigrationError> {
        if was_executed(connection).await? {
            return Ok(BTreeSet::new());
        }
        let server = Server::read(connection, owner).await?;
        let mut skipped = Skipped::read(connection).await?;
        if let Err(error) = self.execute(owner, &server, &mut skipped).await {
            return Err(skipped.with_note(error));
        }
        Ok(skipped.settle(connection).await?)
    }

    async fn execute(
        &self,
        owner: &mut Connection,
        server: &Server,
        skipped: &mut Skipped,
    ) -> Result<(), MigrationError> {
        let file = File { name: FILE, text: &self.0 };
        let mut script = Script::new(file);
        for range in start_file(owner, file).await? {
            server.push(&mut script, self.0.get(range.clone()).unwrap_or_default(), range.start, skipped);
        }
        skipped.push_record(&mut script, FILE);
        extensions::push_record_as_login(
            &mut script,
            "insert into cloch.state (name, value) values ('roles', 'done')",
            Vec::new(),
        );
        script.run(owner).await
    }

    /// Adds a note to the error of a migration about an object that does not exist, such as a role, if this database has not executed
    /// `roles.sql`. A database does not execute the file if the file was added after the database was created.
    ///
    /// # Errors
    /// Fails if the database cannot be queried.
    pub async fn explain(
        &self,
        connection: &mut PgConnection,
        error: MigrationError,
    ) -> Result<MigrationError, MigrationError> {
        if error.code() != Some(UNDEFINED_OBJECT) || was_executed(connection).await? {
            return Ok(error);
        }
        Ok(error.with_note(
            "roles.sql was not executed in this database: it runs only in a new one, before the first migration. Run its statements by \
             hand, or create the database again (cloch db reset)",
        ))
    }
}

async fn was_executed(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from cloch.state where name = 'roles')").fetch_one(connection).await
}
