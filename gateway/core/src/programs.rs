//! Checks which installed programs Cloch may run: programs in folders that only root and the account that runs Cloch can change. The folder
//! of a project, its parent folders and the current folder are never searched for programs, because the author of the project may have
//! written their files.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Environment variables that Cloch passes to other programs. All other variables are not passed, because they may contain secrets of the
/// operator (keys, passwords, tokens).
const KEPT_VARIABLES: [&str; 9] =
    ["PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ", "TMPDIR", "LD_LIBRARY_PATH"];
/// Additional environment variables for a program that uses `libpq`, such as `psql`.
const CLIENT_VARIABLES: [&str; 7] =
    ["HOME", "PGSSLCERT", "PGSSLKEY", "PGSSLROOTCERT", "PGSSLCRL", "PGSSLMODE", "KRB5CCNAME"];
const STICKY: u32 = 0o1000;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// Reasons for which Cloch does not run a program.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The program does not exist.
    #[error("{}: {source}", program.display())]
    Missing {
        /// Path of the program.
        program: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Another account could replace the program, so Cloch does not run it.
    #[error(
        "{} is not run, because another account could replace it: {} {reason}. Give it to root or to the account that runs Cloch, and close \
         it (chmod go-w), or name a program elsewhere",
        program.display(), path.display()
    )]
    Replaceable {
        /// Path of the program.
        program: PathBuf,
        /// File or folder that another account can change.
        path: PathBuf,
        /// Permission or owner that lets another account change the file or folder.
        reason: String,
    },
}

/// Returns the folders of `PATH` in which Cloch may search for programs: absolute paths outside of `node_modules`. `npm exec` and `npm run`
/// prepend the `node_modules/.bin` of the current folder and of all its parent folders to `PATH`; the operator has not chosen these folders.
#[must_use]
pub fn search_path(path: &OsStr) -> Vec<PathBuf> {
    let is_chosen =
        |folder: &PathBuf| folder.is_absolute() && !folder.components().any(|part| part.as_os_str() == "node_modules");
    std::env::split_paths(path).filter(is_chosen).collect()
}

/// Returns the path of a program, with symbolic links resolved. Refuses a program if accounts other than root and the account that runs Cloch
/// can change the program or its parent folders.
///
/// # Errors
/// If the program is missing, or another account can change the program or one of its parent folders.
pub fn trusted(program: &Path) -> Result<PathBuf, Refused> {
    let missing = |source| Refused::Missing { program: program.to_owned(), source };
    let resolved = program.canonicalize().map_err(missing)?;
    for path in resolved.ancestors() {
        let metadata = path.symlink_metadata().map_err(missing)?;
        if let Some(reason) = open_to_others(&metadata) {
            return Err(Refused::Replaceable { program: program.to_owned(), path: path.to_owned(), reason });
        }
    }
    Ok(resolved)
}

/// Checks a program that must be called by the name of a symbolic link, such as a link to Debian's `pg_wrapper`. Accepts the program if only
/// root and the account that runs Cloch can change the program, the folder of the link, and their parent folders.
///
/// # Errors
/// If the program is missing, or another account can change one of these files or folders.
pub fn trusted_link(program: &Path) -> Result<(), Refused> {
    trusted(program)?;
    program.parent().map_or(Ok(()), |folder| trusted(folder).map(drop))
}

/// Returns the environment variables of this process that Cloch passes to other programs, with their values.
#[must_use]
pub fn environment() -> Vec<(&'static str, OsString)> {
    KEPT_VARIABLES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect()
}

/// Returns the environment variables for a program that connects to a database server: those of [`environment`], the paths of TLS
/// certificates, and the home directory, in which `libpq` searches for files.
#[must_use]
pub fn client_environment() -> Vec<(&'static str, OsString)> {
    let own = CLIENT_VARIABLES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
    environment().into_iter().chain(own).collect()
}

/// Describes how accounts other than root and the account that runs Cloch can change a file or folder. `None` if they cannot change it.
fn open_to_others(metadata: &Metadata) -> Option<String> {
    let (owner, mode) = (metadata.uid(), metadata.mode());
    if !is_trusted_owner(owner) {
        return Some(format!("belongs to the account {owner}"));
    }
    // A sticky folder such as /tmp is accepted, because accounts cannot rename files of other accounts in it.
    if metadata.is_dir() && mode & STICKY != 0 {
        return None;
    }
    if mode & OTHERS_WRITE != 0 {
        return Some("can be written by every account".to_owned());
    }
    let is_open = mode & GROUP_WRITES != 0 && !is_private_group(metadata.gid(), owner);
    is_open.then(|| format!("can be written by the group {}", metadata.gid()))
}

/// Whether an account is trusted: root, the account that runs Cloch, or the owner of `/usr`, which contains the system's programs. In a
/// container, the id of that owner may differ from 0.
fn is_trusted_owner(owner: u32) -> bool {
    let system = std::fs::metadata("/usr").map(|usr| usr.uid());
    owner == 0 || owner == rustix::process::geteuid().as_raw() || system.is_ok_and(|system| system == owner)
}

/// Whether a group is private: it has no members except root and the account `owner`. Many systems create such a group for each user.
fn is_private_group(group: u32, owner: u32) -> bool {
    let groups = std::fs::read_to_string("/etc/group").unwrap_or_default();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    group == 0 || has_only(&groups, &users, group, owner)
}

fn has_only(groups: &str, users: &str, group: u32, owner: u32) -> bool {
    let fields = |line: &'_ str| line.split(':').map(str::to_owned).collect::<Vec<_>>();
    let number = |fields: &[String], at: usize| fields.get(at).and_then(|text| text.parse::<u32>().ok());
    let users: Vec<_> = users.lines().map(fields).collect();
    let is_owners = |user: &[String]| matches!(number(user, 2), Some(id) if id == 0 || id == owner);
    let uses_it = |user: &Vec<String>| number(user, 3) == Some(group);
    if users.iter().any(|user| uses_it(user) && !is_owners(user)) {
        return false;
    }
    let Some(entry) = groups.lines().map(fields).find(|entry| number(entry, 2) == Some(group)) else {
        // If `/etc/group` does not contain the group, a directory service may define it. The private group of a user has the same id as the
        // user.
        return group == owner;
    };
    let mut members = entry.get(3).map_or("", String::as_str).split(',').filter(|name| !name.is_empty());
    members.all(|member| users.iter().any(|user| user.first().is_some_and(|name| name == member) && is_owners(user)))
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    #[test]
    fn what_others_can_replace_is_refused_wherever_the_gap_is() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("bin");
        let program = folder.join("postgres");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&program, "").unwrap();
        let mode = |path: &Path, mode| set_permissions(path, Permissions::from_mode(mode)).unwrap();
        for path in [root.path(), &folder] {
            mode(path, 0o755);
        }
        mode(&program, 0o755);
        assert_eq!(trusted(&program).unwrap(), program.canonicalize().unwrap());
        for (path, open, closed) in
            [(program.as_path(), 0o757, 0o755), (&folder, 0o777, 0o755), (root.path(), 0o757, 0o755)]
        {
            mode(path, open);
            let error = trusted(&program).unwrap_err().to_string();
            assert!(
                error.contains("can be written by every account") && error.contains(&path.display().to_string()),
                "{error}"
            );
            mode(path, closed);
        }
        mode(root.path(), 0o1777);
        assert!(trusted(&program).is_ok(), "a sticky folder, as /tmp is");
        // Tests a symbolic link: the permissions of its target are checked.
        let open = root.path().join("open");
        std::fs::create_dir(&open).unwrap();
        std::fs::write(open.join("initdb"), "").unwrap();
        mode(&open, 0o777);
        symlink(open.join("initdb"), folder.join("initdb")).unwrap();
        assert!(matches!(trusted(&folder.join("initdb")), Err(Refused::Replaceable { .. })));
        assert!(matches!(trusted(&folder.join("nothing")), Err(Refused::Missing { .. })));
        if rustix::process::geteuid().is_root() {
            chown(&folder, Some(61_755), None).unwrap();
            assert!(trusted(&program).unwrap_err().to_string().contains("belongs to the account 61755"));
        }
    }

    #[test]
    fn a_group_without_others_is_private() {
        let users = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:\nbob:x:1001:100::/home/bob:\n";
        let groups = "root:x:0:\nstaff:x:50:\nann:x:1000:\ndev:x:60:ann,bob\nown:x:61:ann\nusers:x:100:\n";
        let private = |group| has_only(groups, users, group, 1000);
        assert!(private(50) && private(1000) && private(61));
        assert!(!private(60), "bob is a member");
        assert!(!private(100), "the first group of bob");
        assert!(!private(7), "nobody knows who is in it");
        assert!(has_only("", "", 1000, 1000), "a container without these files");
    }

    #[test]
    fn relative_folders_and_those_of_npm_are_no_search_path() {
        let path = OsStr::new("/usr/bin:.::bin:/p/node_modules/.bin:/opt/x/bin");
        assert_eq!(search_path(path), [PathBuf::from("/usr/bin"), PathBuf::from("/opt/x/bin")]);
    }
}
