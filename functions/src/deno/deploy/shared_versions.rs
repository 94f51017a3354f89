//! Shares deployed function versions between nodes through the database. Each node stores the files of the served versions and applies changes of the
//! served version within a second.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use sqlx::PgPool;
use tokio::task::spawn_blocking;

use super::archive::{pack, unpack};
use super::upload::{UPLOAD_FILE, Upload};
use super::versions::{KEPT_VERSIONS, MARK_FILE, Number, VersionError, Versions, at, project_in, write_synced};
use crate::source::{FUNCTIONS_FOLDER, is_function_name};

/// Maximum number of functions whose versions a node downloads.
const MAX_FUNCTIONS: i64 = 10_000;

/// The function versions in the database, and the copies of the versions on this node.
#[derive(Clone, Debug)]
pub(in crate::deno) struct SharedVersions {
    database: PgPool,
    versions: Versions,
    /// The project's folder on this node. The folder contains the `.env` files of functions.
    project: PathBuf,
}

/// The served version of one function according to the database. The optional fields are `None` if the function was removed.
#[derive(sqlx::FromRow)]
struct Served {
    name: String,
    number: Option<i64>,
    sha256: Option<Vec<u8>>,
    description: Option<String>,
}

impl SharedVersions {
    pub(in crate::deno) fn new(database: PgPool, versions: Versions, project: PathBuf) -> Self {
        Self { database, versions, project }
    }

    /// Reserves the number of a new function version across all nodes.
    pub(in crate::deno) async fn reserve(&self, name: &str) -> Result<u64, VersionError> {
        let number = sqlx::query_scalar::<_, i64>("select cloch.reserve_function_version($1)")
            .bind(name)
            .fetch_one(&self.database)
            .await?;
        Ok(number.cast_unsigned())
    }

    pub(in crate::deno) async fn publish(&self, name: &str, number: u64) -> Result<(), VersionError> {
        let (archive, description) = self.read(name, number).await?;
        sqlx::query(
            "insert into cloch.function_versions (name, number, archive, description) values ($1, $2, $3, $4)
             on conflict (name, number) do update set archive = excluded.archive, description = excluded.description",
        )
        .bind(name)
        .bind(number.cast_signed())
        .bind(&archive)
        .bind(description)
        .execute(&self.database)
        .await?;
        self.mark(name, number, &archive)
    }

    pub(in crate::deno) async fn describe(&self, name: &str, number: u64, upload: &Upload) -> Result<(), VersionError> {
        let known = sqlx::query("update cloch.function_versions set description = $3 where name = $1 and number = $2")
            .bind(name)
            .bind(number.cast_signed())
            .bind(upload.encode())
            .execute(&self.database)
            .await?;
        known_or(known.rows_affected() > 0, || VersionError::Unknown(name.to_owned(), number))
    }

    /// Makes a version the served version of a function on all nodes.
    pub(in crate::deno) async fn serve(&self, name: &str, number: u64) -> Result<(), VersionError> {
        let known = sqlx::query_scalar::<_, bool>("select cloch.serve_function_version($1, $2, $3)")
            .bind(name)
            .bind(number.cast_signed())
            .bind(i32::try_from(KEPT_VERSIONS).unwrap_or(i32::MAX))
            .fetch_one(&self.database)
            .await?;
        known_or(known, || VersionError::Unknown(name.to_owned(), number))?;
        self.follow_one(name).await
    }

    pub(in crate::deno) async fn remove(&self, name: &str) -> Result<(), VersionError> {
        let known = sqlx::query_scalar::<_, bool>("select cloch.remove_function($1)")
            .bind(name)
            .fetch_one(&self.database)
            .await?;
        known_or(known, || VersionError::NotDeployed(name.to_owned()))?;
        self.follow_one(name).await
    }

    pub(in crate::deno) async fn previous(&self, name: &str) -> Result<u64, VersionError> {
        let earlier = sqlx::query_scalar::<_, i64>(
            "select version.number from cloch.deployed_functions as known
               join cloch.function_versions as version using (name)
              where name = $1 and version.number < known.served order by version.number desc limit 1",
        )
        .bind(name)
        .fetch_optional(&self.database)
        .await?;
        earlier.map(i64::cast_unsigned).ok_or_else(|| VersionError::NoEarlier(name.to_owned()))
    }

    /// Returns the numbers of the kept versions of a function, in ascending order.
    pub(in crate::deno) async fn numbers(&self, name: &str) -> Result<Vec<u64>, VersionError> {
        let numbers =
            sqlx::query_scalar::<_, i64>("select number from cloch.function_versions where name = $1 order by number")
                .bind(name)
                .fetch_all(&self.database)
                .await?;
        Ok(numbers.into_iter().map(i64::cast_unsigned).collect())
    }

    /// Publishes functions that are deployed on this node and missing in the database.
    pub(in crate::deno) async fn adopt(&self) -> Result<(), VersionError> {
        let known: Vec<String> =
            sqlx::query_scalar("select name from cloch.deployed_functions").fetch_all(&self.database).await?;
        for name in self.versions.deployed_names().into_iter().filter(|name| !known.contains(name)) {
            let (Some(number), Some(last)) =
                (self.versions.current_number(&name), self.versions.numbers(&name).last().copied())
            else {
                continue;
            };
            let (archive, description) = self.read(&name, number).await?;
            // Insert both rows in one transaction. Otherwise other nodes could see a function without a version, and would remove the
            // function.
            let mut transaction = cloch_sql::transaction::begin(&self.database).await?;
            let is_first = sqlx::query(
                "insert into cloch.deployed_functions (name, last_number, served) values ($1, $2, $3) on conflict do nothing",
            )
            .bind(&name)
            .bind(last.cast_signed())
            .bind(number.cast_signed())
            .execute(&mut *transaction)
            .await?
            .rows_affected()
                > 0;
            if is_first {
                sqlx::query(
                    "insert into cloch.function_versions (name, number, archive, description) values ($1, $2, $3, $4)",
                )
                .bind(&name)
                .bind(number.cast_signed())
                .bind(&archive)
                .bind(description)
                .execute(&mut *transaction)
                .await?;
                transaction.commit().await?;
                self.mark(&name, number, &archive)?;
                tracing::info!(function = %name, version = number, "functions: function version published to all nodes");
            }
        }
        Ok(())
    }

    /// Updates this node's copies to the served versions in the database. Returns the functions that have changed, and the functions whose update
    /// failed.
    pub(in crate::deno) async fn follow(&self) -> Result<Followed, VersionError> {
        let mut followed = Followed::default();
        for served in self.served(None).await? {
            let name = served.name.clone();
            match self.bring(served).await {
                Ok(false) => {}
                Ok(true) => followed.changed.push(name),
                Err(error) => {
                    followed.failed.insert(name, error.to_string());
                }
            }
        }
        Ok(followed)
    }

    async fn follow_one(&self, name: &str) -> Result<(), VersionError> {
        for served in self.served(Some(name)).await? {
            self.bring(served).await?;
        }
        Ok(())
    }

    async fn served(&self, only: Option<&str>) -> Result<Vec<Served>, VersionError> {
        let all: Vec<Served> = sqlx::query_as(
            "select known.name, version.number, version.sha256, version.description
               from cloch.deployed_functions as known
               left join cloch.function_versions as version on version.name = known.name and version.number = known.served
              where known.name = coalesce($1, known.name) order by known.name limit $2",
        )
        .bind(only)
        .bind(MAX_FUNCTIONS)
        .fetch_all(&self.database)
        .await?;
        Ok(all.into_iter().filter(|served| is_function_name(&served.name)).collect())
    }

    /// Updates this node's copy of one function to the version that is served according to the database. Returns whether anything has
    /// changed: the number of the served version, its files or its metadata.
    async fn bring(&self, served: Served) -> Result<bool, VersionError> {
        let name = served.name.as_str();
        let before = self.versions.current_number(name);
        let (Some(number), Some(sha256)) = (served.number.map(i64::cast_unsigned), served.sha256) else {
            if before.is_some() {
                self.versions.remove(name)?;
            }
            return Ok(before.is_some());
        };
        let is_here = self.is_marked(name, number, &sha256);
        if !is_here {
            self.fetch(name, number, &sha256, served.description.as_deref()).await?;
        }
        let described = is_here && self.redescribe(name, number, served.description.as_deref())?;
        if before != Some(number) {
            self.versions.switch(name, number)?;
        }
        Ok(!is_here || described || before != Some(number))
    }

    /// Downloads a function version into a temporary folder, and renames the folder when the version is complete.
    async fn fetch(
        &self,
        name: &str,
        number: u64,
        sha256: &[u8],
        description: Option<&str>,
    ) -> Result<(), VersionError> {
        let archive: Vec<u8> =
            sqlx::query_scalar("select archive from cloch.function_versions where name = $1 and number = $2")
                .bind(name)
                .bind(number.cast_signed())
                .fetch_one(&self.database)
                .await?;
        let (folder, copy) = (self.versions.of(name, number), self.versions.begin(name)?);
        let path = copy.path().to_owned();
        let (function, sha256, description) = (name.to_owned(), sha256.to_owned(), description.map(str::to_owned));
        let project = self.project.clone();
        let written = spawn_blocking(move || {
            if Sha256::digest(&archive).as_slice() != sha256 {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the archive has another checksum than it should",
                ));
            }
            unpack(&archive, &path)?;
            match description {
                Some(description) => write_synced(&path.join(UPLOAD_FILE), description.as_bytes())?,
                // A version that was copied from a project's folder uses the environment variables of this node's project folder.
                None => copy_environment(&project, &project_in(&path), &function)?,
            }
            write_synced(&path.join(MARK_FILE), &sha256)
        });
        written.await.map_err(io::Error::other).and_then(|written| written).map_err(at(&folder))?;
        self.versions.finish(name, copy, Number::Reserved(number)).map(drop)
    }

    /// Writes the metadata of an uploaded version if this node's copy has different metadata. Returns whether the metadata was different.
    fn redescribe(&self, name: &str, number: u64, description: Option<&str>) -> Result<bool, VersionError> {
        let here = fs::read(self.versions.of(name, number).join(UPLOAD_FILE)).ok();
        let Some(description) = description.filter(|text| here.as_deref() != Some(text.as_bytes())) else {
            return Ok(false);
        };
        let upload = serde_json::from_str::<Upload>(description)
            .map_err(|error| at(&self.versions.of(name, number))(io::Error::other(error)))?;
        self.versions.describe(name, number, &upload)?;
        Ok(true)
    }

    async fn read(&self, name: &str, number: u64) -> Result<(Vec<u8>, Option<String>), VersionError> {
        let folder = self.versions.of(name, number);
        let packed = folder.clone();
        let archive = spawn_blocking(move || pack(&packed)).await.map_err(io::Error::other);
        let archive = archive.and_then(|archive| archive).map_err(at(&folder))?;
        Ok((archive, self.versions.uploaded_as(name, number).map(|upload| upload.encode())))
    }

    fn mark(&self, name: &str, number: u64, archive: &[u8]) -> Result<(), VersionError> {
        let mark = self.versions.of(name, number).join(MARK_FILE);
        fs::write(&mark, Sha256::digest(archive)).map_err(at(&mark))
    }

    fn is_marked(&self, name: &str, number: u64, sha256: &[u8]) -> bool {
        fs::read(self.versions.of(name, number).join(MARK_FILE)).is_ok_and(|mark| mark == sha256)
    }
}

/// Copies the `.env` files of a function from this node's project folder `project` to the same paths in the folder `version`.
fn copy_environment(project: &Path, version: &Path, name: &str) -> io::Result<()> {
    let functions = Path::new(FUNCTIONS_FOLDER);
    for file in [functions.join(".env"), functions.join(name).join(".env")] {
        if project.join(&file).is_file() {
            let target = version.join(&file);
            target.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::copy(project.join(&file), target)?;
        }
    }
    Ok(())
}

#[derive(Debug, Default)]
pub(in crate::deno) struct Followed {
    /// Names of the functions whose served version has another number, other files or other metadata than before.
    pub(in crate::deno) changed: Vec<String>,
    /// Functions whose update on this node failed, each with the error message. The previous version of such a function remains served.
    pub(in crate::deno) failed: BTreeMap<String, String>,
}

fn known_or(known: bool, error: impl FnOnce() -> VersionError) -> Result<(), VersionError> {
    if known { Ok(()) } else { Err(error()) }
}
