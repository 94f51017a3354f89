//! Upgrade to a newer major version of PostgreSQL: pg_upgrade copies the cluster into a new folder, which is then atomically swapped with
//! the old folder. The old folder remains unchanged beside the new folder until the operator deletes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::killed_upgrade::{self, ASIDE_SUFFIX, DRAFT_SUFFIX, WORK_SUFFIX, kept, remove};
use super::place::socket_folder;
use super::{Account, Binaries, ClusterSettings, EmbeddedError, SUPERUSER, cluster, hooks};

const NEWEST_MAJOR: u32 = 18;
/// Programs of the new version that pg_upgrade requires.
const NEW_PROGRAMS: [&str; 10] = [
    "pg_upgrade",
    "initdb",
    "pg_ctl",
    "pg_controldata",
    "pg_resetwal",
    "pg_dump",
    "pg_dumpall",
    "pg_restore",
    "psql",
    "vacuumdb",
];
/// Programs of the old version that pg_upgrade requires.
const OLD_PROGRAMS: [&str; 2] = ["pg_ctl", "pg_controldata"];
/// Maximum number of lines shown from each list of problems that pg_upgrade writes.
const MAX_SHOWN_LINES: usize = 20;
/// libpq environment variables, with which pg_upgrade could connect to a different server.
const LIBPQ_VARIABLES: [&str; 8] =
    ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE", "PGOPTIONS", "PGSSLMODE"];

/// Planned upgrade of an embedded cluster to a newer major version of PostgreSQL.
#[derive(Debug)]
pub struct Upgrade {
    /// Programs of the version that created the cluster.
    pub old: Binaries,
    /// Programs of the newer version.
    pub new: Binaries,
    folder: PathBuf,
    account: Account,
    settings: ClusterSettings,
}

/// Old cluster that remains after an upgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldCluster {
    /// Folder of the old cluster.
    pub folder: PathBuf,
    /// Major version of the old cluster.
    pub version: String,
}

impl Upgrade {
    /// Plans the upgrade to the newest installed PostgreSQL version; `None` if no newer version is installed. No server may run on the
    /// cluster. Cleans up a killed upgrade first.
    ///
    /// # Errors
    /// Fails if there is no cluster, or programs that pg_upgrade requires are missing.
    pub fn plan(settings: &ClusterSettings) -> Result<Option<Self>, EmbeddedError> {
        let folder = Account::choose().cluster_folder(&settings.folder)?;
        killed_upgrade::end(&folder)?;
        let Some(version) = cluster::version(&folder) else {
            return refused(format!(
                "there is no database in {}: the first `cloch start` makes one of the newest version on this machine",
                settings.folder.display()
            ));
        };
        let all = Binaries::on_this_machine(settings);
        let major: u32 = version.parse().unwrap_or(0);
        let newer: Vec<&Binaries> =
            all.iter().filter(|one| (major + 1..=NEWEST_MAJOR).contains(&one.major())).collect();
        let Some(newest) = newer.iter().max_by_key(|one| one.major()) else { return Ok(None) };
        let complete = newer.iter().filter(|one| lacking(one, &NEW_PROGRAMS).is_empty()).max_by_key(|one| one.major());
        let Some(new) = complete else {
            return refused(format!(
                "PostgreSQL {} in {} lacks {}, which an upgrade needs: install its complete package (Debian, Ubuntu: apt-get install \
                 postgresql-{})",
                newest.version,
                newest.folder.display(),
                lacking(newest, &NEW_PROGRAMS).join(", "),
                newest.version
            ));
        };
        let old = all.iter().find(|one| one.version == version && lacking(one, &OLD_PROGRAMS).is_empty());
        let Some(old) = old else {
            return refused(format!(
                "{} was made by PostgreSQL {version}, and an upgrade needs the programs of that version too, which are not on this machine: \
                 install them (Debian, Ubuntu: apt-get install postgresql-{version})",
                folder.display()
            ));
        };
        let account = Account::choose();
        account.must_reach(&new.folder)?;
        Ok(Some(Self { old: old.clone(), new: (*new).clone(), folder, account, settings: settings.clone() }))
    }

    /// Runs `pg_upgrade --check`. The cluster must have been stopped cleanly; the check does not change the cluster.
    ///
    /// # Errors
    /// Returns the problems that pg_upgrade reports.
    pub fn check(&self) -> Result<(), EmbeddedError> {
        let kept = self.kept();
        if kept.exists() {
            return refused(format!(
                "{} is there from an earlier upgrade: move it away, or delete it with `cloch upgrade --remove-old`",
                kept.display()
            ));
        }
        let checked = self.make(true);
        self.clear();
        checked
    }

    /// Runs pg_upgrade, which creates the new cluster beside the old cluster. The old cluster is not changed.
    ///
    /// # Errors
    /// Returns pg_upgrade's output. The partial copy is deleted.
    pub fn copy(&self) -> Result<(), EmbeddedError> {
        self.make(false).inspect_err(|_| self.clear())?;
        remove(&self.work())
    }

    /// Swaps the folder of the new cluster with the folder of the old cluster, so that the next start uses the new cluster. Returns the
    /// path of the old cluster after the swap.
    ///
    /// # Errors
    /// Fails if a folder cannot be renamed.
    pub fn change_places(&self) -> Result<PathBuf, EmbeddedError> {
        let kept = self.kept();
        exchange(&self.draft(), &self.folder)?;
        fs::rename(self.draft(), &kept).map_err(EmbeddedError::io(&kept))?;
        cluster::sync_folder(self.folder.parent().unwrap_or(&self.folder))?;
        Ok(kept)
    }

    /// Undoes the swap of [`change_places`](Self::change_places), so that the next start uses the old cluster, and deletes the new cluster.
    ///
    /// # Errors
    /// Fails if a folder cannot be renamed.
    pub fn go_back(&self) -> Result<(), EmbeddedError> {
        let kept = self.kept();
        exchange(&kept, &self.folder)?;
        killed_upgrade::remove_kept(&self.folder, &kept)
    }

    /// Deletes the temporary folders of [`copy`](Self::copy). After [`change_places`](Self::change_places), the new cluster is not in a
    /// temporary folder and therefore remains.
    pub fn clear(&self) {
        for folder in [self.draft(), self.work()] {
            if let Err(error) = remove(&folder) {
                tracing::warn!(%error, folder = %folder.display(), "upgrade: deleting a temporary folder failed, delete this folder by hand");
            }
        }
    }

    fn old_clusters(folder: &Path) -> Vec<OldCluster> {
        let prefix = format!("{}-", folder.file_name().unwrap_or_default().to_string_lossy());
        let entries = fs::read_dir(folder.parent().unwrap_or(folder)).into_iter().flatten().flatten();
        let old = entries.filter_map(|entry| {
            let name = entry.file_name();
            let version = name.to_str()?.strip_prefix(&prefix)?;
            let folder = entry.path();
            (cluster::version(&folder)? == version).then(|| OldCluster { folder, version: version.to_owned() })
        });
        old.collect()
    }

    /// Deletes the old clusters of earlier upgrades and returns them.
    ///
    /// # Errors
    /// Fails if a folder cannot be deleted.
    pub fn remove_old(settings: &ClusterSettings) -> Result<Vec<OldCluster>, EmbeddedError> {
        let folder = Account::choose().cluster_folder(&settings.folder)?;
        killed_upgrade::end(&folder)?;
        let old = Self::old_clusters(&folder);
        for cluster in &old {
            killed_upgrade::remove_kept(&folder, &cluster.folder)?;
        }
        Ok(old)
    }

    fn draft(&self) -> PathBuf {
        cluster::beside(&self.folder, DRAFT_SUFFIX)
    }

    fn work(&self) -> PathBuf {
        cluster::beside(&self.folder, WORK_SUFFIX)
    }

    fn kept(&self) -> PathBuf {
        kept(&self.folder, &self.old.version)
    }

    fn make(&self, is_check: bool) -> Result<(), EmbeddedError> {
        let (draft, work) = (self.draft(), self.work());
        remove(&draft)?;
        remove(&work)?;
        self.account.make_folder(&work)?;
        cluster::create(&draft, &self.settings, &self.new, self.account)?;
        let program = self.new.program("pg_upgrade");
        let mut command = self.account.command(&program);
        for name in LIBPQ_VARIABLES {
            command.env_remove(name);
        }
        command
            .arg("--old-bindir")
            .arg(&self.old.folder)
            .arg("--new-bindir")
            .arg(&self.new.folder)
            .arg("--old-datadir")
            .arg(&self.folder)
            .arg("--new-datadir")
            .arg(&draft)
            .arg("--socketdir")
            .arg(socket_folder(&work, self.account)?)
            .args(["--username", SUPERUSER])
            .args(["--old-options", &options(&self.old, &work), "--new-options", &options(&self.new, &work)])
            .env("PGPASSWORD", self.settings.password.expose())
            .env("LC_ALL", "C")
            .current_dir(&work);
        if is_check {
            command.arg("--check");
        }
        let output = command.output().map_err(EmbeddedError::io(program))?;
        if output.status.success() {
            return Ok(());
        }
        Err(EmbeddedError::failed("pg_upgrade", &self.folder, &obstacles(&output, &draft)))
    }
}

/// If a PostgreSQL version newer than `used` is installed, logs that the command `cloch upgrade` can upgrade the cluster to this version.
pub(super) fn tell_of_newer(settings: &ClusterSettings, used: &Binaries) {
    let newer = Binaries::on_this_machine(settings).into_iter().filter(|one| one.major() <= NEWEST_MAJOR);
    if let Some(newest) = newer.max_by_key(Binaries::major).filter(|one| one.major() > used.major()) {
        tracing::info!(
            "upgrade: a newer PostgreSQL is installed. The database is PostgreSQL {} and runs on the programs in {}; version {} is in {}: `cloch \
             upgrade` moves the database to the newer version",
            used.version,
            used.folder.display(),
            newest.version,
            newest.folder.display()
        );
    }
}

/// Returns the server options that make PostgreSQL load the libraries of extensions when it starts, because PostgreSQL cannot load some
/// libraries later. With the library `cloch_hooks`, pg_upgrade can restore event triggers and foreign-data wrappers of role postgres.
fn options(binaries: &Binaries, work: &Path) -> String {
    let libraries = binaries.preloaded_libraries().join(",");
    // pg_upgrade passes the options through a shell.
    let is_plain = |path: &PathBuf| {
        path.to_str().is_some_and(|text| text.chars().all(|one| one.is_ascii_alphanumeric() || "/._-".contains(one)))
    };
    match hooks::install(&binaries.version, work).filter(is_plain) {
        Some(library) => {
            let separator = if libraries.is_empty() { "" } else { "," };
            format!(
                "-c shared_preload_libraries={}{separator}{libraries} -c cloch.privileged_role={}",
                library.display(),
                hooks::PRIVILEGED_ROLE
            )
        }
        None => format!("-c shared_preload_libraries={libraries}"),
    }
}

fn lacking<'a>(binaries: &Binaries, programs: &[&'a str]) -> Vec<&'a str> {
    programs.iter().copied().filter(|name| !binaries.program(name).exists()).collect()
}

/// Returns pg_upgrade's output, with the lists of problems that pg_upgrade wrote to files.
fn obstacles(output: &Output, draft: &Path) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let files = walk(&draft.join("pg_upgrade_output.d")).into_iter();
    let lists = files.filter(|file| file.extension().is_some_and(|extension| extension == "txt"));
    let text = lists.filter_map(|file| fs::read_to_string(file).ok());
    let listed: Vec<String> =
        text.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).take(MAX_SHOWN_LINES).collect();
    // The lines of successful checks are omitted.
    let lines = said.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.ends_with(" ok"));
    lines.map(str::to_owned).chain(listed).collect::<Vec<_>>().join("\n")
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.flat_map(|entry| if entry.path().is_dir() { walk(&entry.path()) } else { vec![entry.path()] }).collect()
}

/// Swaps the names of two folders, atomically if the file system supports it.
fn exchange(one: &Path, other: &Path) -> Result<(), EmbeddedError> {
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            let aside = cluster::beside(other, ASIDE_SUFFIX);
            fs::rename(other, &aside).map_err(EmbeddedError::io(other))?;
            fs::rename(one, other).map_err(EmbeddedError::io(one))?;
            fs::rename(&aside, one).map_err(EmbeddedError::io(one))
        }
        outcome => outcome.map_err(|error| EmbeddedError::io(other)(std::io::Error::from(error))),
    }
}

fn refused<T>(message: String) -> Result<T, EmbeddedError> {
    Err(EmbeddedError::Upgrade(message))
}
