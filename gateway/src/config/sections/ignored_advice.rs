//! Reads `[[advisors.ignore]]` of cloch.toml while the server runs, so that changes apply without a restart.

use std::path::Path;

use cloch_sql::advisors::Ignore;
use serde::Deserialize;

use super::cloch_toml::Advisors;
use crate::config::{ConfigError, TomlFile};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Decisions {
    advisors: Advisors,
}

/// Returns the advisor findings that the cloch.toml in the folder `project` ignores.
///
/// # Errors
/// When cloch.toml cannot be read, is not valid TOML, or contains an entry with which the server would refuse to start.
pub(crate) fn ignored_advice(project: &Path) -> Result<Vec<Ignore>, ConfigError> {
    // The entries contain no secrets, so `env()` is not resolved.
    let source = TomlFile::read(&project.join("cloch.toml"), |_| None)?;
    let (Decisions { advisors }, _) = source.typed()?;
    match advisors.ignore.iter().find_map(Ignore::error) {
        Some(error) => Err(source.refuse("advisors.ignore", &error)),
        None => Ok(advisors.ignore),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_counts_as_it_is_now() {
        let folder = tempfile::tempdir().unwrap();
        assert!(ignored_advice(folder.path()).unwrap().is_empty(), "there is no file");
        let write = |text: &str| std::fs::write(folder.path().join("cloch.toml"), text).unwrap();
        for refused in [
            "[advisors",
            "[advisors]\nignore = 1",
            "[[advisors.ignore]]\nlint = \"table_bloat\"",
            "[[advisors.ignore]]\nlint = \"no_such_rule\"\nreason = \"Why.\"",
        ] {
            write(refused);
            assert!(ignored_advice(folder.path()).is_err(), "{refused}");
        }
        write("[server]\nhost = \"::1\"\n[[advisors.ignore]]\nlint = \"table_bloat\"\nreason = \"Small.\"\n");
        assert_eq!(ignored_advice(folder.path()).unwrap().len(), 1);
        write("");
        assert!(ignored_advice(folder.path()).unwrap().is_empty(), "it was taken back");
    }
}
