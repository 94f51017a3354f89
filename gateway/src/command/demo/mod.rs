//! `cloch start --demo`: a project with example data (examples/demo) in a separate folder, which is removed when the server stops. Never
//! reads or changes a project of the user.

mod accounts;
mod files;
mod traffic;

use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cloch_core::Secret;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::status::LABEL_WIDTH;
use crate::config::{Config, Flags, Secrets};
use crate::data_dir_lock;
use crate::error::CommandError;

/// File in a data folder that marks it as the data of a demo. Contains the password of the demo's accounts.
const MARK: &str = "demo.toml";
const USUAL_PORT: u16 = 54321;
/// Characters of a generated password, without characters that look alike, such as `1` and `l`.
const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
const PASSWORD_GROUPS: usize = 4;
const GROUP_LETTERS: usize = 5;
/// Number of attempts to remove the data folder. PostgreSQL may still write files when the first attempt begins.
const REMOVAL_ATTEMPTS: usize = 20;

/// The demo project of a running server. Dropping the value removes its folder unless the user has named the folder.
pub(super) struct Demo {
    folder: PathBuf,
    is_kept: bool,
    password: Secret,
}

/// Content of the file [`MARK`].
#[derive(Deserialize, Serialize)]
struct Mark {
    password: String,
}

impl Demo {
    /// Writes the demo project into a new folder, or finds it in the folder that `--data` names. Changes the flags so that the server uses
    /// this folder and listens on 127.0.0.1.
    ///
    /// # Errors
    /// If `CLOCH_DB_URL` is set, if the folder contains anything else than the data of a demo, or if the files cannot be written.
    pub(super) fn prepare(flags: &mut Flags) -> Result<Self, CommandError> {
        if std::env::var_os("CLOCH_DB_URL").is_some_and(|url| !url.is_empty()) {
            return Err(
                "--demo creates a database of its own and does not use the one of CLOCH_DB_URL: unset this variable"
                    .into(),
            );
        }
        let demo = match &flags.data {
            Some(folder) => Self::in_folder(std::path::absolute(folder)?, true)?,
            None => {
                Self::in_folder(std::env::temp_dir().join(format!("cloch-demo-{}", Uuid::new_v4().simple())), false)?
            }
        };
        flags.project = Some(demo.folder.join("project"));
        flags.data = Some(demo.folder.clone());
        flags.host = Some(Ipv4Addr::LOCALHOST.to_string());
        flags.port = Some(flags.port.map_or_else(free_port, Ok)?);
        Ok(demo)
    }

    fn in_folder(folder: PathBuf, is_kept: bool) -> Result<Self, CommandError> {
        let mark = folder.join(MARK);
        match fs::read_to_string(&mark) {
            Ok(text) => {
                let Mark { password } =
                    toml::from_str(&text).map_err(|_| format!("{}: the file is damaged", mark.display()))?;
                return Ok(Self { folder, is_kept, password: Secret::new(password) });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{}: {error}", mark.display()).into()),
        }
        refuse_other_content(&folder)?;
        data_dir_lock::make(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        // From here on, returning an error drops this value, which removes the folder again.
        let demo = Self { folder, is_kept, password: new_password() };
        files::write(&demo.folder.join("project"))?;
        let text = toml::to_string(&Mark { password: demo.password.expose().to_owned() })?;
        let mut file = fs::File::options().write(true).create_new(true).mode(0o600).open(mark)?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        Ok(demo)
    }

    /// Creates the accounts with which the user signs in, starts the demo's traffic, and returns the text to print.
    ///
    /// # Errors
    /// If the server refuses to create an account.
    pub(super) async fn open(
        &self,
        config: &Config,
        secrets: &Secrets,
        first_operator_link: Option<&Secret>,
        shutdown: CancellationToken,
    ) -> Result<String, CommandError> {
        let url = config.local_url("");
        accounts::create(&url, secrets, first_operator_link, &self.password).await?;
        let clients = traffic::Clients::new(url, secrets.publishable_key.clone(), self.password.clone())?;
        tokio::spawn(async move { shutdown.run_until_cancelled(clients.run()).await });
        Ok(self.text(config))
    }

    fn text(&self, config: &Config) -> String {
        let password = self.password.expose();
        let members = accounts::MEMBERS.join(", ");
        let rows = [
            ("Demo", "example data of a boat club; only this machine reaches the server".to_owned()),
            ("Sign in", format!("{} with {} and the password {password}", config.url("/_/"), accounts::OPERATOR)),
            ("Members", format!("{members} (users of the project, the same password)")),
            (
                "At the stop",
                match self.is_kept {
                    true => format!("the data stays in {}", self.folder.display()),
                    false => "all data of the demo is removed (`--data DIR` keeps it)".to_owned(),
                },
            ),
        ];
        rows.map(|(label, text)| format!("{label:>LABEL_WIDTH$}  {text}")).join("\n")
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        for attempt in 1..=REMOVAL_ATTEMPTS {
            match fs::remove_dir_all(&self.folder) {
                Ok(()) => return,
                Err(error) if error.kind() == ErrorKind::NotFound => return,
                Err(error) if attempt == REMOVAL_ATTEMPTS => tracing::warn!(
                    %error,
                    folder = %self.folder.display(),
                    "demo: removing the demo's data failed, remove this folder by hand"
                ),
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    }
}

/// Refuses a folder that exists and is not empty: it may be the data of a project.
fn refuse_other_content(folder: &Path) -> Result<(), CommandError> {
    let mut entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("{}: {error}", folder.display()).into()),
    };
    match entries.next() {
        Some(_) => Err(format!("{}: not the data of a demo, name a new folder", folder.display()).into()),
        None => Ok(()),
    }
}

/// Returns the usual port of a project, or a free port if another program uses it.
fn free_port() -> std::io::Result<u16> {
    let bound = [USUAL_PORT, 0].into_iter().map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
    let last = || std::io::Error::from(ErrorKind::AddrInUse);
    bound.flatten().next().ok_or_else(last)?.local_addr().map(|address| address.port())
}

fn new_password() -> Secret {
    let letter = |_| LETTERS.get(rand::random_range(0..LETTERS.len())).copied().map_or('a', char::from);
    let groups: Vec<String> = (0..PASSWORD_GROUPS).map(|_| (0..GROUP_LETTERS).map(letter).collect()).collect();
    Secret::new(groups.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_content_is_refused_and_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("secrets.toml");
        fs::write(&other, "a").unwrap();
        let refused = Demo::in_folder(folder.path().to_owned(), true).err().unwrap();
        assert!(refused.to_string().contains("not the data of a demo"), "{refused}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(other).unwrap(), "a");
    }

    #[test]
    fn a_temporary_demo_leaves_nothing_and_a_kept_one_its_password() {
        let parent = tempfile::tempdir().unwrap();
        let demo = Demo::in_folder(parent.path().join("a"), false).unwrap();
        assert!(demo.folder.join("project/config.toml").is_file());
        drop(demo);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        let kept = || Demo::in_folder(parent.path().join("b"), true).unwrap();
        let password = kept().password.expose().to_owned();
        assert_eq!(password.len(), PASSWORD_GROUPS * (GROUP_LETTERS + 1) - 1);
        assert_eq!(kept().password.expose(), password);
    }
}
