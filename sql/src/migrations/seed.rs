//! The seed: SQL files with rows for a new database, each run once.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::MigrationError;
use super::script::{File, Script, start_file};
use crate::client::{Connection, Param};

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
            // A bracket in the name of the project's folder is no pattern.
            let folder = PathBuf::from(glob::Pattern::escape(&project.to_string_lossy()));
            let absolute = folder.join(pattern.trim_start_matches("./"));
            let refused = |error: String| MigrationError::History(format!("[db.seed] sql_paths: {pattern}: {error}"));
            let found: Vec<PathBuf> = glob::glob(&absolute.to_string_lossy())
                .map_err(|error| refused(error.to_string()))?
                .collect::<Result<_, _>>()
                .map_err(|error| refused(error.to_string()))?;
            if found.is_empty() {
                tracing::warn!("seed files missing: nothing matches {pattern}");
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

    /// Runs the files that have not run on this database, each as one script with its record in `supabase_migrations.seed_files`.
    /// `owner` is a session of the project's owner.
    ///
    /// # Errors
    /// The first statement that fails.
    pub async fn apply(&self, owner: &mut Connection) -> Result<usize, MigrationError> {
        let done = owner.texts("select path from supabase_migrations.seed_files").await?;
        let mut count = 0;
        for seed in self.files.iter().filter(|file| !done.contains(&file.path)) {
            let file = File { name: &seed.path, text: &seed.text };
            let mut script = Script::new(file);
            for range in start_file(owner, file).await? {
                script.push(seed.text.get(range.clone()).unwrap_or_default(), range.start);
            }
            script.push_record(
                "insert into supabase_migrations.seed_files (path, hash) values ($1::text, $2::text)",
                vec![
                    Param::unknown(seed.path.clone()),
                    Param::unknown(hex::encode(Sha256::digest(seed.text.as_bytes()))),
                ],
            );
            script.run(owner).await?;
            count += 1;
        }
        Ok(count)
    }
}
