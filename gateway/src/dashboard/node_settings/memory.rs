//! State of a node, stored in its data folder: its id, the id of the last settings change that it has processed, and the changes that it
//! could not apply.

use std::path::Path;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::project::{ProjectError, files};

/// Name of the file in the data folder. Each node needs its own file, so the file must not be copied to another node.
const FILE: &str = "settings-node.toml";

#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(in crate::dashboard) struct Memory {
    /// Random id of this node.
    pub(in crate::dashboard) node: Uuid,
    /// Id of the last change that this node has applied, refused or made.
    pub(in crate::dashboard) position: i64,
    /// Changes that this node could not apply, and whose values are still not in its files.
    #[serde(default)]
    pub(in crate::dashboard) problems: Vec<Problem>,
}

/// A change that this node could not apply.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(in crate::dashboard) struct Problem {
    /// Id of the row in `cloch.settings_changes`.
    pub(in crate::dashboard) change: i64,
    /// Keys of the settings; empty if the change could not be read.
    pub(in crate::dashboard) keys: Vec<String>,
    pub(in crate::dashboard) reason: String,
}

impl Memory {
    /// Reads the file. Returns `None` if the file does not exist or is damaged. The caller then treats the node as a new node.
    pub(in crate::dashboard) fn load(data: &Path) -> Result<Option<Self>, ProjectError> {
        let Some(text) = files::read(&data.join(FILE))? else { return Ok(None) };
        let memory = toml::from_str(&text).ok();
        if memory.is_none() {
            tracing::warn!(
                file = FILE,
                "settings: a file of the data folder is damaged, this node is treated as a new node"
            );
        }
        Ok(memory)
    }

    /// Writes the file. If writing fails, the file keeps the old position, and the node reads the later changes again at its next start.
    pub(in crate::dashboard) fn save(&self, data: &Path) {
        let written = toml::to_string(self).map(|text| files::replace(data, FILE, &text, 0o600));
        if !matches!(written, Ok(Ok(_))) {
            tracing::warn!(
                file = FILE,
                "settings: writing a file of the data folder failed, retrying with the next change"
            );
        }
    }

    /// Removes the settings `keys` from the earlier changes that could not be applied. Called after a later change of these settings was
    /// written to this node's files.
    pub(in crate::dashboard) fn supersede(&mut self, keys: &[String]) {
        self.problems.retain_mut(|problem| {
            let was_unread = problem.keys.is_empty();
            problem.keys.retain(|key| !keys.contains(key));
            was_unread || !problem.keys.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_change_of_the_same_key_ends_a_problem() {
        let problem = |keys: &[&str]| Problem {
            change: 1,
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            reason: String::new(),
        };
        let mut memory = Memory {
            node: Uuid::new_v4(),
            position: 1,
            problems: vec![problem(&["a", "b"]), problem(&["a"]), problem(&[])],
        };
        memory.supersede(&["a".to_owned()]);
        assert_eq!(memory.problems, [problem(&["b"]), problem(&[])]);

        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Memory::load(folder.path()).unwrap(), None);
        memory.save(folder.path());
        assert_eq!(Memory::load(folder.path()).unwrap(), Some(memory));
    }
}
