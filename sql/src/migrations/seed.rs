//! Database seed: SQL files with rows for a new database, each executed once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cloch_core::glob::{DoubleStar, Pattern};
use sha2::{Digest, Sha256};
use sqlx::PgConnection;

use super::MigrationError;
use super::script::{File, Script, start_file};
use super::server::Server;
use super::skipped::Skipped;
use crate::client::{Connection, Param};

/// SQL file of the project's seed.
#[derive(Clone, Debug)]
pub struct SeedFile {
    /// Path relative to the project folder.
    pub path: String,
    /// SQL text of the seed file.
    pub text: String,
}

/// Seed files of a project.
#[derive(Clone, Debug, Default)]
pub struct Seed {
    /// Seed files in the order of their execution.
    pub files: Vec<SeedFile>,
}

impl Seed {
    /// Reads the seed files that match the patterns of `[db.seed] sql_paths`. The patterns are applied in the order of the setting, the
    /// files that match a pattern are sorted, and each file occurs only once. A pattern without a match causes a warning.
    ///
    /// # Errors
    /// Fails if a pattern is invalid or a file cannot be read.
    pub fn read(project: &Path, patterns: &[String]) -> Result<Self, MigrationError> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for pattern in patterns {
            let refused = |error: String| MigrationError::History(format!("[db.seed] sql_paths: {error}"));
            let parsed = Pattern::parse(pattern, DoubleStar::OneFolder).map_err(|error| refused(error.to_string()))?;
            let found = parsed.files(project).map_err(|error| refused(format!("{pattern}: {error}")))?;
            if found.is_empty() {
                tracing::warn!("database: seed files missing: nothing matches {pattern} of [db.seed] sql_paths");
            }
            for path in found {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        let files = paths
            .into_iter()
            .map(|path| {
                let name = path.strip_prefix(project).unwrap_or(&path).display().to_string();
                let text =
                    super::text::read(&path).map_err(|source| MigrationError::File { file: name.clone(), source })?;
                Ok(SeedFile { path: name, text })
            })
            .collect::<Result<_, MigrationError>>()?;
        Ok(Self { files })
    }

    /// Executes the seed files that the table `supabase_migrations.seed_files` does not list, each as one script that also records the file
    /// in this table. `connection` reads the catalog, `owner` is a session of the project's owner. Returns the number of executed files and
    /// the extensions that the server lacks.
    ///
    /// # Errors
    /// Returns the error of the first failing statement.
    pub async fn apply(
        &self,
        connection: &mut PgConnection,
        owner: &mut Connection,
    ) -> Result<(usize, BTreeSet<String>), MigrationError> {
        let done = owner.texts("select path from supabase_migrations.seed_files").await?;
        let server = Server::read(connection, owner).await?;
        let (mut count, mut missing) = (0, BTreeSet::new());
        for seed in self.files.iter().filter(|file| !done.contains(&file.path)) {
            let mut of_file = Skipped::read(connection).await?;
            if let Err(error) = seed.apply(owner, &server, &mut of_file).await {
                return Err(of_file.with_note(error));
            }
            missing.extend(of_file.settle(connection).await?);
            count += 1;
        }
        Ok((count, missing))
    }
}

impl SeedFile {
    async fn apply(
        &self,
        owner: &mut Connection,
        server: &Server,
        skipped: &mut Skipped,
    ) -> Result<(), MigrationError> {
        let file = File { name: &self.path, text: &self.text };
        let mut script = Script::new(file);
        for range in start_file(owner, file).await? {
            server.push(&mut script, self.text.get(range.clone()).unwrap_or_default(), range.start, skipped);
        }
        skipped.push_record(&mut script, &self.path);
        script.push_record(
            "insert into supabase_migrations.seed_files (path, hash) values ($1::text, $2::text)",
            vec![Param::unknown(self.path.clone()), Param::unknown(hex::encode(Sha256::digest(self.text.as_bytes())))],
        );
        script.run(owner).await
    }
}
