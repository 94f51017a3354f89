//! Lists the paths outside of the project's folder and the data folder that the server reads or writes because of the configuration. They
//! are logged at the start, so that the operator sees which other files of the machine the project uses.

use std::path::{Path, PathBuf};

use cloch_sql::database::Login;

use super::{ProjectPaths, keys, links};
use crate::config::TomlFile;

/// Environment variables that name a path, or several with the separator of `PATH`. The server passes those of certificates to the programs
/// that it runs.
pub(super) const VARIABLES: [&str; 12] = [
    "CLOCH_POSTGRES_BIN",
    "CLOCH_DENO",
    "CLOCH_HOOKS",
    "CLOCH_ALLOW_PATHS",
    "PGSSLROOTCERT",
    "PGPASSFILE",
    "PGSSLCERT",
    "PGSSLKEY",
    "PGSSLCRL",
    "SSL_CERT_FILE",
    "DENO_CERT",
    "NOTIFY_SOCKET",
];

/// A path outside of the project's folder and the data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsidePath {
    /// Source of the path: a key and its file, an environment variable, or a link.
    pub named_by: String,
    /// The path with resolved links.
    pub path: PathBuf,
    /// Whether the server writes to the path.
    pub is_written: bool,
}

/// Folders whose paths are not listed, with resolved links.
pub(in crate::config) struct Inside([PathBuf; 2]);

impl Inside {
    pub(in crate::config) fn new(project: &Path, data: &Path) -> Self {
        Self([project, data].map(|folder| super::resolve(&absolute(folder)).unwrap_or_else(|_| folder.to_owned())))
    }

    fn contains(&self, path: &Path) -> bool {
        self.0.iter().any(|folder| path.starts_with(folder))
    }

    /// Appends the path, unless it is in one of the folders `Inside` or already listed for the same reason.
    pub(in crate::config) fn list(
        &self,
        list: &mut Vec<OutsidePath>,
        named_by: impl Into<String>,
        path: &Path,
        is_written: bool,
    ) {
        let path = absolute(path);
        let path = super::resolve(&path).unwrap_or(path);
        let entry = OutsidePath { named_by: named_by.into(), path, is_written };
        if !self.contains(&entry.path) && !list.contains(&entry) {
            list.push(entry);
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the outside paths of the keys in the two files, of the links in the project's folder, and of environment variables.
pub(in crate::config) fn list(
    paths: &ProjectPaths,
    files: [&TomlFile; 2],
    data: &Path,
    variable: impl Fn(&str) -> Option<String>,
) -> Vec<OutsidePath> {
    let inside = Inside::new(&paths.project, data);
    let mut found = Vec::new();
    for named in keys::named_paths(paths, files) {
        inside.list(&mut found, named.key, &named.path, named.is_written);
    }
    for link in links::all(&paths.project, Some(data)) {
        inside.list(&mut found, format!("the link {}", link.display()), &link, false);
    }
    for name in VARIABLES {
        let value = variable(name).unwrap_or_default();
        // A socket whose name begins with `@` is an abstract socket and not a file.
        for path in std::env::split_paths(&value).filter(|_| !value.is_empty() && !value.starts_with('@')) {
            inside.list(&mut found, name, &path, name == "NOTIFY_SOCKET");
        }
    }
    found
}

/// Appends the files of trusted certificates that the URLs of the database name. Each login is given with the name of its variable or key.
pub(in crate::config) fn add_certificates<'a>(
    list: &mut Vec<OutsidePath>,
    inside: &Inside,
    logins: impl IntoIterator<Item = (&'static str, &'a Login)>,
) {
    for (name, login) in logins {
        if let Some(file) = &login.ssl_root_cert {
            inside.list(list, format!("{name} (sslrootcert)"), file, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Paths of keys, patterns, links and variables are listed once each; paths in the two folders are not.
    #[test]
    fn every_path_outside_is_listed_with_what_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let project = root.join("app/supabase");
        for made in ["app/supabase/inner", "app/.git", "app/web/dist", "app/seeds", "data", "certificates"] {
            std::fs::create_dir_all(root.join(made)).unwrap();
        }
        std::fs::write(root.join("app/seeds/a.sql"), "").unwrap();
        std::fs::write(root.join("app/welcome.html"), "").unwrap();
        symlink("../web", project.join("linked")).unwrap();
        symlink("inner", project.join("own")).unwrap();
        let allowed = root.join("certificates").display().to_string();
        let paths = ProjectPaths::new(&project, &root.join("data"), Some(&allowed)).unwrap();
        let read = |name: &str, text: String| TomlFile::parse(Path::new(name), text, |_| None).unwrap();
        let config = read(
            "config.toml",
            "[db.seed]\nsql_paths = [\"../seeds/*.sql\", \"./inner/*.sql\"]\n\
             [auth.email.template.invite]\ncontent_path = \"welcome.html\"\n\
             [storage.buckets.a]\nobjects_path = \"./inner\"\n"
                .to_owned(),
        );
        let cloch = read(
            "cloch.toml",
            format!(
                "[web]\napp = \"../web/dist\"\n[server.tls]\ncertificate = \"{allowed}/a.pem\"\nkey = \"./inner/key.pem\"\n\
                 [backup]\nto = \"file://{allowed}/copies\"\n[storage]\nfolder = \"{}/data/files\"\n",
                root.display()
            ),
        );
        let variables = |name: &str| match name {
            "CLOCH_HOOKS" => Some("/opt/hooks".to_owned()),
            "CLOCH_ALLOW_PATHS" => Some(allowed.clone()),
            _ => None,
        };
        let found = list(&paths, [&config, &cloch], &root.join("data"), variables);
        let mut lines: Vec<String> = found
            .iter()
            .map(|outside| {
                let path = outside.path.strip_prefix(&root).unwrap_or(&outside.path);
                let link = outside.named_by.replace(&project.display().to_string(), "");
                format!("{link} {} {}", path.display(), if outside.is_written { "written" } else { "read" })
            })
            .collect();
        lines.sort();
        assert_eq!(
            lines,
            [
                "CLOCH_ALLOW_PATHS certificates read",
                "CLOCH_HOOKS /opt/hooks read",
                "auth.email.template.invite.content_path app/welcome.html read",
                "backup.to certificates/copies written",
                "db.seed.sql_paths app/seeds read",
                "db.seed.sql_paths app/seeds/a.sql read",
                "server.tls.certificate certificates/a.pem read",
                "the link /linked app/web read",
                "web.app app/web/dist read",
            ]
        );
    }

    /// The variables that the documentation calls a path or a folder are in the list, except the data folder.
    #[test]
    fn variables_with_paths_are_listed() {
        let documented = include_str!("../../../../docs/configuration.md");
        let rows = documented.lines().filter(|line| line.starts_with("| `CLOCH_"));
        let mut seen = 0;
        for row in rows {
            let name = row.split('`').nth(1).unwrap_or_default();
            let meaning = row.rsplit(" | ").next().unwrap_or_default();
            if ["path", "folder", "file"].iter().any(|word| meaning.starts_with(word)) && name != "CLOCH_DATA_DIR" {
                seen += 1;
                assert!(VARIABLES.contains(&name), "{name}: {meaning}");
            }
        }
        assert!(seen >= 4, "{seen} variables");
    }
}
