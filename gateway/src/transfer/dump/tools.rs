//! Finds and runs PostgreSQL's client programs. Their version must support the PostgreSQL server of the source.

use std::path::{Path, PathBuf};
use std::process::Command;

use cloch_core::programs;
use cloch_sql::database::{Address, Login, SslMode};
use cloch_sql::embedded::{Binaries, major_version};

use crate::error::CommandError;

/// Returns a folder that contains a pg_dump for a PostgreSQL server of the major version `server`: pg_dump can dump servers of its own
/// version and of older versions. The folder `named` is searched first.
///
/// # Errors
/// If no suitable pg_dump is installed. The message names the package to install.
pub(crate) fn folder_for(server: u32, named: Option<&Path>) -> Result<PathBuf, CommandError> {
    let folders = match named {
        Some(folder) => vec![folder.to_owned()],
        None => Vec::new(),
    };
    let folders = folders.into_iter().chain(Binaries::folders());
    let mut newest = None;
    for folder in folders {
        let program = folder.join("pg_dump");
        if !program.exists() {
            continue;
        }
        programs::trusted_link(&program)?;
        match version_of(&program) {
            Some(version) if version >= server => return Ok(folder),
            found => newest = newest.max(found),
        }
    }
    let found = newest.map_or("none was found".to_owned(), |version| format!("the newest one found is {version}"));
    Err(format!(
        "the source is PostgreSQL {server}, which pg_dump {server} or newer can read; {found} (looked in CLOCH_POSTGRES_BIN, PATH, \
         /usr/lib/postgresql). Install postgresql-client-{server} (Debian and Ubuntu: from apt.postgresql.org), name its bin folder in \
         CLOCH_POSTGRES_BIN, or give the files of `supabase db dump` with --dir"
    )
    .into())
}

fn version_of(program: &Path) -> Option<u32> {
    major_version(program, "pg_dump")?.parse().ok()
}

/// Creates the command that runs a client program. The login is passed in environment variables, because other users of the machine can
/// read command lines.
pub(crate) fn program(folder: &Path, name: &str, login: &Login) -> Command {
    let mut command = Command::new(folder.join(name));
    let host = match &login.address {
        Address::Host(host) => host.clone(),
        Address::Socket(folder) => folder.display().to_string(),
    };
    let ssl_mode = match login.ssl_mode {
        SslMode::Disable => "disable",
        SslMode::Prefer => "prefer",
        SslMode::Require => "require",
        SslMode::VerifyCa => "verify-ca",
        SslMode::VerifyFull => "verify-full",
    };
    command
        .env_clear()
        .envs(programs::client_environment())
        .env("PGHOST", host)
        .env("PGPORT", login.port.to_string())
        .env("PGUSER", &login.user)
        .env("PGPASSWORD", login.password.expose())
        .env("PGDATABASE", &login.database)
        .env("PGSSLMODE", ssl_mode)
        .arg("--no-password");
    if let Some(path) = &login.ssl_root_cert {
        command.env("PGSSLROOTCERT", path);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_to_install_where_no_version_can_read_the_server() {
        let message = folder_for(99, None).unwrap_err().to_string();
        assert!(message.contains("postgresql-client-99") && message.contains("--dir"), "{message}");
    }

    #[test]
    fn the_password_is_no_argument() {
        let login = Login::from_url(&cloch_core::Secret::new("postgres://u:hunter2@h/d?sslmode=require")).unwrap();
        let command = program(Path::new("/bin"), "pg_dump", &login);
        assert!(command.get_args().all(|argument| !argument.to_string_lossy().contains("hunter2")));
        assert!(command.get_envs().any(|(name, value)| name == "PGSSLMODE" && value.unwrap() == "require"));
    }
}
