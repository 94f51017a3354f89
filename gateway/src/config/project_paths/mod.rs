//! Allow-list of the folders to which paths in a project's files may lead: the project's repository ([`cloch_core::project_root`]), and the
//! folders that the operator lists in `CLOCH_ALLOW_PATHS`. Symbolic links are resolved before the check. The list is necessary because the
//! project may come from an untrusted author, and the server serves, uploads or runs the files that these paths name.

mod keys;
mod links;
pub(super) mod outside;

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::ConfigError;

pub(super) use keys::{check, check_folder};

/// Maximum number of symbolic links in one path.
const MAX_LINKS: usize = 40;

/// Allow-list of the folders to which the paths in a project's files may lead.
#[derive(Clone, Debug)]
pub(super) struct ProjectPaths {
    /// The project's folder, with links resolved.
    project: PathBuf,
    /// The allowed folders, with links resolved: project folder, repository, then the operator's folders.
    allowed: Vec<PathBuf>,
    /// Folders inside the data folder that the operator allows, with resolved links.
    opened: Vec<PathBuf>,
    /// The server's data folder, with resolved links. It is often inside the repository, but its files do not belong to the project.
    data: PathBuf,
}

impl ProjectPaths {
    /// Creates the allow-list of a project whose data folder is `data`. `variable` is the value of `CLOCH_ALLOW_PATHS`, a list with the separator
    /// of `PATH`.
    ///
    /// # Errors
    /// If the variable contains a path that is not absolute.
    pub(super) fn new(project: &Path, data: &Path, variable: Option<&str>) -> Result<Self, ConfigError> {
        let named: Vec<PathBuf> =
            variable.map(|text| std::env::split_paths(OsStr::new(text)).collect()).unwrap_or_default();
        let named: Vec<PathBuf> = named.into_iter().filter(|folder| !folder.as_os_str().is_empty()).collect();
        if let Some(relative) = named.iter().find(|folder| !folder.is_absolute()) {
            return Err(ConfigError::Variable {
                name: "CLOCH_ALLOW_PATHS".into(),
                message: format!("{} is no absolute path", relative.display()),
            });
        }
        let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        let root = cloch_core::project_root::of(&project);
        let named: Vec<PathBuf> = named.into_iter().map(|folder| resolve(&folder).unwrap_or(folder)).collect();
        let data = std::path::absolute(data).and_then(|data| resolve(&data)).unwrap_or_else(|_| data.to_owned());
        let opened = named.iter().filter(|folder| **folder != data && folder.starts_with(&data)).cloned().collect();
        Ok(Self { allowed: [project.clone(), root].into_iter().chain(named).collect(), opened, project, data })
    }

    /// Resolves a path of the project, including its symbolic links. The server shows or runs what is there, so the path must not lead into the
    /// data folder, which contains the server's secrets and the database.
    ///
    /// # Errors
    /// If [`Self::resolve_own`] refuses the path, or if the resolved path is in the data folder. The project's folder may be in the data folder.
    pub(super) fn resolve(&self, path: &Path) -> Result<PathBuf, String> {
        let target = self.resolve_own(path)?;
        let is_project = self.project.starts_with(&self.data) && target.starts_with(&self.project);
        let is_opened = self.opened.iter().any(|folder| target.starts_with(folder));
        match target.starts_with(&self.data) && !is_project && !is_opened || target == self.data.join("secrets.toml") {
            true => Err(format!(
                "{} is in the data folder of the server, whose files are no files of a project",
                target.display()
            )),
            false => Ok(target),
        }
    }

    /// Resolves a folder whose content the server shows, with all subfolders.
    ///
    /// # Errors
    /// If [`Self::resolve`] refuses the folder, or if the folder contains the data folder.
    pub(super) fn resolve_tree(&self, path: &Path) -> Result<PathBuf, String> {
        let target = self.resolve(path)?;
        match self.data.starts_with(&target) {
            true => Err(format!(
                "{} contains {}, the data folder of the server with its secrets: name a folder without it, or start with another --data",
                target.display(),
                self.data.display()
            )),
            false => Ok(target),
        }
    }

    /// Resolves a path that only the server itself uses, including its symbolic links. It may be in the data folder.
    ///
    /// # Errors
    /// If the resolved path is not in an allowed folder. The message contains the resolved path.
    pub(super) fn resolve_own(&self, path: &Path) -> Result<PathBuf, String> {
        let named = self.project.join(path);
        let target = resolve(&named).map_err(|error| format!("{}: {error}", named.display()))?;
        if self.allowed.iter().any(|folder| target.starts_with(folder)) {
            return Ok(target);
        }
        let via = if plain(&named) == target { String::new() } else { format!("{} leads to ", named.display()) };
        let root = self.allowed.get(1).unwrap_or(&self.project);
        Err(format!(
            "{via}{}, which is outside of {}. A project names files of its own or of its repository; the operator may allow others with \
             CLOCH_ALLOW_PATHS={}",
            target.display(),
            root.display(),
            target.parent().unwrap_or(&target).display()
        ))
    }
}

/// Returns the path without `.`, `..` and links. Components that do not exist yet are kept unchanged.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut waiting: Vec<Part> = parts(path);
    let (mut resolved, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = waiting.pop() {
        match part {
            Part::Root => resolved = PathBuf::from("/"),
            Part::Up => drop(resolved.pop()),
            Part::Name(name) => {
                let next = resolved.join(&name);
                match std::fs::read_link(&next) {
                    Ok(target) => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err(io::Error::other(format!("leads over more than {MAX_LINKS} links")));
                        }
                        waiting.extend(parts(&target));
                    }
                    Err(_) => resolved = next,
                }
            }
        }
    }
    Ok(resolved)
}

/// A component of a path that is not resolved yet.
enum Part {
    Root,
    Up,
    Name(std::ffi::OsString),
}

/// Splits a path into components in reverse order, for use as a stack.
fn parts(path: &Path) -> Vec<Part> {
    let part = |component: Component<'_>| match component {
        Component::RootDir | Component::Prefix(_) => Some(Part::Root),
        Component::ParentDir => Some(Part::Up),
        Component::CurDir => None,
        Component::Normal(name) => Some(Part::Name(name.to_owned())),
    };
    path.components().rev().filter_map(part).collect()
}

/// Returns the path without its `.` components. Symbolic links are not resolved.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_counts_as_what_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let project = root.join("app/supabase");
        std::fs::create_dir_all(project.join("images")).unwrap();
        std::fs::create_dir_all(root.join("app/web")).unwrap();
        std::fs::create_dir_all(root.join("other")).unwrap();
        symlink(root.join("other"), project.join("out")).unwrap();
        symlink("../web", project.join("in")).unwrap();
        symlink("out/new", project.join("twice")).unwrap();
        symlink("round", project.join("round")).unwrap();
        let paths = ProjectPaths::new(&project, &root.join("data"), None).unwrap();
        for (path, target) in [
            ("./images", "app/supabase/images"),
            ("../web", "app/web"),
            ("in/x", "app/web/x"),
            ("new", "app/supabase/new"),
        ] {
            assert_eq!(paths.resolve(Path::new(path)).unwrap(), root.join(target), "{path}");
        }
        for path in ["../../other", "out", "out/new", "twice", "/etc/passwd", "../..", "images/../../../other"] {
            let error = paths.resolve(Path::new(path)).unwrap_err();
            assert!(error.contains("CLOCH_ALLOW_PATHS"), "{path}: {error}");
        }
        assert!(paths.resolve(Path::new("round")).unwrap_err().contains("links"));
        let allowed = ProjectPaths::new(&project, &root.join("data"), root.join("other").to_str()).unwrap();
        assert!(allowed.resolve(Path::new("out/new")).is_ok() && allowed.resolve(Path::new("/etc")).is_err());
        assert!(ProjectPaths::new(&project, &root.join("data"), Some("other")).is_err());
        // A folder inside the data folder can be opened if the operator names it; the data folder itself cannot be opened.
        std::fs::create_dir_all(root.join("data/web")).unwrap();
        let opened =
            |folder: &str| ProjectPaths::new(&project, &root.join("data"), root.join(folder).to_str()).unwrap();
        let web = root.join("data/web/index.html");
        assert!(opened("data/web").resolve(&web).is_ok() && opened("data").resolve(&web).is_err());
        assert!(opened("data/web").resolve(&root.join("data/secrets.toml")).is_err());
    }
}
