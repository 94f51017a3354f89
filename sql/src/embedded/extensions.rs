//! The folder of extensions that an embedded server reads instead of the system's.
//!
//! PostgreSQL lets only a superuser create most extensions, and role postgres is none. Its own way to allow one to the owner of a
//! database is `trusted = true` in the extension's control file. The system's files are not Cloch's to change, so the server gets a
//! folder of its own beside its data: links to the installed files, and copies with that line of the control files that Supabase allows.
//! PostgreSQL 18 takes such a folder by a setting (`extension_control_path`). Versions 15 to 17 look for `share` relative to their own
//! executable, so `postgres` is copied into a tree of links that has the same layout.
//!
//! The tree is made anew at each start, since packages come and go. Stand-ins that were created announce themselves here as well (see
//! [`crate::stand_ins`]).

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use cloch_core::programs;

use super::{Account, Binaries};

/// The tree's folder, beside the cluster's.
const TREE: &str = "postgres";
/// In the tree: a link to its folder of control files and scripts.
const EXTENSION_LINK: &str = "extension";

/// Extensions that the project's owner may create although they are for superusers: those that Supabase allows
/// (`supautils.privileged_extensions`). PostgreSQL's own trusted ones need no mention. Not in it: what reads files of the server or
/// pages of tables past row security (file_fdw, adminpack, pageinspect, amcheck, lo).
const ALLOWED: [&str; 59] = [
    "address_standardizer",
    "address_standardizer_data_us",
    "autoinc",
    "bloom",
    "dblink",
    "dict_int",
    "dict_xsyn",
    "earthdistance",
    "http",
    "hypopg",
    "index_advisor",
    "insert_username",
    "moddatetime",
    "pg_cron",
    "pg_graphql",
    "pg_hashids",
    "pg_jsonschema",
    "pg_net",
    "pg_partman",
    "pg_prewarm",
    "pg_repack",
    "pg_stat_monitor",
    "pg_stat_statements",
    "pg_tle",
    "pg_walinspect",
    "pgaudit",
    "pgjwt",
    "pgmq",
    "pgroonga",
    "pgroonga_database",
    "pgrouting",
    "pgrowlocks",
    "pgsodium",
    "pgstattuple",
    "pgtap",
    "plcoffee",
    "pljava",
    "plls",
    "plpgsql_check",
    "plv8",
    "postgis",
    "postgis_raster",
    "postgis_sfcgal",
    "postgis_tiger_geocoder",
    "postgis_topology",
    "postgres_fdw",
    "refint",
    "rum",
    "sslinfo",
    "supabase_vault",
    "tablefunc",
    "tcn",
    "timescaledb",
    "tsm_system_rows",
    "tsm_system_time",
    "unaccent",
    "uuid-ossp",
    "vector",
    "wrappers",
];

/// What a server is started with so that it reads the tree.
#[derive(Debug)]
pub(super) struct ExtensionTree {
    /// The executable to start.
    pub(super) postgres: PathBuf,
    /// The value of `extension_control_path`, from PostgreSQL 18 on.
    pub(super) control_path: Option<String>,
}

/// The folder in which an embedded server finds control files of Cloch's own, if it has one. `cluster` is the cluster's folder, or a link
/// to it.
#[must_use]
pub fn extension_folder(cluster: &Path) -> Option<PathBuf> {
    let cluster = cluster.canonicalize().ok()?;
    cluster.parent()?.join(TREE).join(EXTENSION_LINK).canonicalize().ok()
}

/// Makes the tree for a cluster's folder.
pub(super) fn prepare(cluster: &Path, binaries: &Binaries) -> io::Result<ExtensionTree> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, "PostgreSQL's folder of extensions was not found");
    let share = share_folder(binaries).ok_or_else(missing)?;
    let tree = cluster.parent().unwrap_or(cluster).join(TREE);
    let root = binaries.folder.ancestors().find(|folder| share.starts_with(folder)).ok_or_else(missing)?;
    let own = |path: &Path| path.strip_prefix(root).map(|relative| tree.join("usr").join(relative));
    let (own_bin, own_share) = (own(&binaries.folder), own(&share));
    let (own_bin, own_share) = (own_bin.map_err(io::Error::other)?, own_share.map_err(io::Error::other)?);

    let executable = own_bin.join("postgres");
    let kept = keep_executable(&executable, &tree)?;
    make_folder(&own_bin)?;
    make_folder(&own_share)?;
    let installed = binaries.program("postgres");
    let takes_setting = binaries.version.parse::<u32>().is_ok_and(|version| version >= 18);
    if !takes_setting {
        place_executable(&installed, kept, &executable)?;
        link_missing(binaries.folder.parent().unwrap_or(root), own_bin.parent().unwrap_or(&tree))?;
    }
    let own_extensions = own_share.join("extension");
    make_folder(&own_extensions)?;
    for entry in fs::read_dir(share.join("extension"))? {
        let entry = entry?;
        let target = own_extensions.join(entry.file_name());
        match trusted_copy(&entry.path()) {
            Some(text) => write(&target, &text)?,
            None => symlink(entry.path(), &target)?,
        }
    }
    link_missing(&share, &own_share)?;
    symlink(&own_extensions, tree.join(EXTENSION_LINK))?;
    Ok(match takes_setting {
        true => ExtensionTree { postgres: installed, control_path: Some(format!("{}:$system", own_share.display())) },
        false => ExtensionTree { postgres: executable, control_path: None },
    })
}

/// PostgreSQL's share folder: where `pg_config` says, or where packages without it have it.
fn share_folder(binaries: &Binaries) -> Option<PathBuf> {
    let pg_config = programs::trusted(&binaries.program("pg_config")).ok();
    let ask = |program: PathBuf| Account::choose().command(&program).arg("--sharedir").current_dir("/").output().ok();
    let told = pg_config.and_then(ask).map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let beside = binaries.folder.parent()?.join("share");
    let candidates = told.into_iter().chain([beside.join("postgresql"), beside]);
    candidates
        .filter_map(|folder| folder.canonicalize().ok())
        .find(|folder| folder.join("extension/plpgsql.control").exists())
}

/// Clears the tree of an earlier start away, but for the copied executable, which is moved aside.
fn keep_executable(executable: &Path, tree: &Path) -> io::Result<Option<PathBuf>> {
    let aside = tree.with_extension("executable");
    let kept = fs::rename(executable, &aside).is_ok();
    match fs::remove_dir_all(tree) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    Ok(kept.then_some(aside))
}

/// Copies the executable, unless the copy of an earlier start is of the same file.
fn place_executable(installed: &Path, kept: Option<PathBuf>, target: &Path) -> io::Result<()> {
    let source = fs::metadata(installed)?;
    if let Some(kept) = kept {
        let copy = fs::metadata(&kept)?;
        if (copy.len(), copy.mtime()) == (source.len(), source.mtime()) {
            return fs::rename(kept, target);
        }
        fs::remove_file(kept)?;
    }
    fs::copy(installed, target)?;
    fs::set_permissions(target, fs::Permissions::from_mode(0o755))?;
    fs::File::options().write(true).open(target)?.set_modified(source.modified()?)
}

/// Links everything of a folder that its counterpart in the tree lacks.
fn link_missing(folder: &Path, counterpart: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let target = counterpart.join(entry.file_name());
        if !target.exists() {
            symlink(entry.path(), target)?;
        }
    }
    Ok(())
}

/// A control file's text with `trusted = true`, if the project's owner may create the extension and PostgreSQL would not let it.
fn trusted_copy(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?.strip_suffix(".control")?;
    // postgis-3.control and the like are alternatives that Debian installs.
    let plain = name.strip_suffix("-3").unwrap_or(name);
    ALLOWED.contains(&plain).then_some(())?;
    let text = fs::read_to_string(file).ok()?;
    let says = |line: &str, key: &str| line.split('=').next().is_some_and(|word| word.trim() == key);
    // Projects write `create extension pg_cron with schema extensions`, which Supabase lets pass: its objects are in `cron` anyway.
    let is_kept = |line: &&str| !(says(line, "trusted") || plain == "pg_cron" && says(line, "schema"));
    let kept: Vec<&str> = text.lines().filter(is_kept).collect();
    Some(format!("{}\ntrusted = true\n", kept.join("\n")))
}

/// Makes a folder that the server's account can read, whatever the umask.
fn make_folder(folder: &Path) -> io::Result<()> {
    for ancestor in folder.ancestors().collect::<Vec<_>>().into_iter().rev().filter(|ancestor| !ancestor.exists()) {
        fs::create_dir(ancestor)?;
        fs::set_permissions(ancestor, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Writes a control file or a script that the server's account can read.
pub(crate) fn write(file: &Path, text: &str) -> io::Result<()> {
    fs::write(file, text)?;
    fs::set_permissions(file, fs::Permissions::from_mode(0o644))
}
