//! The file `keys-in-use.toml` of the data folder: the keys that the running server accepts. The server may have received keys in its
//! environment or by a flag, so that a command in another terminal cannot read them from the configuration. The file has mode 0600, like
//! secrets.toml, and exists while the server runs ([`crate::data_dir_lock`] deletes it).

use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use cloch_core::Secret;
use serde::{Deserialize, Serialize};

use super::{KeyOverrides, Secrets};
use crate::data_dir_lock::{DataDirLock, KEYS_IN_USE};

/// Content of the file.
#[derive(Serialize, Deserialize)]
struct KeysInUse {
    /// ID of the server's process. The file is ignored if another process wrote it, because a killed server does not delete its file.
    process: u32,
    jwt_secret: String,
    anon_key: String,
    service_role_key: String,
    publishable_key: String,
    secret_key: String,
    /// Whether the server was started with `--cli-keys`.
    are_the_clis: bool,
}

impl Secrets {
    /// Writes the keys of this server to the data folder, for the commands that print or use them. The caller has locked the folder.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn note_in_use(&self, data: &Path, are_the_clis: bool) -> io::Result<()> {
        let keys = KeysInUse {
            process: std::process::id(),
            jwt_secret: self.jwt_secret.clone(),
            anon_key: self.anon_key.clone(),
            service_role_key: self.service_role_key.clone(),
            publishable_key: self.publishable_key.clone(),
            secret_key: self.secret_key.clone(),
            are_the_clis,
        };
        let text = toml::to_string(&keys).map_err(io::Error::other)?;
        // The complete content is renamed into place, so that no command reads a partial file.
        let (file, draft) = (data.join(KEYS_IN_USE), data.join(format!("{KEYS_IN_USE}.new")));
        let _ = std::fs::remove_file(&draft);
        let mut out = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        let text = format!("# The keys of the running server. Deleted when it stops.\n{text}");
        out.write_all(text.as_bytes()).and_then(|()| std::fs::rename(&draft, &file)).inspect_err(|_| {
            let _ = std::fs::remove_file(&draft);
        })
    }
}

impl KeyOverrides {
    /// Returns the keys of the server that has locked the data folder. `None` if no server runs, if the file cannot be read, or if an
    /// earlier version of Cloch runs, which writes no such file.
    pub(in crate::config) fn in_use(data: &Path) -> Option<Self> {
        let holder = DataDirLock::holder(data)?;
        let keys: KeysInUse = toml::from_str(&std::fs::read_to_string(data.join(KEYS_IN_USE)).ok()?).ok()?;
        if keys.process.to_string() != holder {
            return None;
        }
        let key = |text: String| Some(Secret::new(text));
        Some(Self {
            jwt_secret: key(keys.jwt_secret),
            anon_key: key(keys.anon_key),
            service_role_key: key(keys.service_role_key),
            publishable_key: key(keys.publishable_key),
            secret_key: key(keys.secret_key),
            are_the_clis: keys.are_the_clis,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_keys_are_those_of_the_process_that_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (data, file) = (folder.path().join("data"), folder.path().join("data").join(KEYS_IN_USE));
        let secrets = Secrets::generate().unwrap();
        let found = || KeyOverrides::in_use(&data).map(|keys| keys.jwt_secret.unwrap().expose().to_owned());
        let lock = DataDirLock::acquire(&data).unwrap();
        assert_eq!(found(), None, "a command that has locked the folder notes no keys");
        secrets.note_in_use(&data, false).unwrap();
        assert_eq!(found().as_ref(), Some(&secrets.jwt_secret));
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let noted = std::fs::read_to_string(&file).unwrap();
        drop(lock);
        assert!(!file.exists(), "the file is deleted with the lock");

        // A killed server leaves the file.
        std::fs::write(&file, &noted).unwrap();
        assert_eq!(found(), None, "no server runs");
        let lock = DataDirLock::acquire(&data).unwrap();
        assert!(!file.exists(), "the next process deletes the keys of a killed server");
        let of_another = noted.replace(&format!("process = {}", std::process::id()), "process = 1");
        assert_ne!(of_another, noted);
        std::fs::write(&file, of_another).unwrap();
        assert_eq!(found(), None, "the keys of another process");
        drop(lock);
    }
}
