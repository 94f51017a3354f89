//! Records whether the running server could boot a deployed function version, in the file `boots/<name>/<number>` of the data folder for functions.
//! The deploy command is a separate process and waits for this file.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use super::versions::Versions;

const BOOTED: &str = "booted";
const FAILED: &str = "failed";

impl Versions {
    /// Whether a function version booted when the server switched to it. `None` if no server has tried to boot the version since the last
    /// call of [`Self::forget_boot`].
    #[must_use]
    pub fn booted(&self, name: &str, number: u64) -> Option<bool> {
        let outcome = fs::read_to_string(self.boot_file(name, number)).ok()?;
        Some(outcome == BOOTED)
    }

    /// Deletes the recorded boot result of a version. Call this function before the version is served. A result that is recorded later is
    /// then from the running server.
    pub fn forget_boot(&self, name: &str, number: u64) {
        let _ = fs::remove_file(self.boot_file(name, number));
    }

    /// Records whether a function version booted.
    pub(in crate::deno) fn note_boot(&self, name: &str, number: u64, booted: bool) {
        let file = self.boot_file(name, number);
        let write = || {
            let folder = file.parent().ok_or(io::ErrorKind::NotFound)?;
            fs::create_dir_all(folder)?;
            let mut draft = tempfile::NamedTempFile::new_in(folder)?;
            draft.write_all(if booted { BOOTED } else { FAILED }.as_bytes())?;
            draft.persist(&file)?;
            Ok::<_, io::Error>(())
        };
        if let Err(error) = write() {
            tracing::warn!(
                function = name,
                version = number,
                %error,
                "functions: recording the boot result of a function version failed, `cloch functions deploy` cannot report the result"
            );
        }
    }

    /// Deletes all recorded boot results of a removed function.
    pub(in crate::deno) fn forget_boots(&self, name: &str) {
        let _ = fs::remove_dir_all(self.boots().join(name));
    }

    fn boot_file(&self, name: &str, number: u64) -> PathBuf {
        self.boots().join(name).join(number.to_string())
    }

    /// Returns the folder of the recorded boot results. The folder is outside the versions folder, which is watched and copied.
    fn boots(&self) -> PathBuf {
        self.folder().with_file_name("boots")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_of_one_version_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let versions = Versions::new(folder.path());
        assert_eq!(versions.booted("a", 1), None);
        versions.note_boot("a", 1, true);
        versions.note_boot("a", 2, false);
        assert_eq!((versions.booted("a", 1), versions.booted("a", 2)), (Some(true), Some(false)));
        versions.forget_boot("a", 2);
        assert_eq!((versions.booted("a", 1), versions.booted("a", 2)), (Some(true), None));
        versions.forget_boots("a");
        assert_eq!(versions.booted("a", 1), None);
    }
}
