//! Runs Deno to read the module graph of a function and to download packages.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::process::Command;
use url::Url;

use super::ImportsError;
use crate::deno::busy_program::{BUSY_ATTEMPTS, BUSY_PAUSE};
use crate::deno::sandbox::Fence;

/// Timeout for reading the module graph of one function.
const GRAPH_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum length of Deno's error text in characters.
const MAX_ERROR_CHARS: usize = 2_000;

/// An import as written in the source, and as resolved by the project's import map.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Import {
    pub(super) specifier: String,
    pub(super) resolved: String,
}

/// The local files and external imports of a function's module graph.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Imports of modules that are not local files, such as packages.
    pub(super) imports: BTreeSet<Import>,
    /// Local files of the module graph, whether the files exist or not.
    pub(super) files: BTreeSet<PathBuf>,
    /// Specifiers that the import map does not resolve.
    pub(super) unresolved: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Info {
    modules: Vec<Module>,
}

#[derive(Deserialize)]
struct Module {
    specifier: String,
    #[serde(default)]
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    specifier: String,
    code: Option<Resolution>,
    #[serde(rename = "type")]
    types: Option<Resolution>,
}

#[derive(Default, Deserialize)]
struct Resolution {
    specifier: Option<String>,
    error: Option<String>,
}

/// Runs Deno with the configuration of one function.
pub(super) struct Deno<'a> {
    pub(super) program: &'a Path,
    pub(super) cache: &'a Path,
    pub(super) config: &'a Path,
    pub(super) environment: &'a [(String, OsString)],
    /// User and group id of the account in which Deno runs; `None` for Cloch's own account.
    pub(super) account: Option<u32>,
    /// Command line that starts a program in that account.
    pub(super) launcher: &'a [OsString],
    /// Folders that Deno may read when it runs in that account.
    pub(super) readable: Vec<PathBuf>,
}

impl Deno<'_> {
    /// Reads the imports of a function's local modules.
    pub(super) async fn graph(&self, entrypoint: &Path) -> Result<Graph, ImportsError> {
        let mut command = self.command("info", None);
        command.args(["--json", "--no-remote", "--no-npm", "--no-lock"]).arg(entrypoint);
        let output = run(command, GRAPH_TIMEOUT).await?;
        read_info(&output.stdout).map_err(|error| ImportsError::Deno(format!("deno info: {error}")))
    }

    /// Downloads the function's missing packages.
    pub(super) async fn cache(&self, entrypoint: &Path, lock: PathBuf, timeout: Duration) -> Result<(), ImportsError> {
        let mut command = self.command("cache", lock.parent());
        command.arg("--quiet").arg("--lock").arg(&lock).arg(entrypoint);
        run(command, timeout).await.map(drop)
    }

    /// Creates a command that runs Deno. `written`: folder in which Deno writes files, in addition to its cache.
    fn command(&self, subcommand: &str, written: Option<&Path>) -> Command {
        let mut command = self.launch(written);
        // Trust the system's certificates, because the package registry of an organisation may have a certificate of the organisation's own
        // authority. The environment variables that are set below take precedence.
        command
            .env_clear()
            .env("DENO_TLS_CA_STORE", "mozilla,system")
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.env("DENO_DIR", self.cache).env("NO_COLOR", "1").env("DENO_NO_UPDATE_CHECK", "1");
        // Otherwise Deno would read the package.json files of a workspace that contains the data folder, and would fail if it did not
        // support one of them.
        command.env("DENO_NO_PACKAGE_JSON", "1");
        command.arg(subcommand).arg("--config").arg(self.config);
        // A project folder may contain a deno.json that does not belong to the function. Therefore Deno runs in the cache folder.
        command.current_dir(self.cache);
        command
    }
}

impl Deno<'_> {
    /// Creates the command without arguments. In an account of its own, Deno can read only the function's files, and write only to its cache
    /// and to the folder `written`.
    fn launch(&self, written: Option<&Path>) -> Command {
        let (Some(account), Some((starter, arguments))) = (self.account, self.launcher.split_first()) else {
            return Command::new(self.program);
        };
        // Files with certificates that environment variables of the operator refer to.
        let named = self.environment.iter().map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute());
        let fence = Fence {
            readable: self.readable.iter().cloned().chain(named).chain([self.program.to_owned()]).collect(),
            writable: [Some(self.cache), written].into_iter().flatten().map(Path::to_owned).collect(),
            sockets: self.cache.to_owned(),
            ipv6: true,
            account: Some(account),
        };
        let mut command = Command::new(starter);
        command.args(arguments).arg(json!(fence).to_string()).arg(self.program);
        command
    }
}

async fn run(mut command: Command, timeout: Duration) -> Result<Output, ImportsError> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = match tokio::time::timeout(timeout, output(&mut command)).await {
        Ok(output) => output.map_err(|error| ImportsError::Deno(format!("Deno cannot be started: {error}")))?,
        Err(_) => return Err(ImportsError::Deno(format!("no end after {} seconds", timeout.as_secs()))),
    };
    match output.status.success() {
        true => Ok(output),
        false => Err(ImportsError::Deno(told(&String::from_utf8_lossy(&output.stderr)))),
    }
}

/// Runs the command. A busy program is tried again ([`crate::deno::busy_program`]).
async fn output(command: &mut Command) -> std::io::Result<Output> {
    for _ in 1..BUSY_ATTEMPTS {
        match command.output().await {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                tokio::time::sleep(BUSY_PAUSE).await
            }
            outcome => return outcome,
        }
    }
    command.output().await
}

/// Returns Deno's error text without its stack trace. The text names specifier, file, line and column.
fn told(stderr: &str) -> String {
    let text = stderr.split("\n\nStack backtrace:").next().unwrap_or_default();
    let text = text.split_once("error: ").map_or(text, |(_, error)| error).replace("file://", "");
    text.trim().chars().take(MAX_ERROR_CHARS).collect()
}

fn read_info(json: &[u8]) -> serde_json::Result<Graph> {
    let info: Info = serde_json::from_slice(json)?;
    let mut graph = Graph::default();
    let file = |specifier: &str| Url::parse(specifier).ok().filter(|url| url.scheme() == "file")?.to_file_path().ok();
    for module in info.modules {
        graph.files.extend(file(&module.specifier));
        for Dependency { specifier, code, types } in module.dependencies {
            let (code, types) = (code.unwrap_or_default(), types.unwrap_or_default());
            let is_unresolved = code.error.is_some() || types.error.is_some();
            let mut resolved = [code.specifier, types.specifier].into_iter().flatten();
            let Some(first) = resolved.next() else {
                graph.unresolved.extend(Some(specifier).filter(|_| is_unresolved));
                continue;
            };
            graph.files.extend(file(&first).into_iter().chain(resolved.filter_map(|other| file(&other))));
            if !first.starts_with("file:") {
                graph.imports.insert(Import { specifier, resolved: first });
            }
        }
    }
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_that_is_open_for_writing_is_run_when_it_is_closed() {
        use std::io::Write as _;
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        let mut file = std::fs::File::create(&program).unwrap();
        file.write_all(b"#!/bin/sh\necho done\n").unwrap();
        file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(Command::new(&program).output().await.unwrap_err().kind(), std::io::ErrorKind::ExecutableFileBusy);
        let closed = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(300)).await;
            drop(file);
        });
        let output = run(Command::new(&program), GRAPH_TIMEOUT).await.unwrap();
        assert_eq!(output.stdout, b"done\n");
        closed.await.unwrap();
    }

    #[test]
    fn an_error_names_specifier_file_and_line() {
        let stderr = "Download https://deno.land/x/acme/mod.ts\nerror: Import 'https://deno.land/x/acme/mod.ts' failed.\n    \
                      at file:///p/functions/a/index.ts:2:15\n\nStack backtrace:\n   0: <unknown>";
        assert_eq!(
            told(stderr),
            "Import 'https://deno.land/x/acme/mod.ts' failed.\n    at /p/functions/a/index.ts:2:15"
        );
    }

    #[test]
    fn imports_of_other_places_are_read() {
        let json = br#"{"modules": [{"dependencies": [
            {"specifier": "zod", "code": {"specifier": "npm:zod@3"}},
            {"specifier": "./b.ts", "code": {"specifier": "file:///b.ts"}},
            {"specifier": "jsr:@a/b", "type": {"specifier": "jsr:@a/b"}},
            {"specifier": "bare", "code": {"error": "not in import map"}}], "specifier": "file:///a.ts"},
            {"specifier": "file:///etc/x", "error": "e"}]}"#;
        let graph = read_info(json).unwrap();
        assert_eq!(
            graph.files.iter().map(|file| file.to_str().unwrap()).collect::<Vec<_>>(),
            ["/a.ts", "/b.ts", "/etc/x"]
        );
        assert_eq!(graph.unresolved, BTreeSet::from(["bare".to_owned()]));
        let found: Vec<_> = graph.imports.into_iter().map(|import| (import.specifier, import.resolved)).collect();
        assert_eq!(
            found,
            [("jsr:@a/b".into(), "jsr:@a/b".into()), ("zod".into(), "npm:zod@3".into())] as [(String, String); 2]
        );
    }
}
