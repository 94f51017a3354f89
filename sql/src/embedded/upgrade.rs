//! From one major version of PostgreSQL to a newer one: pg_upgrade copies the cluster into a new folder, which then changes places with the
//! old one in a single step. The old folder stays as it was, beside the new one, until the operator deletes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::killed_upgrade::{self, ASIDE_SUFFIX, DRAFT_SUFFIX, WORK_SUFFIX, kept, remove};
use super::process::socket_folder;
use super::{Account, Binaries, ClusterSettings, EmbeddedError, SUPERUSER, cluster};

/// The newest major version that Cloch runs on.
const NEWEST_MAJOR: u32 = 18;
/// What pg_upgrade needs of the new version.
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
/// What it needs of the old one.
const OLD_PROGRAMS: [&str; 2] = ["pg_ctl", "pg_controldata"];
/// Lines of a list of obstacles that are shown.
const MAX_SHOWN_LINES: usize = 20;
/// Variables by which libpq would reach another server than pg_upgrade means.
const LIBPQ_VARIABLES: [&str; 8] =
    ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE", "PGOPTIONS", "PGSSLMODE"];

/// The way of a cluster from the version that made it to a newer one.
#[derive(Debug)]
pub struct Upgrade {
    /// The programs of the version that made it.
    pub old: Binaries,
    /// The programs of the newer one.
    pub new: Binaries,
    folder: PathBuf,
    account: Account,
    settings: ClusterSettings,
}

/// The cluster's folder of before an upgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldCluster {
    /// Its folder.
    pub folder: PathBuf,
    /// The major version.
    pub version: String,
}

impl Upgrade {
    /// The way to the newest version on this machine; `None` where there is no newer one. No server may run on the cluster. An upgrade that was
    /// killed is ended first.
    ///
    /// # Errors
    /// When there is no cluster, or a version lacks what pg_upgrade needs.
    pub fn plan(settings: &ClusterSettings) -> Result<Option<Self>, EmbeddedError> {
        let folder = resolve(&settings.folder);
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

    /// Lets pg_upgrade look for obstacles. The cluster must have been stopped cleanly; it stays as it is.
    ///
    /// # Errors
    /// What stands in the way.
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

    /// Makes the new cluster beside the old one, which stays as it is.
    ///
    /// # Errors
    /// What pg_upgrade says. Nothing is left then.
    pub fn copy(&self) -> Result<(), EmbeddedError> {
        self.make(false).inspect_err(|_| self.clear())?;
        remove(&self.work())
    }

    /// Puts the new cluster in the old one's place; returns where the old one is now.
    ///
    /// # Errors
    /// When a folder cannot be renamed.
    pub fn change_places(&self) -> Result<PathBuf, EmbeddedError> {
        let kept = self.kept();
        exchange(&self.draft(), &self.folder)?;
        fs::rename(self.draft(), &kept).map_err(EmbeddedError::io(&kept))?;
        cluster::sync_folder(self.folder.parent().unwrap_or(&self.folder))?;
        Ok(kept)
    }

    /// Reverses [`change_places`](Self::change_places), and deletes the new cluster.
    ///
    /// # Errors
    /// When a folder cannot be renamed.
    pub fn go_back(&self) -> Result<(), EmbeddedError> {
        let kept = self.kept();
        exchange(&kept, &self.folder)?;
        killed_upgrade::remove_kept(&self.folder, &kept)
    }

    /// Deletes what [`copy`](Self::copy) has made, where it is not used.
    pub fn clear(&self) {
        for folder in [self.draft(), self.work()] {
            if let Err(error) = remove(&folder) {
                tracing::warn!(%error, "upgrade: deleting a temporary folder failed");
            }
        }
    }

    /// The clusters of before earlier upgrades.
    fn old_clusters(settings: &ClusterSettings) -> Vec<OldCluster> {
        let folder = resolve(&settings.folder);
        let prefix = format!("{}-", folder.file_name().unwrap_or_default().to_string_lossy());
        let entries = fs::read_dir(folder.parent().unwrap_or(&folder)).into_iter().flatten().flatten();
        let old = entries.filter_map(|entry| {
            let name = entry.file_name();
            let version = name.to_str()?.strip_prefix(&prefix)?;
            let folder = entry.path();
            (cluster::version(&folder)? == version).then(|| OldCluster { folder, version: version.to_owned() })
        });
        old.collect()
    }

    /// Deletes the clusters of before earlier upgrades; returns them.
    ///
    /// # Errors
    /// When one cannot be deleted.
    pub fn remove_old(settings: &ClusterSettings) -> Result<Vec<OldCluster>, EmbeddedError> {
        let folder = resolve(&settings.folder);
        killed_upgrade::end(&folder)?;
        let old = Self::old_clusters(settings);
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
            .args(["--old-options", &options(&self.old), "--new-options", &options(&self.new)])
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

/// Says where a newer version is that the cluster could move to, and which programs it runs on until then.
pub(super) fn tell_of_newer(settings: &ClusterSettings, used: &Binaries) {
    let newer = Binaries::on_this_machine(settings).into_iter().filter(|one| one.major() <= NEWEST_MAJOR);
    if let Some(newest) = newer.max_by_key(Binaries::major).filter(|one| one.major() > used.major()) {
        tracing::info!(
            "the database is PostgreSQL {} and runs on the programs in {}; version {} is in {}: `cloch upgrade` moves it there",
            used.version,
            used.folder.display(),
            newest.version,
            newest.folder.display()
        );
    }
}

/// Libraries of extensions that refuse to be loaded later.
fn options(binaries: &Binaries) -> String {
    format!("-c shared_preload_libraries={}", binaries.preloaded_libraries().join(","))
}

fn lacking<'a>(binaries: &Binaries, programs: &[&'a str]) -> Vec<&'a str> {
    programs.iter().copied().filter(|name| !binaries.program(name).exists()).collect()
}

/// The end of what pg_upgrade says, with the lists that it has written into files.
fn obstacles(output: &Output, draft: &Path) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let files = walk(&draft.join("pg_upgrade_output.d")).into_iter();
    let lists = files.filter(|file| file.extension().is_some_and(|extension| extension == "txt"));
    let text = lists.filter_map(|file| fs::read_to_string(file).ok());
    let listed: Vec<String> =
        text.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).take(MAX_SHOWN_LINES).collect();
    // What went well is no news.
    let lines = said.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.ends_with(" ok"));
    lines.map(str::to_owned).chain(listed).collect::<Vec<_>>().join("\n")
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.flat_map(|entry| if entry.path().is_dir() { walk(&entry.path()) } else { vec![entry.path()] }).collect()
}

/// The cluster's real folder: the one in the data folder may be a link ([`Account::reachable`]).
fn resolve(folder: &Path) -> PathBuf {
    fs::read_link(folder).unwrap_or_else(|_| folder.to_owned())
}

/// Two folders change their names, in one step where the file system can do that.
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
