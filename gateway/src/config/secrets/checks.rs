//! Checks the strength of the keys in secrets.toml, and refuses the well-known keys of the Supabase CLI on a server that other machines can
//! reach.

use std::path::Path;

use super::{Secrets, strength};
use crate::config::ConfigError;

impl Secrets {
    /// Checks the strength of those keys that an operator may have written into secrets.toml. `text` is the content of the file. A key that
    /// the file lacks is empty here; it is not checked, because it is generated later.
    pub(super) fn check(&self, file: &Path, text: &str) -> Result<(), ConfigError> {
        let keys = [
            ("jwt_secret", Some(&self.jwt_secret)),
            ("service_role_key", Some(&self.service_role_key).filter(|key| !key.is_empty())),
            ("secret_key", Some(&self.secret_key).filter(|key| !key.is_empty())),
            ("s3_secret_key", Some(&self.s3_secret_key).filter(|key| !key.is_empty())),
        ];
        for (name, key) in keys {
            key.map_or(Ok(()), |key| strength::check(key)).map_err(|message| ConfigError::Value {
                file: file.to_owned(),
                line: text.lines().position(|line| line.trim_start().starts_with(name)).map(|index| index + 1),
                key: name.to_owned(),
                message,
            })?;
        }
        Ok(())
    }

    /// Refuses the well-known secrets of the Supabase CLI on a server that other machines reach.
    pub(in crate::config) fn refuse_the_clis(&self, is_reached: bool) -> Result<(), ConfigError> {
        let keys = [
            ("jwt_secret", &self.jwt_secret),
            ("service_role_key", &self.service_role_key),
            ("secret_key", &self.secret_key),
        ];
        match keys.into_iter().find(|(_, key)| is_reached && strength::is_the_clis(key)) {
            Some((name, _)) => Err(ConfigError::Variable {
                name: name.to_owned(),
                message: "is the one that the Supabase CLI gives every project, everybody knows it, and other machines reach this server: \
                          remove it (secrets.toml, [auth] of config.toml, variables), and the start makes a new one"
                    .to_owned(),
            }),
            None => Ok(()),
        }
    }
}
