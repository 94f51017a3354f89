//! Compares the files of a new node with the changes that were made in the dashboard before the node existed.

use std::collections::BTreeMap;

use super::message::{InFiles, Message, UNREADABLE};
use super::rows::ChangeRow;
use crate::dashboard::node_settings::{Problem, SettingsFiles};

/// Returns a problem for each stored change whose values are not in the files of this node. If a setting was changed several times, only
/// the last change counts. The last change that cannot be decrypted is also a problem, because it cannot be compared. Changes without
/// content are not compared: they are older than 30 days. Blocks the thread, because it reads files.
pub(super) fn differences(files: &SettingsFiles, changes: &[ChangeRow]) -> Vec<Problem> {
    let config = files.live_settings.config();
    let mut last: BTreeMap<String, (i64, InFiles)> = BTreeMap::new();
    let mut unreadable = None;
    for (id, sealed) in changes {
        let Some(sealed) = sealed else { continue };
        match Message::open(&files.keys, *id, sealed) {
            Some(message) => last.extend(message.settings.into_iter().map(|sent| (sent.change.key, (*id, sent.new)))),
            None => unreadable = Some(*id),
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
    let differing = problems.into_iter().map(|(change, keys)| Problem { change, keys, reason: reason.to_owned() });
    let unread = unreadable.map(|change| Problem { change, keys: Vec::new(), reason: UNREADABLE.to_owned() });
    differing.chain(unread).collect()
}
