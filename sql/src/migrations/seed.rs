//! The seed: SQL files with rows for a new database, each run once.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

use super::{MigrationError, split};

/// One seed file.
#[derive(Clone, Debug)]
pub struct SeedFile {
    /// Its path relative to the project folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A project's seed files.
#[derive(Clone, Debug, Default)]
pub struct Seed {
    /// In the order they run.
    pub files: Vec<SeedFile>,
}

impl Seed {
    /// Reads the files matched by the patterns of `[db.seed] sql_paths`: patterns in their order, the matches of each sorted, each file
    /// once. A pattern without a match is a warning.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(project: &Path, patterns: &[String]) -> Result<Self, MigrationError> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for pattern in patterns {
            let absolute = project.join(pattern.trim_start_matches("./"));
            let found: Vec<PathBuf> = glob::glob(&absolute.to_string_lossy())
                .map_err(|error| MigrationError::History(format!("[db.seed] sql_paths: {pattern}: {error}")))?
                .filter_map(Result::ok)
                .collect();
            if found.is_empty() {
                tracing::warn!("no seed file matches {pattern}");
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
                let text = std::fs::read_to_string(&path)
                    .map_err(|source| MigrationError::File { file: name.clone(), source })?;
                Ok(SeedFile { path: name, text })
            })
            .collect::<Result<_, MigrationError>>()?;
        Ok(Self { files })
    }

    /// Runs the files that have not run on this database, each in one transaction with its record in `supabase_migrations.seed_files`.
    ///
    /// # Errors
    /// The first statement that fails.
    pub async fn apply(&self, connection: &mut PgConnection) -> Result<usize, MigrationError> {
        let done: Vec<String> = sqlx::query("select path from supabase_migrations.seed_files")
            .fetch_all(&mut *connection)
            .await?
            .iter()
            .map(|row| row.try_get(0))
            .collect::<Result<_, _>>()?;
        let mut count = 0;
        for file in self.files.iter().filter(|file| !done.contains(&file.path)) {
            sqlx::raw_sql(super::FRESH_SESSION).execute(&mut *connection).await?;
            let mut transaction = connection.begin().await?;
            for range in split::statements(&file.text) {
                let statement = file.text.get(range.clone()).unwrap_or_default();
                sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))
                    .execute(&mut *transaction)
                    .await
                    .map_err(|error| MigrationError::statement(&file.path, &file.text, range.start, error))?;
            }
            sqlx::query("insert into supabase_migrations.seed_files (path, hash) values ($1, $2)")
                .bind(&file.path)
                .bind(hex::encode(Sha256::digest(file.text.as_bytes())))
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            count += 1;
        }
        Ok(count)
    }
}
