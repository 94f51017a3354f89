//! Commands that run PostgreSQL's client programs, such as pg_dump.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use cloch_core::programs;

use super::{Account, EmbeddedError};
use crate::login::{Address, Login, SslMode};

impl Account {
    /// Creates a command that runs PostgreSQL's client program `program` in this account, on the database of `login`. The login is passed in
    /// environment variables, because other users of the machine can read command lines. Open the files that the program reads or writes
    /// before, and pass them as its standard input or output: the account may be unable to open them.
    ///
    /// # Errors
    /// Fails if this account cannot enter the program's folder, or cannot read the file with the trusted certificates.
    pub fn client_command(self, program: &Path, login: &Login) -> Result<Command, EmbeddedError> {
        if let Some(folder) = program.parent() {
            self.must_reach(folder)?;
        }
        let mut command = self.command(program);
        // The home directory is root's if this account is another one. libpq then searches for its files in the home directory of this account,
        // because it stops with an error if it may not read the directory.
        let is_kept = |name: &str| self == Self::Own || name != "HOME";
        command.envs(programs::client_environment().into_iter().filter(|(name, _)| is_kept(name)));
        let (address, port) = login.place();
        match address {
            Address::Host(host) => command.env("PGHOST", host),
            Address::Socket(folder) => command.env("PGHOST", folder),
        };
        command
            .env("PGPORT", port.to_string())
            .env("PGUSER", &login.user)
            .env("PGPASSWORD", login.password.expose())
            .env("PGDATABASE", &login.database)
            .env("PGSSLMODE", ssl_mode(login.ssl_mode))
            .arg("--no-password")
            .current_dir("/");
        if let Some(certificate) = &login.ssl_root_cert {
            // The program starts in another folder.
            let certificate = std::path::absolute(certificate).unwrap_or_else(|_| certificate.clone());
            if !self.can_read(&certificate) {
                return Err(EmbeddedError::Unreadable { file: certificate });
            }
            command.env("PGSSLROOTCERT", certificate);
        }
        Ok(command)
    }

    /// Whether this account can read a file, according to the permission bits. `true` for a missing file, which the program reports.
    fn can_read(self, file: &Path) -> bool {
        let (Self::Other { uid, gid }, Ok(metadata)) = (self, std::fs::metadata(file)) else { return true };
        let bit = match (metadata.uid() == uid, metadata.gid() == gid) {
            (true, _) => 0o400,
            (_, true) => 0o040,
            _ => 0o004,
        };
        metadata.mode() & bit != 0 && file.parent().is_none_or(|folder| self.closed(folder).is_empty())
    }
}

fn ssl_mode(mode: SslMode) -> &'static str {
    match mode {
        SslMode::Disable => "disable",
        SslMode::Prefer => "prefer",
        SslMode::Require => "require",
        SslMode::VerifyCa => "verify-ca",
        SslMode::VerifyFull => "verify-full",
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    use cloch_core::Secret;

    use super::*;

    fn login() -> Login {
        Login::from_url(&Secret::new("postgres://u:hunter2@h/d?sslmode=require")).unwrap()
    }

    #[test]
    fn the_password_is_no_argument() {
        let command = Account::choose().client_command(Path::new("/bin/pg_dump"), &login()).unwrap();
        assert!(command.get_args().all(|argument| !argument.to_string_lossy().contains("hunter2")));
        assert!(command.get_envs().any(|(name, value)| name == "PGSSLMODE" && value.unwrap() == "require"));
    }

    #[test]
    fn the_program_runs_in_the_account_of_the_database() {
        let output = Account::choose().client_command(Path::new("/bin/sh"), &login()).unwrap();
        // The shell accepts `--no-password` only as the name of a script, so the command is created again with its environment.
        let mut command = Account::choose().command(Path::new("/bin/sh"));
        command
            .envs(output.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .args(["-c", "id -u; echo \"home $HOME\""]);
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let own = rustix::process::geteuid();
        let (id, home) = text.trim().split_once('\n').unwrap();
        assert_eq!(id == "0", own.is_root() && Account::choose() == Account::Own, "{text}");
        assert_eq!(home == "home", own.is_root() && Account::choose() != Account::Own, "{text}");
    }

    #[test]
    fn a_certificate_that_the_account_cannot_read_is_refused() {
        let folder = std::env::temp_dir().join(format!("cloch-client-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir(&folder).unwrap();
        let certificate = folder.join("ca.pem");
        std::fs::write(&certificate, "").unwrap();
        let login = Login { ssl_root_cert: Some(certificate.clone()), ..login() };
        let nobody = Account::Other { uid: 65_534, gid: 65_534 };
        let made = |mode: (u32, u32)| {
            set_permissions(&folder, Permissions::from_mode(mode.0)).unwrap();
            set_permissions(&certificate, Permissions::from_mode(mode.1)).unwrap();
            nobody.client_command(Path::new("/bin/pg_dump"), &login).map(drop)
        };
        assert!(made((0o755, 0o644)).is_ok());
        for closed in [(0o755, 0o600), (0o700, 0o644)] {
            assert!(matches!(made(closed), Err(EmbeddedError::Unreadable { .. })), "{closed:?}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
