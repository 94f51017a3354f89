//! `cloch start --aside`: a copy of a project, served beside the project itself.

use super::{Config, ConfigError, DatabaseChoice};

impl Config {
    /// Lets a copy do nothing by itself: no mail leaves, no job runs, nothing is backed up, no certificate is ordered. Files are those of the
    /// data folder, the database takes a free port, and the server listens at its plain address alone.
    ///
    /// # Errors
    /// With a database elsewhere, which is no copy.
    pub fn set_aside(&mut self) -> Result<(), ConfigError> {
        let DatabaseChoice::Embedded { is_free_to_choose, .. } = &mut self.database else {
            return Err(ConfigError::Variable {
                name: "CLOCH_DB_URL".into(),
                message: "--aside is for a copy in a data folder: unset the variable".into(),
            });
        };
        *is_free_to_choose = true;
        self.is_aside = true;
        self.acme = None;
        self.cloch.server.tls = None;
        self.cloch.server.redirect_http = None;
        self.file.auth.email.smtp = None;
        self.cloch.backup.to = None;
        self.cloch.storage.s3 = None;
        Ok(())
    }
}
