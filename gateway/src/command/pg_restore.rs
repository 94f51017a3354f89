//! Runs `pg_restore`. The messages of `pg_restore` are printed while it runs. The last messages are kept, so that the reason of a failure
//! can be determined.

use std::fmt;
use std::fs::File;
use std::io;
use std::process::Stdio;

use cloch_sql::database::Login;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::error::CommandError;

/// Number of bytes at the end of the messages that are kept. The error is at the end, because `pg_restore` stops at the first error.
const KEPT: usize = 16 * 1024;

/// PostgreSQL's errors when an object is given to an owner that must be a superuser. The library `cloch_hooks` lets role postgres own such
/// objects. The server's messages are in English: Cloch creates the cluster with `lc_messages` C.
const REFUSED_OWNERS: [&str; 2] =
    ["permission denied to change owner of event trigger", "permission denied to change owner of foreign-data wrapper"];

/// Reason why a restore failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// `pg_restore` could not be started.
    NotRun(CommandError),
    /// `pg_restore` ran and failed, with these last messages.
    Refused(String),
}

impl Failure {
    /// Whether PostgreSQL refused an owner that is not a superuser.
    pub(super) fn is_about_owners(&self) -> bool {
        match self {
            Self::NotRun(_) => false,
            Self::Refused(messages) => messages
                .lines()
                .any(|line| line.contains("ERROR:") && REFUSED_OWNERS.iter().any(|text| line.contains(text))),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRun(error) => write!(f, "{error}"),
            Self::Refused(_) => f.write_str("pg_restore failed; its message stands above, and nothing was changed"),
        }
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NotRun(error) => error,
            Failure::Refused(_) => failure.to_string().into(),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::NotRun(error.into())
    }
}

/// Restores a dump into the login's database. `program` is the command of `pg_restore` with the connection of the login.
pub(super) async fn run(
    program: std::process::Command,
    login: &Login,
    input: File,
    options: &[&str],
) -> Result<(), Failure> {
    let mut command = tokio::process::Command::from(program);
    command.args(["--exit-on-error", "--dbname", &login.database]).args(options);
    let mut child = command.stdin(Stdio::from(input)).stderr(Stdio::piped()).kill_on_drop(true).spawn()?;
    let messages = match child.stderr.take() {
        Some(stderr) => pass_on(stderr, io::stderr()).await?,
        None => Vec::new(),
    };
    if child.wait().await?.success() {
        return Ok(());
    }
    Err(Failure::Refused(String::from_utf8_lossy(&messages).into_owned()))
}

/// Copies all bytes to `output`, and returns the last bytes.
async fn pass_on(mut from: impl AsyncRead + Unpin, mut output: impl io::Write) -> io::Result<Vec<u8>> {
    let (mut kept, mut buffer) = (Vec::new(), vec![0; 4096]);
    loop {
        let read = from.read(&mut buffer).await?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { return Ok(kept) };
        output.write_all(part)?;
        kept.extend_from_slice(part);
        kept.drain(..kept.len().saturating_sub(KEPT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_refused_owners_are_about_the_library() {
        let is_about = |text: &str| Failure::Refused(text.to_owned()).is_about_owners();
        let shown = "pg_restore: error: could not execute query: ERROR:  ";
        assert!(is_about(&format!("{shown}permission denied to change owner of event trigger \"a\"\nHINT:  x\n")));
        assert!(is_about(&format!("first\n{shown}permission denied to change owner of foreign-data wrapper \"a\"\n")));
        assert!(!is_about(&format!("{shown}new row violates check constraint\n")));
        assert!(!is_about("pg_restore: error: input file is too short\n"));
        // The text of a statement in the messages must not count as an error.
        let statement = "Command was: COMMENT ON TABLE a IS 'permission denied to change owner of event trigger';\n";
        assert!(!is_about(&format!("{shown}relation does not exist\n{statement}")));
    }

    #[tokio::test]
    async fn messages_are_passed_on_and_the_last_ones_kept() {
        let text = [vec![b'a'; 3 * KEPT], b"the end".to_vec()].concat();
        let mut output = Vec::new();
        let kept = pass_on(text.as_slice(), &mut output).await.unwrap();
        assert_eq!(output, text);
        assert!(kept.len() == KEPT && kept.ends_with(b"the end"), "{}", kept.len());
    }
}
