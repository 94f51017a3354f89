//! Archives the parts of a server that are neither in the database nor in the file storage: secrets.toml, the project's folder, and the deployed
//! functions. The archive is rewritten when any of these parts changes.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use tokio::task::JoinHandle;

use crate::background;
use crate::encryption::Opener;
use crate::error::{BackupError, Result, blocking};
use crate::layout::{self, PART_BYTES};
use crate::repository::Repository;
use crate::settings::Settings;
use crate::unpack::{self, Limits};

/// Names of folders that the project archive omits, because other tools create these folders.
const SKIPPED_FOLDERS: [&str; 4] = ["node_modules", ".git", ".temp", ".branches"];
/// Maximum size of a project archive in bytes.
const MAX_ARCHIVE_BYTES: usize = 256 << 20;
/// Maximum number of parts of a project archive.
const MAX_ARCHIVE_PARTS: usize = MAX_ARCHIVE_BYTES / PART_BYTES + 2;
/// Maximum number of files accepted when a project archive is unpacked.
const MAX_ARCHIVE_FILES: u64 = 200_000;
/// Maximum depth of folders accepted when a project archive is unpacked.
const MAX_ARCHIVE_DEPTH: usize = 64;
/// Path of the project's folder in the project archive.
const PROJECT: &str = "project";
/// Path of the deployed functions in the project archive and in the data folder.
const FUNCTIONS: &str = "functions/versions";
/// Path of the secrets in the project archive and in the data folder.
const SECRETS: &str = "secrets.toml";

/// Writer of the project archive, which is written to the backup target when it has changed.
#[derive(Debug, Default)]
pub(crate) struct ProjectShipper {
    last: Option<Written>,
    checked: Option<Instant>,
    running: Option<JoinHandle<Result<Written>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    digest: [u8; 32],
    /// Name of the archive: `<time>.<number of parts>`. The files of the parts are named `<time>.<part>of<number of parts>`.
    name: String,
}

impl ProjectShipper {
    /// Returns the name of the last project archive; `None` if the current backup session has not written an archive yet.
    pub(crate) fn name(&self) -> Option<String> {
        self.last.as_ref().map(|last| last.name.clone())
    }

    /// Writes the project archive into a backup series if the archive has changed. Checks for changes at most once per `interval`. Waits
    /// only for the first archive, because nothing of the series can be restored without one. Later archives are written in the background,
    /// because packing a large folder takes long.
    pub(crate) async fn ship(
        &mut self,
        settings: &Settings,
        repository: &Repository,
        series: &str,
        interval: Duration,
    ) -> Result<()> {
        let is_first = self.last.is_none();
        if self.running.is_none() && (is_first || self.checked.is_none_or(|checked| checked.elapsed() >= interval)) {
            let (settings, repository, series) = (settings.clone(), repository.clone(), series.to_owned());
            let last = self.last.clone();
            self.checked = Some(Instant::now());
            self.running = Some(background::start("backup project", move || async move {
                ship(&settings, &repository, &series, last).await
            }));
        }
        if let Some(running) = self.running.take_if(|running| is_first || running.is_finished()) {
            self.last = Some(running.await.map_err(|_| BackupError::Stopped)??);
        }
        Ok(())
    }
}

impl Drop for ProjectShipper {
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.abort();
        }
    }
}

/// Writes the project archive into a backup series if the archive differs from `last`. Returns the latest archive in the backup target.
async fn ship(settings: &Settings, repository: &Repository, series: &str, last: Option<Written>) -> Result<Written> {
    let (project, data) = (settings.project.clone(), settings.data.clone());
    let (archive, digest) = blocking(move || {
        let archive = pack(&project, &data)?;
        let digest: [u8; 32] = Sha256::digest(&archive).into();
        Ok((archive, digest))
    })
    .await?;
    if let Some(last) = last.filter(|last| last.digest == digest) {
        return Ok(last);
    }
    let moment = layout::moment_name(Utc::now());
    let folder = layout::folder(series, "settings");
    let count = archive.len().div_ceil(PART_BYTES).max(1);
    for (number, part) in (1..).zip(archive.chunks(PART_BYTES)) {
        let part = bytes::Bytes::copy_from_slice(part);
        repository.put(&format!("{folder}{moment}.{number}of{count}"), part).await?;
    }
    Ok(Written { digest, name: format!("{moment}.{count}") })
}

fn pack(project: &Path, data: &Path) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    // Leave out times and owners, because the digest of the archive must change only when a file changes.
    archive.mode(tar::HeaderMode::Deterministic);
    let roots = [(data.join(SECRETS), SECRETS), (project.to_owned(), PROJECT), (data.join(FUNCTIONS), FUNCTIONS)];
    for (root, name) in roots {
        let walk = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter();
        let is_wanted = |entry: &walkdir::DirEntry| {
            entry.path() != data && !SKIPPED_FOLDERS.iter().any(|skipped| entry.file_name().to_str() == Some(*skipped))
        };
        for entry in walk.filter_entry(is_wanted) {
            let entry = match entry {
                Ok(entry) => entry,
                // Either the folder to pack does not exist, or the file was deleted after its parent folder was read.
                Err(error) if error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound) => continue,
                Err(error) => return Err(BackupError::io(error.path().unwrap_or(&root).to_owned())(error.into())),
            };
            if !entry.file_type().is_file() {
                continue;
            }
            let relative = entry.path().strip_prefix(&root).unwrap_or(Path::new(""));
            let inside =
                if relative.as_os_str().is_empty() { PathBuf::from(name) } else { Path::new(name).join(relative) };
            match archive.append_path_with_name(entry.path(), inside) {
                // The file was deleted after its parent folder was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                outcome => outcome.map_err(BackupError::io(entry.path()))?,
            }
            if archive.get_ref().len() > MAX_ARCHIVE_BYTES {
                return Err(BackupError::Refused(format!(
                    "the project's folder {} has more than {} MiB: move large files elsewhere, the backup holds it in one archive",
                    project.display(),
                    MAX_ARCHIVE_BYTES >> 20
                )));
            }
        }
    }
    archive.into_inner().map_err(BackupError::io(project))
}

/// Unpacks a project archive into a new data folder: the last archive before `moment`, or the first archive if all are later. `at_least` is
/// the name of the oldest archive that is accepted.
pub(crate) async fn restore(
    repository: &Repository,
    opener: &Opener,
    series: &str,
    moment: DateTime<Utc>,
    at_least: Option<&str>,
    data: &Path,
) -> Result<()> {
    let folder = layout::folder(series, "settings");
    let listed = repository.target.list(&folder).await?;
    let names: Vec<&str> = listed.iter().filter_map(|entry| entry.name.strip_prefix(&folder)).collect();
    let wanted = layout::moment_name(moment);
    let complete: Vec<(&str, usize)> = names
        .iter()
        .filter_map(|name| {
            let (own, part) = name.split_once('.')?;
            let count: usize = part.strip_prefix("1of")?.parse().ok()?;
            (count <= MAX_ARCHIVE_PARTS
                && at_least.is_none_or(|least| own >= moment_of(least))
                && (1..=count).all(|number| names.contains(&format!("{own}.{number}of{count}").as_str())))
            .then_some((own, count))
        })
        .collect();
    let chosen = complete.iter().rev().find(|(own, _)| **own <= *wanted).or_else(|| complete.first());
    let (own, count) = chosen.ok_or_else(|| BackupError::Missing {
        what: format!("{folder}{} or a later one (the project's secrets)", at_least.unwrap_or_default()),
    })?;
    let mut archive = Vec::new();
    for number in 1..=*count {
        archive.extend(repository.get(opener, &format!("{folder}{own}.{number}of{count}")).await?);
    }
    let data = data.to_owned();
    blocking(move || unpack(&archive, &data)).await
}

/// Returns the time in the name of a project archive.
fn moment_of(name: &str) -> &str {
    name.split_once('.').map_or(name, |(moment, _)| moment)
}

fn unpack(archive: &[u8], data: &Path) -> Result<()> {
    let limits = Limits { bytes: MAX_ARCHIVE_BYTES as u64, entries: MAX_ARCHIVE_FILES, depth: MAX_ARCHIVE_DEPTH };
    unpack::unpack(archive, data, limits, belongs, |_| Ok(()))
}

/// Whether [`pack`] can have written a file under this path.
fn belongs(path: &Path) -> bool {
    let is_of_a_root = [PROJECT, FUNCTIONS].iter().any(|root| path.starts_with(root));
    let is_skipped = |part: std::path::Component<'_>| SKIPPED_FOLDERS.iter().any(|name| part.as_os_str() == *name);
    path == Path::new(SECRETS) || (is_of_a_root && !path.components().any(is_skipped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_not_left_out() {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join(SECRETS), "a = 1").unwrap();
        let project = data.path().join("project");
        std::fs::create_dir(&project).unwrap();
        assert!(pack(&project, data.path()).is_ok());
        // Root can read every file, so missing permissions would cause no error. The test uses a file in place of a folder instead.
        let error = pack(&data.path().join(SECRETS).join("project"), data.path()).unwrap_err().to_string();
        assert!(error.contains("secrets.toml/project"), "{error}");
    }
}
