//! Limits the file paths in the configuration of a project to the project's folder, or to the repository that contains the folder. Projects
//! often come from other people, so a path could otherwise lead to any file of the machine.

use std::path::{Path, PathBuf};

/// Names of a project's folder inside the folder of an application. The Supabase CLI creates `supabase`.
const FOLDERS_OF_APPLICATIONS: [&str; 2] = ["supabase", "supabase-config"];

/// System folders in which several accounts keep files.
const SHARED_FOLDERS: [&str; 8] = ["/", "/home", "/media", "/mnt", "/opt", "/srv", "/var", "/var/lib"];
/// System folders that never contain a project, at any depth.
const SYSTEM_FOLDERS: [&str; 10] = ["/bin", "/boot", "/dev", "/etc", "/lib", "/proc", "/run", "/sbin", "/sys", "/usr"];

/// Returns the folder that must contain all files to which the paths in a project's configuration lead. Symbolic links are resolved. The
/// folder is the first of these that exists:
///
/// 1. the project's repository: the nearest of `project` and its parent folders that contains `.git`. The search ends at a folder that
///    several accounts or projects share, such as a home directory, `/`, `/tmp` or `/srv`;
/// 2. the parent folder of `project`, if `project` is named `supabase` or `supabase-config`, and the parent folder is not shared;
/// 3. `project` itself.
#[must_use]
pub fn of(project: &Path) -> PathBuf {
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let homes = homes();
    let may_be_root = |folder: &&Path| !is_shared(folder, &homes);
    let repository =
        project.ancestors().take_while(|folder| may_be_root(folder)).find(|folder| folder.join(".git").exists());
    let is_usual = FOLDERS_OF_APPLICATIONS.iter().any(|name| project.file_name().is_some_and(|own| own == *name));
    let application = project.parent().filter(|folder| is_usual && may_be_root(folder));
    repository.or(application).unwrap_or(&project).to_owned()
}

fn is_shared(folder: &Path, homes: &[PathBuf]) -> bool {
    use std::os::unix::fs::MetadataExt;
    const STICKY: u32 = 0o1000;
    SHARED_FOLDERS.iter().any(|shared| folder == Path::new(shared))
        || SYSTEM_FOLDERS.iter().any(|system| folder.starts_with(system))
        // The folder is also shared if its sticky bit is set, as for `/tmp`, or if it is or contains the home directory of an account.
        || folder.metadata().is_ok_and(|metadata| metadata.mode() & STICKY != 0)
        || homes.iter().any(|home| home.starts_with(folder))
}

/// Returns the home directories of all accounts of the system.
fn homes() -> Vec<PathBuf> {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let of_users = users.lines().filter_map(|line| line.split(':').nth(5)).map(PathBuf::from);
    let own = std::env::var_os("HOME").map(PathBuf::from);
    own.into_iter().chain(of_users).filter_map(|home| home.canonicalize().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_or_the_application_holds_a_project() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let make = |path: &str| {
            std::fs::create_dir_all(root.join(path)).unwrap();
            root.join(path)
        };
        let (app, plain) = (make("app/packages/db/supabase"), make("downloads/project"));
        assert_eq!(of(&app), root.join("app/packages/db"));
        assert_eq!(of(&plain), plain, "what lies beside it is none of the project's");
        make("app/.git");
        assert_eq!(of(&app), root.join("app"));
        make("downloads/project/.git");
        assert_eq!(of(&plain), plain);
    }

    #[test]
    fn a_home_or_a_shared_folder_is_no_root() {
        let homes = [PathBuf::from("/home/ann")];
        for shared in ["/", "/srv", "/home", "/home/ann", "/tmp", "/etc/cloch", "/usr/share/x"] {
            assert!(is_shared(Path::new(shared), &homes), "{shared}");
        }
        assert!(!is_shared(Path::new("/home/ann/app"), &homes));
        assert!(!is_shared(Path::new("/srv/app"), &homes) && !is_shared(Path::new("/app"), &homes));
    }
}
