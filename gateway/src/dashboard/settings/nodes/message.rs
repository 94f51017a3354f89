//! A change of settings in the form in which it is sent to the other nodes. The message is encrypted and authenticated with a key that all
//! nodes of the project have, and that is not in the database. The id of the message's row is authenticated too, so that a message cannot
//! be copied into a row with another id.

use cloch_functions::dotenv;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::{Config, ENV_LOCAL};
use crate::dashboard::node_settings::SettingsFiles;
use crate::dashboard::settings::change::{self, Change};
use crate::dashboard::settings::{edit, list, locked, template_file};
use crate::dashboard::{ApiError, Keys};

/// Reason that the dashboard shows for a change that a node cannot decrypt.
pub(super) const UNREADABLE: &str =
    "A change cannot be decrypted: secrets.toml of this node differs from that of the node that made the change";

/// Purpose for which the encryption key of messages is derived.
const PURPOSE: &str = "settings change";

#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Message {
    pub(super) settings: Vec<Sent>,
}

/// A changed setting.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Sent {
    pub(super) change: Change,
    /// Values in the files of the sending node before (`old`) and after (`new`) the change.
    pub(super) old: InFiles,
    pub(super) new: InFiles,
}

/// Value of a setting in the files of a node.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct InFiles {
    /// Value in the settings file; `None` for a secret and for a missing key.
    value: Option<Value>,
    /// Keyed digest of a secret's value. Two values are compared by their digests.
    secret: Option<String>,
}

impl InFiles {
    /// Reads the value of a setting from the files of this node.
    ///
    /// # Errors
    /// If there is no such setting, or if a file cannot be read.
    pub(super) fn read(files: &SettingsFiles, config: &Config, key: &str) -> Result<Self, ApiError> {
        let listed = list::find(config, key)
            .ok_or_else(|| ApiError::not_found(format!("There is no setting {key} that can be changed here")))?;
        let text = change::read(config, listed.spec.file.name())?;
        if listed.is_template() {
            let value = template_file::text(config, &listed, &text)?.map(Value::from);
            return Ok(Self { value, secret: None });
        }
        let value = listed.keys().iter().find_map(|key| edit::get(&text, key));
        if !listed.is_secret() {
            return Ok(Self { value: value.and_then(|value| serde_json::to_value(value).ok()), secret: None });
        }
        let variable = locked::secret_variable(&listed, &text);
        let secret = match value.as_ref().and_then(toml::Value::as_str) {
            Some(text) if text != format!("env({variable})") => Some(text.to_owned()),
            _ => dotenv::parse(change::read(config, ENV_LOCAL)?.as_bytes()).variables.remove(&variable),
        };
        Ok(Self { value: None, secret: secret.map(|secret| files.keys.file_version(key, &secret)) })
    }
}

impl Message {
    pub(super) fn keys(&self) -> Vec<String> {
        self.settings.iter().map(|sent| sent.change.key.clone()).collect()
    }

    /// Encrypts the message for the row with the id `id`. `None` if no random nonce is available.
    pub(super) fn seal(&self, keys: &Keys, id: i64) -> Option<Vec<u8>> {
        keys.encrypt(PURPOSE, &id.to_be_bytes(), &serde_json::to_string(self).ok()?)
    }

    /// Decrypts the message of the row with the id `id`. `None` if it was encrypted for another row, or by a node with other secrets.
    pub(super) fn open(keys: &Keys, id: i64, sealed: &[u8]) -> Option<Self> {
        serde_json::from_str(keys.decrypt(PURPOSE, &id.to_be_bytes(), sealed)?.expose()).ok()
    }
}

#[cfg(test)]
mod tests {
    use cloch_core::Secret;

    use super::*;

    #[test]
    fn a_message_opens_in_its_row_for_nodes_with_the_same_secrets() {
        let keys = Keys::new(Secret::new("a"));
        let sealed = Message { settings: Vec::new() }.seal(&keys, 7).unwrap();
        assert!(Message::open(&keys, 7, &sealed).is_some());
        assert!(Message::open(&keys, 8, &sealed).is_none(), "repeated in another row");
        assert!(Message::open(&Keys::new(Secret::new("b")), 7, &sealed).is_none(), "other secrets");
        assert!(Message::open(&keys, 7, &sealed[1..]).is_none() && Message::open(&keys, 7, &[]).is_none());
    }
}
