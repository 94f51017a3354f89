//! Compares the files of a new node with the changes that were made in the dashboard before the node existed.

use std::collections::BTreeMap;

use super::message::{InFiles, Message};
use super::rows::ChangeRow;
use crate::dashboard::node_settings::{Problem, SettingsFiles};

/// Returns a problem for each stored change whose values are not in the files of this node. Of several changes of a setting, only the last one
/// counts. Blocks the thread, because it reads files.
pub(super) fn differences(files: &SettingsFiles, changes: &[ChangeRow]) -> Vec<Problem> {
    let config = files.live_settings.config();
    let mut last: BTreeMap<String, (i64, InFiles)> = BTreeMap::new();
    for (id, sealed) in changes {
        let message = sealed.as_deref().and_then(|sealed| Message::open(&files.keys, *id, sealed));
        for sent in message.into_iter().flat_map(|message| message.settings) {
            last.insert(sent.change.key, (*id, sent.new));
        }
    }
    let mut problems: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for (key, (id, new)) in last {
        if InFiles::read(files, &config, &key).ok().as_ref() != Some(&new) {
            problems.entry(id).or_default().push(key);
        }
    }
    let reason = "This node is new, and its files do not have the values of the last change in the dashboard. Copy the project's files from \
                  another node";
    problems.into_iter().map(|(change, keys)| Problem { change, keys, reason: reason.to_owned() }).collect()
}
