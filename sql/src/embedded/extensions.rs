//! Builds the folder of extensions that an embedded PostgreSQL server reads instead of the system's folder. This file calls it the
//! extension tree.
//!
//! PostgreSQL allows only a superuser to create most extensions, and role postgres is not a superuser. The line `trusted = true` in an
//! extension's control file allows the owner of a database to create the extension. Cloch must not change the system's files, so the server
//! gets a separate folder beside its data. This folder contains links to the installed files. For extensions that Supabase allows, it
//! contains copies of the control files with `trusted = true`. PostgreSQL 18 has a setting for the folder (`extension_control_path`).
//! PostgreSQL 15 to 17 find `share` relative to their executable, so `postgres` is copied into the extension tree, which has the same
//! layout as the system's folder.
//!
//! The extension tree is rebuilt at each start, because installed packages may have changed. Control files of created stand-ins (SQL in
//! place of a missing extension) are added later (see [`crate::stand_ins`]).

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use cloch_core::programs;

use super::{Account, Binaries, hooks};

/// Name of the folder that Cloch builds for extensions (the extension tree). It is beside the cluster's folder.
const TREE: &str = "postgres";
/// Name of the symbolic link to the folder with the control files and scripts of the extensions. The link is in the folder [`TREE`], which
/// Cloch builds for extensions.
const EXTENSION_LINK: &str = "extension";

/// Extensions that PostgreSQL reserves for superusers and that the project's owner may create: those that Supabase allows
/// (`supautils.privileged_extensions`). Extensions that PostgreSQL itself trusts are not listed. Extensions that read the server's files,
/// or that read table pages without row-level security (file_fdw, adminpack, pageinspect, amcheck, lo), are excluded.
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

/// Executable and setting with which a server reads the extensions from the folder that Cloch builds (the extension tree).
#[derive(Debug)]
pub(super) struct ExtensionTree {
    /// Path of the `postgres` executable that the server runs. Before PostgreSQL 18, it is a copy in the extension tree.
    pub(super) postgres: PathBuf,
    /// Value of `extension_control_path`; `None` before PostgreSQL 18.
    pub(super) control_path: Option<String>,
    /// Path of the copy of the library `cloch_hooks` in the extension tree (the folder of extensions); `None` if the library is not
    /// available.
    pub(super) hooks: Option<PathBuf>,
}

/// Returns the folder of extension control files that Cloch has built for the embedded server; `None` if the folder does not exist.
/// `cluster` is the cluster's folder or a link to the cluster's folder.
#[must_use]
pub fn extension_folder(cluster: &Path) -> Option<PathBuf> {
    let cluster = cluster.canonicalize().ok()?;
    cluster.parent()?.join(TREE).join(EXTENSION_LINK).canonicalize().ok()
}

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
    let hooks = hooks::install(&binaries.version, &tree);
    Ok(match takes_setting {
        true => {
            ExtensionTree { postgres: installed, control_path: Some(format!("{}:$system", own_share.display())), hooks }
        }
        false => ExtensionTree { postgres: executable, control_path: None, hooks },
    })
}

/// Returns PostgreSQL's share folder: the output of `pg_config`, otherwise the usual folder of packages that do not contain `pg_config`.
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

/// Deletes the extension tree (the folder of extensions) of an earlier start. If the tree contains a `postgres` executable, the executable
/// is first moved to another path, which is returned, so that an unchanged executable need not be copied again.
fn keep_executable(executable: &Path, tree: &Path) -> io::Result<Option<PathBuf>> {
    let aside = tree.with_extension("executable");
    let kept = fs::rename(executable, &aside).is_ok();
    match fs::remove_dir_all(tree) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    Ok(kept.then_some(aside))
}

/// Copies the `postgres` executable to `target` in the extension tree (the folder of extensions). If the copy of an earlier start (`kept`)
/// has the same size and modification time, it is moved to `target` instead.
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

/// Creates a link in `counterpart` to each entry of the system's folder that `counterpart` lacks. `counterpart` is a folder of the
/// extension tree (the folder of extensions that Cloch builds).
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

/// Returns an extension control file's text with `trusted = true`; `None` if the project's owner may not create the extension.
fn trusted_copy(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?.strip_suffix(".control")?;
    // Debian adds a version to some names, for example postgis-3.control.
    let plain = name.strip_suffix("-3").unwrap_or(name);
    ALLOWED.contains(&plain).then_some(())?;
    let text = fs::read_to_string(file).ok()?;
    let says = |line: &str, key: &str| line.split('=').next().is_some_and(|word| word.trim() == key);
    // Projects write `create extension pg_cron with schema extensions`, which Supabase accepts. The extension's objects are always in
    // schema `cron`.
    let is_kept = |line: &&str| !(says(line, "trusted") || plain == "pg_cron" && says(line, "schema"));
    let kept: Vec<&str> = text.lines().filter(is_kept).collect();
    Some(format!("{}\ntrusted = true\n", kept.join("\n")))
}

/// Creates a folder with mode 0755 that the server's account can read, regardless of the umask.
fn make_folder(folder: &Path) -> io::Result<()> {
    for ancestor in folder.ancestors().collect::<Vec<_>>().into_iter().rev().filter(|ancestor| !ancestor.exists()) {
        fs::create_dir(ancestor)?;
        fs::set_permissions(ancestor, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Writes a control file or script with mode 0644 that the server's account can read.
pub(crate) fn write(file: &Path, text: &str) -> io::Result<()> {
    write_file(file, text.as_bytes())
}

/// Writes a binary file with mode 0644 that the server's account can read.
pub(super) fn write_file(file: &Path, content: &[u8]) -> io::Result<()> {
    fs::write(file, content)?;
    fs::set_permissions(file, fs::Permissions::from_mode(0o644))
}
