//! Reads the `.env` files for `env(NAME)` in config.toml and cloch.toml. Variables of the process take precedence. As in the Supabase CLI
//! (`loadNestedEnv` of its pkg/config), the files are in the project's folder and in its parent folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cloch_functions::dotenv::Dotenv;

use crate::config::ConfigError;

/// Name of the file in the project's folder to which the dashboard writes secrets. The Supabase CLI reads this file too, and the CLI's
/// template of `.gitignore` contains its name.
pub(crate) const ENV_LOCAL: &str = ".env.local";

/// Environment variable that selects the `.env` files, as in the Supabase CLI.
const CHOICE: &str = "SUPABASE_ENV";
/// Default value of `SUPABASE_ENV`.
const USUAL: &str = "development";

/// Merged variables of all `.env` files.
#[derive(Debug, Default)]
pub(in crate::config) struct EnvFiles {
    variables: BTreeMap<String, String>,
    /// Path of the file that each variable comes from.
    files: BTreeMap<String, PathBuf>,
    /// Paths of the files that exist.
    read: Vec<PathBuf>,
    warnings: Vec<String>,
}

impl EnvFiles {
    /// Reads the `.env` files of a project. For a variable in several files, the first file takes precedence. `env_local` replaces the content
    /// of `.env.local` in the project's folder.
    ///
    /// # Errors
    /// When an existing file cannot be read, or `SUPABASE_ENV` contains other characters than letters, digits, `_` and `-`.
    pub(in crate::config) fn read(
        project: &Path,
        environment: impl Fn(&str) -> Option<String>,
        env_local: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let choice = environment(CHOICE).filter(|choice| !choice.is_empty()).unwrap_or_else(|| USUAL.to_owned());
        if !choice.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) {
            let message = "must have letters, digits, _ and - only".to_owned();
            return Err(ConfigError::Variable { name: CHOICE.to_owned(), message });
        }
        let mut files = Self::default();
        for folder in folders(project) {
            for name in names(&choice) {
                let file = folder.join(&name);
                match env_local.filter(|_| folder == project && name == ENV_LOCAL) {
                    Some(text) => files.include(&file, cloch_functions::dotenv::parse(text.as_bytes())),
                    None => files.add(&file)?,
                }
            }
        }
        Ok(files)
    }

    pub(in crate::config) fn lookup(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    /// Returns the path of the file that a variable comes from.
    pub(in crate::config) fn file_of(&self, name: &str) -> Option<&Path> {
        self.files.get(name).map(PathBuf::as_path)
    }

    /// Returns the files that were read.
    pub(in crate::config) fn read_files(&self) -> impl Iterator<Item = &Path> {
        self.read.iter().map(PathBuf::as_path)
    }

    /// Returns the warnings about skipped lines in `.env` files and skipped symbolic links.
    pub(in crate::config) fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn add(&mut self, file: &Path) -> Result<(), ConfigError> {
        let unreadable = |source| ConfigError::Unreadable { file: file.to_owned(), source };
        match std::fs::symlink_metadata(file) {
            Ok(about) if about.is_file() => {}
            // Symbolic links named `.env*` are skipped: a link could expose any file of the machine.
            Ok(about) if about.is_symlink() => {
                self.warnings
                    .push(format!("{}: skipped: it is a link; put the variables into the file itself", file.display()));
                return Ok(());
            }
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(unreadable(error)),
        }
        self.include(file, cloch_functions::dotenv::read(file).map_err(unreadable)?);
        self.read.push(file.to_owned());
        Ok(())
    }

    fn include(&mut self, file: &Path, found: Dotenv) {
        let skipped = |(line, fault)| format!("{}, line {line}: skipped: {fault}", file.display());
        self.warnings.extend(found.faults.into_iter().map(skipped));
        for (name, value) in found.variables {
            self.files.entry(name.clone()).or_insert_with(|| file.to_owned());
            self.variables.entry(name).or_insert(value);
        }
    }
}

/// Returns the folders that may contain `.env` files: the project's folder, and its parent folder if the parent folder is in the project's
/// repository. A parent folder outside of the repository may belong to another user.
fn folders(project: &Path) -> Vec<PathBuf> {
    let absolute = std::path::absolute(project).unwrap_or_else(|_| project.to_owned());
    let root = cloch_core::project_root::of(&absolute);
    let above = absolute.parent().filter(|above| above.canonicalize().is_ok_and(|above| above.starts_with(&root)));
    [Some(project), above].into_iter().flatten().map(Path::to_owned).collect()
}

/// Returns the names of `.env` files in order of precedence. As in the Supabase CLI, `.env.local` is not read if `choice` is `test`, so
/// that tests have the same settings on all machines.
fn names(choice: &str) -> Vec<String> {
    let own = (choice != "test").then(|| ENV_LOCAL.to_owned());
    let chosen = [format!(".env.{choice}.local"), format!(".env.{choice}")];
    let [first, second] = chosen;
    [Some(first), own, Some(second), Some(".env".to_owned())].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)], project: &str, choice: Option<&str>) -> Result<EnvFiles, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(project)).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        EnvFiles::read(&folder.path().join(project), |_| choice.map(str::to_owned), None)
    }

    #[test]
    fn the_nearest_and_most_special_file_counts() {
        let files = [
            ("supabase/.env.development.local", "A=1\n"),
            ("supabase/.env.local", "A=2\nB=2\n"),
            ("supabase/.env.development", "A=3\nB=3\nC=3\n"),
            ("supabase/.env", "A=4\nB=4\nC=4\nD=4\n"),
            (".env.local", "D=5\nE=5\n"),
            (".env", "E=6\nF=6\n"),
            (".env.production", "F=7\n"),
        ];
        let values = |choice: Option<&str>| {
            let files = read(&files, "supabase", choice).unwrap();
            ["A", "B", "C", "D", "E", "F"].map(|name| files.lookup(name).unwrap()).concat()
        };
        assert_eq!(values(None), "123456");
        assert_eq!(values(Some("production")), "224457");
        assert_eq!(values(Some("test")), "444466");
        assert!(read(&[], "supabase", Some("../x")).unwrap_err().to_string().starts_with("SUPABASE_ENV: "));
    }

    #[test]
    fn a_new_text_of_env_local_replaces_the_file_and_each_variable_names_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path();
        std::fs::write(project.join(".env.local"), "A=old\nB=old\n").unwrap();
        std::fs::write(project.join(".env.development.local"), "C=first\n").unwrap();
        let files = EnvFiles::read(project, |_| None, Some("A=new\nC=new\n")).unwrap();
        assert_eq!(files.lookup("A").as_deref(), Some("new"));
        assert_eq!(files.lookup("B"), None);
        assert_eq!(files.lookup("C").as_deref(), Some("first"), "this file takes precedence over .env.local");
        assert_eq!(files.file_of("C"), Some(project.join(".env.development.local").as_path()));
        assert_eq!(files.file_of("A"), Some(project.join(".env.local").as_path()));
    }

    #[test]
    fn the_folder_above_is_read_where_it_belongs_to_the_project() {
        assert_eq!(read(&[(".env", "A=1")], "downloaded", None).unwrap().lookup("A"), None);
        assert!(read(&[(".env", "A=1")], "supabase", None).unwrap().lookup("A").is_some());
        assert!(read(&[(".env", "A=1"), (".git", "")], "backend", None).unwrap().lookup("A").is_some());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_a_warning_without_its_text() {
        let files = read(&[("p/.env", "A=1\nsecret\nB=2\n")], "p", None).unwrap();
        assert_eq!(files.lookup("B").as_deref(), Some("2"));
        let warnings = files.warnings();
        let warning = warnings.first().unwrap();
        assert!(warning.contains(".env, line 2: skipped") && !warning.contains("secret"), "{warning}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_no_file_of_the_project() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("outside"), "A=1").unwrap();
        std::fs::create_dir(folder.path().join("p")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("outside"), folder.path().join("p/.env")).unwrap();
        let files = EnvFiles::read(&folder.path().join("p"), |_| None, None).unwrap();
        assert_eq!(files.lookup("A"), None);
        assert_eq!(files.warnings().len(), 1);
    }
}
