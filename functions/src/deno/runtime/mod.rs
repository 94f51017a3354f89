//! Finds the Deno program on this machine, or downloads the program once from the npm registry.

mod download;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use cloch_core::programs;
use tokio::process::Command;

use super::account::WorkerAccount;

pub use download::VERSION;

/// Minimum version of Deno (major, minor). Older versions lack features that workers require: ranges of addresses in `--deny-net`, and a Unix
/// socket as proxy.
const MIN_VERSION: (u32, u32) = (2, 9);
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

/// Places where the Deno program is searched.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Path of the Deno program from `CLOCH_DENO`. If set, no other place is searched.
    pub program: Option<PathBuf>,
    /// Folders in the environment variable PATH.
    pub path: Vec<PathBuf>,
    /// Folder for the downloaded Deno program.
    pub download_folder: PathBuf,
    /// URL of the npm registry, for example `https://registry.npmjs.org`.
    pub registry: String,
}

impl Places {
    /// Returns the path of a usable Deno program.
    ///
    /// # Errors
    /// If no usable program is found and the download fails.
    pub(crate) async fn find(&self) -> Result<PathBuf, String> {
        if let Some(program) = &self.program {
            let trusted = programs::trusted(program).map_err(|reason| format!("CLOCH_DENO: {reason}"))?;
            return match version(&trusted).await {
                // Return the resolved path instead of the symbolic link, because another account may be able to change a link.
                Some(version) if is_usable(version) => Ok(trusted),
                Some((major, minor)) => Err(format!(
                    "CLOCH_DENO: {} is Deno {major}.{minor}; {} or newer is needed",
                    program.display(),
                    text(MIN_VERSION)
                )),
                None => Err(format!("CLOCH_DENO: {} does not run", program.display())),
            };
        }
        for program in self.path.iter().map(|folder| folder.join("deno")).filter(|program| program.is_file()) {
            if let Err(reason) = programs::trusted_link(&program) {
                tracing::warn!(program = %program.display(), %reason, "functions: Deno program cannot be used, searching the next folder of PATH");
                continue;
            }
            match version(&program).await {
                Some(version) if is_usable(version) => return Ok(program),
                found => {
                    tracing::debug!(program = %program.display(), version = ?found, "functions: Deno program has an unsupported version or does not run, searching the next folder of PATH")
                }
            }
        }
        if let Some(program) = download::kept(&self.download_folder).await {
            return Ok(program);
        }
        download::fetch(&self.registry, &self.download_folder).await
    }
}

fn is_usable(version: (u32, u32)) -> bool {
    version.0 == MIN_VERSION.0 && version >= MIN_VERSION
}

fn text((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

/// Runs `deno --version` and returns the major and minor version; `None` if this fails. The program runs in the workers' account if this
/// account may enter the program's folder.
async fn version(program: &Path) -> Option<(u32, u32)> {
    let ask = async |account: Option<u32>| {
        let mut command = Command::new(program);
        command.env_clear().envs(programs::environment()).env("DENO_NO_UPDATE_CHECK", "1").arg("--version");
        command.current_dir("/").stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        if let Some(id) = account {
            command.uid(id).gid(id);
        }
        tokio::time::timeout(VERSION_TIMEOUT, command.output()).await.ok()
    };
    let lesser = WorkerAccount::number();
    let output = match ask(lesser).await? {
        // Only root may enter the folder of the program (for example /root), so run the program as root.
        Err(error) if lesser.is_some() && error.kind() == io::ErrorKind::PermissionDenied => ask(None).await?.ok()?,
        output => output.ok()?,
    };
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("deno ")?.split_whitespace().next()?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(parse_version("deno 2.9.6 (stable, release, x86_64-unknown-linux-gnu)\nv8 15"), Some((2, 9)));
        assert_eq!(parse_version("node 20"), None);
        assert!(
            is_usable((2, 10)) && is_usable((2, 9)) && !is_usable((2, 8)) && !is_usable((1, 46)) && !is_usable((3, 0))
        );
    }
}
