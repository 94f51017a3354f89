//! `cloch start --inspect`: serves a copy of a project's data folder while the project itself is still running.

use super::{Config, ConfigError, DatabaseChoice};

impl Config {
    /// Changes the configuration so that the server serves a copied project without side effects: no mail delivery, no jobs, no backups, no
    /// certificate orders. Files are read from the data folder instead of S3, the database uses a free port, and the server uses plain HTTP
    /// only.
    ///
    /// # Errors
    /// If `CLOCH_DB_URL` is set, because that database is the original and not a copy.
    pub fn inspect(&mut self) -> Result<(), ConfigError> {
        let DatabaseChoice::Embedded { is_free_to_choose, .. } = &mut self.database else {
            return Err(ConfigError::Variable {
                name: "CLOCH_DB_URL".into(),
                message: "--inspect is for a copy in a data folder: unset the variable".into(),
            });
        };
        *is_free_to_choose = true;
        self.is_inspection = true;
        self.acme = None;
        self.cloch.server.tls = None;
        self.cloch.server.redirect_http = None;
        self.file.auth.email.smtp = None;
        self.cloch.backup.to = None;
        self.cloch.storage.s3 = None;
        Ok(())
    }
}
