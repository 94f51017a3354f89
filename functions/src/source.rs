//! Finds the code of the project's own functions. A function exists if the function's folder has an entrypoint.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use cloch_core::Secret;
use cloch_core::glob::{DoubleStar, Pattern};

/// File names of a function's entrypoint, in the order in which they are tried.
const ENTRYPOINTS: [&str; 5] = ["index.ts", "index.tsx", "index.js", "index.mjs", "index.jsx"];
/// Name of the functions folder within the project's folder.
pub const FUNCTIONS_FOLDER: &str = "functions";
/// Prefixes of environment variables that a project cannot set. The server sets some of these variables. Others instruct the dynamic loader
/// or Deno which code to run or which permissions to grant.
const RESERVED_PREFIXES: [&str; 10] =
    ["SUPABASE_", "CLOCH_", "LD_", "DYLD_", "DENO_", "NODE_", "NPM_CONFIG_", "JSR_", "SSL_CERT_", "GLIBC_TUNABLES"];
/// Names of environment variables that a project cannot set, because programs use these variables to find other programs, proxies and
/// folders. A changed value could redirect the requests of a function.
const RESERVED_NAMES: [&str; 12] = [
    "PATH",
    "HOME",
    "TMPDIR",
    "SHELL",
    "USER",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "FTP_PROXY",
    "NO_PROXY",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
];
/// Names of environment variables that a project may set although they have a reserved prefix. Code reads these variables to determine its
/// environment.
const FREE_NAMES: [&str; 4] = ["DENO_ENV", "DENO_REGION", "DENO_DEPLOYMENT_ID", "NODE_ENV"];
/// Maximum length of a function's name in characters. A folder has the same name as its function, and file systems allow names of 255
/// bytes.
const MAX_NAME_CHARS: usize = 128;

/// Location and environment of a function's code.
#[derive(Clone, Debug)]
pub struct Source {
    /// Folder of the project, the base of the `static_files` patterns.
    pub project: PathBuf,
    /// Path of the entrypoint: the module that is run.
    pub entrypoint: PathBuf,
    /// Path of the import map from config.toml; `None` if config.toml has no import map.
    pub import_map: Option<PathBuf>,
    /// Glob patterns of files that the function may read, relative to the project's folder.
    pub static_files: Vec<String>,
    /// Environment variables from `[functions.<name>.env]` of config.toml.
    pub env: BTreeMap<String, Secret>,
    /// Number of the deployed version that contains the code; `None` for code in the project's folder.
    pub version: Option<u64>,
    /// Folder whose files the code may import: the repository that contains the project, or the folder of the deployed version.
    pub repository: PathBuf,
    /// Data folder of the server, whose files no function may read; `None` for a deployed version, which may read only files of its own folder.
    pub closed: Option<PathBuf>,
    /// Imported files outside the function's own folder and the shared folders. Empty until the imports are resolved.
    pub imported: Vec<PathBuf>,
}

/// Whether the text is a valid name of a function: at most 128 ASCII letters, digits, `_` and `-`, starting with a letter.
#[must_use]
pub fn is_function_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= MAX_NAME_CHARS
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Returns the reserved name or prefix that prevents a project from setting an environment variable. `None` if the project may set the
/// variable.
#[must_use]
pub fn reserved_prefix(name: &str) -> Option<&'static str> {
    let upper = name.to_ascii_uppercase();
    let is_free = FREE_NAMES.contains(&upper.as_str());
    let whole = RESERVED_NAMES.into_iter().find(|reserved| upper == *reserved);
    whole.or_else(|| RESERVED_PREFIXES.into_iter().find(|prefix| !is_free && upper.starts_with(prefix)))
}

/// Finds the functions in the project's folder. Returns the entrypoints by function name.
#[must_use]
pub fn discover(project: &Path) -> BTreeMap<String, PathBuf> {
    let folder = project.join(FUNCTIONS_FOLDER);
    let entries = std::fs::read_dir(&folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.unwrap_or_else(|error| {
        if error.kind() != std::io::ErrorKind::NotFound {
            tracing::error!(%error, folder = %folder.display(), "functions: reading the functions folder failed, its functions are not served");
        }
        Vec::new()
    });
    let names = entries.into_iter().filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|name| is_function_name(name))
        .filter_map(|name| Some((name.clone(), entrypoint(project, &name)?)))
        .collect()
}

/// Returns the entrypoint of a function; `None` if the function's folder has no entrypoint.
#[must_use]
pub fn entrypoint(project: &Path, name: &str) -> Option<PathBuf> {
    let folder = project.join(FUNCTIONS_FOLDER).join(name);
    ENTRYPOINTS.iter().map(|file| folder.join(file)).find(|file| file.is_file())
}

/// Removes the path components `.` and `..` without file system access, as Deno does.
pub(crate) fn normalized(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Resolves the symbolic links of a path, even if the file does not exist.
pub(crate) fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(folder), Some(name)) => real(folder).join(name),
        (Err(_), ..) => path.to_owned(),
    }
}

impl Source {
    /// Returns the folder that contains the entrypoint.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.entrypoint.parent().unwrap_or(&self.project)
    }

    /// Returns the function's own folder inside the functions folder. The entrypoint may be in a subfolder of the returned folder.
    fn root(&self) -> PathBuf {
        let functions = self.functions();
        let first = self.entrypoint.strip_prefix(&functions).ok().and_then(|below| below.components().next());
        match first.map(|first| functions.join(first)) {
            Some(root) if root != self.entrypoint => root,
            _ => self.folder().to_owned(),
        }
    }

    /// Returns the functions folder, which contains the folders of all functions.
    #[must_use]
    pub fn functions(&self) -> PathBuf {
        self.project.join(FUNCTIONS_FOLDER)
    }

    /// Returns the path of a file relative to the repository; `None` for files outside the repository. Symbolic links are not resolved:
    /// `file` is compared with the configured path of the project's folder and with the parent folders in this path.
    #[must_use]
    pub fn in_repository(&self, file: &Path) -> Option<PathBuf> {
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| normalized(folder));
        let depth = real(&self.project).strip_prefix(real(&self.repository)).ok()?.components().count();
        let project = normalized(&self.project);
        normalized(file).strip_prefix(project.ancestors().nth(depth)?).ok().map(Path::to_owned)
    }

    /// Whether functions must not read this file, because it belongs to the server: the data folder is often inside the project's repository.
    /// Symbolic links are resolved. The project's folder may be inside the data folder.
    pub(crate) fn is_closed(&self, file: &Path) -> bool {
        let (file, resolved) = (real(&normalized(file)), |folder: &Path| real(&normalized(folder)));
        let Some(data) = self.closed.as_deref().map(resolved) else {
            return !file.starts_with(resolved(&self.repository));
        };
        let project = resolved(&self.project);
        let is_project = project.starts_with(&data) && file.starts_with(project);
        file.starts_with(&data) && !is_project || file == data.join("secrets.toml")
    }

    /// Returns a copy of this source with a new list `imported`. The list contains those of `files` that are outside the function's own
    /// folder, the shared folders and the static files.
    pub(crate) fn with_imported(&self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        let own = Self { imported: Vec::new(), ..self.clone() };
        let parts = own.parts();
        let is_other = |file: &PathBuf| file.is_file() && !parts.iter().any(|part| file.starts_with(part));
        Self { imported: files.into_iter().filter(is_other).collect(), ..own }
    }

    /// Returns the files that match the patterns of static files. A pattern that is not valid, or whose folder cannot be read, is logged and
    /// skipped.
    pub(crate) fn static_files(&self) -> Vec<PathBuf> {
        let found = self.static_files.iter().map(|pattern| {
            self.matching(pattern).unwrap_or_else(|error| {
                tracing::warn!(
                    %error,
                    entrypoint = %self.entrypoint.display(),
                    pattern,
                    "functions: invalid static_files pattern of a function skipped, the function runs without these files"
                );
                Vec::new()
            })
        });
        found.flatten().filter(|file| !self.is_closed(file)).collect()
    }

    /// Returns the patterns of static files that match no file.
    pub(crate) fn unmatched_static_files(&self) -> impl Iterator<Item = &String> {
        self.static_files.iter().filter(|pattern| self.matching(pattern).is_ok_and(|found| found.is_empty()))
    }

    fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, String> {
        let pattern = Pattern::parse(pattern, DoubleStar::AnyDepth).map_err(|error| error.to_string())?;
        pattern.files(&self.project).map_err(|error| error.to_string())
    }

    /// Returns the folders and files of the function: the function's own folder, folders and files that all functions share, imported files, and
    /// static files.
    pub(crate) fn parts(&self) -> Vec<PathBuf> {
        let functions = self.functions();
        let entries = std::fs::read_dir(&functions).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_shared = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.is_file() && !name.starts_with(".env") || path.is_dir() && name.starts_with('_')
        };
        let shared = entries.filter(is_shared);
        let parts =
            shared.chain([self.root()]).chain(self.imported.iter().cloned()).filter(|part| !self.is_closed(part));
        parts.chain(self.static_files()).collect()
    }

    /// Returns the function's environment variables from `functions/.env`, the function's own `.env`, and config.toml, in order of
    /// increasing precedence. An invalid line is logged and skipped.
    ///
    /// # Errors
    /// Fails if a `.env` file exists and cannot be read.
    pub(crate) fn environment(&self) -> Result<BTreeMap<String, Secret>, String> {
        let mut variables = BTreeMap::new();
        for file in [self.functions().join(".env"), self.folder().join(".env")] {
            if file.is_file() {
                let found = crate::dotenv::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                for (line, fault) in found.faults {
                    tracing::warn!(
                        file = %file.display(),
                        line,
                        error = %fault,
                        "functions: invalid line of an environment file skipped, functions run without its variable"
                    );
                }
                variables.extend(found.variables.into_iter().map(|(name, value)| (name, Secret::new(value))));
            }
        }
        variables.extend(self.env.clone());
        Ok(variables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        folder
    }

    #[test]
    fn functions_exist_by_being_there() {
        let folder = project(&[
            ("functions/hello/index.ts", ""),
            ("functions/page/index.tsx", ""),
            ("functions/_shared/index.ts", ""),
            ("functions/empty/readme.md", ""),
            ("functions/.git/index.ts", ""),
            ("functions/8/index.ts", ""),
            ("functions/index.ts", ""),
        ]);
        assert!(is_function_name(&"a".repeat(128)) && !is_function_name(&"a".repeat(129)));
        assert_eq!(discover(folder.path()).into_keys().collect::<Vec<_>>(), ["hello", "page"]);
        assert!(discover(&folder.path().join("nowhere")).is_empty());
    }

    #[test]
    fn variables_that_tell_a_loader_or_deno_what_to_do_are_reserved() {
        for name in [
            "LD_PRELOAD",
            "ld_library_path",
            "DENO_PERMISSION_BROKER_PATH",
            "DENO_V8_FLAGS",
            "NODE_OPTIONS",
            "PATH",
            "Path",
            "https_proxy",
            "SSL_CERT_FILE",
            "NODE_EXTRA_CA_CERTS",
            "NPM_CONFIG_REGISTRY",
        ] {
            assert!(reserved_prefix(name).is_some(), "{name}");
        }
        assert_eq!(reserved_prefix("SUPABASE_URL"), Some("SUPABASE_"));
        assert!(
            ["DENO_ENV", "OLD_KEY", "STRIPE_KEY", "NODE_ENV", "PATHS", "HOMEPAGE_URL", "USER_TOKEN"]
                .iter()
                .all(|name| reserved_prefix(name).is_none())
        );
    }

    #[test]
    fn the_nearest_variable_counts() {
        let folder = project(&[
            ("functions/a/index.ts", ""),
            ("functions/.env", "A=1\nthis line costs itself\nB=two words <b@example.org>\n# c\n"),
            ("functions/a/.env", "A=2\n"),
        ]);
        let source = Source {
            project: folder.path().to_owned(),
            entrypoint: entrypoint(folder.path(), "a").unwrap(),
            import_map: None,
            static_files: Vec::new(),
            env: BTreeMap::from([("C".to_owned(), Secret::new("3"))]),
            version: None,
            repository: folder.path().to_owned(),
            closed: Some(PathBuf::from("/nowhere/data")),
            imported: Vec::new(),
        };
        let variables = source.environment().unwrap();
        let variables: Vec<_> = variables.iter().map(|(name, value)| (name.as_str(), value.expose())).collect();
        assert_eq!(variables, [("A", "2"), ("B", "two words <b@example.org>"), ("C", "3")]);
    }

    #[test]
    fn static_files_are_those_of_the_patterns() {
        let folder = project(&[
            ("functions/a/index.ts", ""),
            ("functions/a/pages/one.html", ""),
            ("functions/a/pages/deep/two.html", ""),
            ("functions/a/notes.md", ""),
        ]);
        let patterns = ["./functions/**/*.html", "./functions/a/**.md", "./functions/b/*.md", "./functions/[a"];
        let source = Source {
            project: folder.path().to_owned(),
            entrypoint: entrypoint(folder.path(), "a").unwrap(),
            import_map: None,
            static_files: patterns.map(str::to_owned).to_vec(),
            env: BTreeMap::new(),
            version: None,
            repository: folder.path().to_owned(),
            closed: Some(PathBuf::from("/nowhere/data")),
            imported: Vec::new(),
        };
        let found = ["pages/deep/two.html", "pages/one.html", "notes.md"];
        assert_eq!(source.static_files(), found.map(|file| folder.path().join("functions/a").join(file)));
        assert_eq!(source.unmatched_static_files().collect::<Vec<_>>(), ["./functions/b/*.md"]);
    }

    #[test]
    fn imported_files_are_those_outside_the_other_parts() {
        let folder = project(&[
            ("app/functions/a/index.ts", ""),
            ("app/functions/_shared/s.ts", ""),
            ("app/functions/b/lib.ts", ""),
            ("packages/words.ts", ""),
        ]);
        let (root, app) = (folder.path(), folder.path().join("app"));
        let source = Source {
            project: app.clone(),
            entrypoint: app.join("functions/a/index.ts"),
            import_map: None,
            static_files: Vec::new(),
            env: BTreeMap::new(),
            version: None,
            repository: root.to_owned(),
            closed: Some(PathBuf::from("/nowhere/data")),
            imported: Vec::new(),
        };
        let graph = [
            "app/functions/a/index.ts",
            "app/functions/_shared/s.ts",
            "app/functions/b/lib.ts",
            "packages/words.ts",
            "packages/gone.ts",
        ];
        let source = source.with_imported(graph.map(|file| root.join(file)));
        assert_eq!(source.imported, [root.join("app/functions/b/lib.ts"), root.join("packages/words.ts")]);
        assert!(source.imported.iter().all(|file| source.parts().contains(file)));
        let inside = |file: &str| source.in_repository(&app.join(file));
        assert_eq!(inside("../packages/./words.ts"), Some(PathBuf::from("packages/words.ts")));
        assert_eq!(inside("functions/a/index.ts"), Some(PathBuf::from("app/functions/a/index.ts")));
        assert_eq!(inside("../../elsewhere.ts"), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&app, root.join("link")).unwrap();
            let linked = Source { project: root.join("link"), ..source.clone() };
            assert_eq!(
                linked.in_repository(&root.join("link/functions/x.ts")),
                Some(PathBuf::from("link/functions/x.ts"))
            );
        }
    }
}
