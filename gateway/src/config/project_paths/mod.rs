//! Allow-list of the folders to which paths in a project's files may lead: the project's repository ([`cloch_core::project_root`]), and the
//! folders that the operator lists in `CLOCH_ALLOW_PATHS`. Symbolic links are resolved before the check. The list is necessary because the
//! project may come from an untrusted author, and the server serves, uploads or runs the files that these paths name.

mod keys;
mod links;

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
}

impl ProjectPaths {
    /// Creates the allow-list of a project. `variable` is the value of `CLOCH_ALLOW_PATHS`, a list with the separator of `PATH`.
    ///
    /// # Errors
    /// If the variable contains a path that is not absolute.
    pub(super) fn new(project: &Path, variable: Option<&str>) -> Result<Self, ConfigError> {
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
        let named = named.into_iter().map(|folder| resolve(&folder).unwrap_or(folder));
        Ok(Self { allowed: [project.clone(), root].into_iter().chain(named).collect(), project })
    }

    /// Resolves a path of the project, including its symbolic links.
    ///
    /// # Errors
    /// If the resolved path is not in an allowed folder. The message contains the resolved path.
    pub(super) fn resolve(&self, path: &Path) -> Result<PathBuf, String> {
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
        let paths = ProjectPaths::new(&project, None).unwrap();
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
        let allowed = ProjectPaths::new(&project, root.join("other").to_str()).unwrap();
        assert!(allowed.resolve(Path::new("out/new")).is_ok() && allowed.resolve(Path::new("/etc")).is_err());
        assert!(ProjectPaths::new(&project, Some("other")).is_err());
    }
}
