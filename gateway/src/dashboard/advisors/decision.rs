//! Adds an `[[advisors.ignore]]` entry to cloch.toml. The rest of the file stays unchanged, including comments.

use std::path::Path;

use cloch_sql::advisors::Ignore;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use crate::dashboard::ApiError;
use crate::project::files;

const FILE: &str = "cloch.toml";

/// Writes an ignored advisor finding to the project's cloch.toml. Creates the file if it does not exist.
///
/// # Errors
/// If cloch.toml is not a regular file, is not valid TOML, has an inline `advisors` table or array, or cannot be written.
pub(super) fn write(project: &Path, ignore: &Ignore) -> Result<(), ApiError> {
    let path = project.join(FILE);
    let text = match files::read(&path)? {
        Some(text) => text,
        None if path.symlink_metadata().is_ok() => return Err(by_hand("cloch.toml is no regular file")),
        None => String::new(),
    };
    let changed = added(&text, ignore)?;
    files::write(project, FILE, &changed)?;
    Ok(())
}

/// Returns the text of cloch.toml with the ignored finding `ignore`. Extends the entry with the same rule and reason if there is one,
/// otherwise adds an entry at the end.
fn added(text: &str, ignore: &Ignore) -> Result<String, ApiError> {
    let mut document: DocumentMut = text.parse().map_err(|_| by_hand("cloch.toml is no TOML any more"))?;
    let advisors = document.entry("advisors").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let advisors = advisors.as_table_mut().ok_or_else(|| by_hand("[advisors] of cloch.toml is written in one line"))?;
    let entries = advisors.entry("ignore").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let entries = entries
        .as_array_of_tables_mut()
        .ok_or_else(|| by_hand("advisors.ignore of cloch.toml is written in one line"))?;
    let text_of = |entry: &Table, key: &str| entry.get(key).and_then(Item::as_str).map(str::to_owned);
    let same = entries.iter_mut().find(|entry| {
        text_of(entry, "lint").as_deref() == Some(ignore.lint.as_str())
            && text_of(entry, "reason").as_deref() == Some(ignore.reason.as_str())
    });
    // An entry without an `on` list already applies to every object and stays unchanged.
    match same.and_then(|entry| entry.get_mut("on")?.as_array_mut()) {
        Some(on) => on.extend(ignore.on.iter().map(String::as_str)),
        None => {
            let mut entry = Table::new();
            entry.insert("lint", value(ignore.lint.as_str()));
            entry.insert("on", value(ignore.on.iter().map(String::as_str).collect::<Array>()));
            entry.insert("reason", value(ignore.reason.as_str()));
            entries.push(entry);
        }
    }
    Ok(document.to_string())
}

fn by_hand(problem: &'static str) -> ApiError {
    ApiError::conflict(problem).with_hint("Add the entry of [[advisors.ignore]] by hand")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignore(on: &str, reason: &str) -> Ignore {
        Ignore { lint: "no_primary_key".to_owned(), on: vec![on.to_owned()], reason: reason.to_owned() }
    }

    #[test]
    fn what_is_in_the_file_stays() {
        let before = "# Ours.\n[server] # the server\nbody_limit = \"1MB\"\n\n[[advisors.ignore]]\nlint = \"table_bloat\"\nreason = \"Small.\"\n";
        let once = added(before, &ignore("public.a", "It is \"a\" log.\nNo more.")).unwrap();
        assert!(once.starts_with(before), "{once}");
        let twice = added(&once, &ignore("public.b", "It is \"a\" log.\nNo more.")).unwrap();
        let read: toml::Table = twice.parse().unwrap();
        let entries = read["advisors"]["ignore"].as_array().unwrap();
        assert_eq!(entries.len(), 2, "{twice}");
        assert_eq!(entries[1]["on"].as_array().unwrap().len(), 2);
        assert_eq!(entries[1]["reason"].as_str(), Some("It is \"a\" log.\nNo more."));
    }

    #[test]
    fn what_cannot_be_added_to_is_refused() {
        for text in ["advisors = { ignore = [] }", "[advisors]\nignore = []", "[advisors"] {
            assert!(added(text, &ignore("public.a", "Why.")).is_err(), "{text}");
        }
        assert!(added("", &ignore("public.a", "Why.")).unwrap().starts_with("[[advisors.ignore]]\n"));
    }

    #[test]
    fn a_link_is_not_written_through_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("elsewhere"), "").unwrap();
        std::os::unix::fs::symlink("elsewhere", folder.path().join("cloch.toml")).unwrap();
        assert!(write(folder.path(), &ignore("public.a", "Why.")).is_err());
        assert_eq!(std::fs::read_to_string(folder.path().join("elsewhere")).unwrap(), "");
        std::fs::remove_file(folder.path().join("cloch.toml")).unwrap();
        write(folder.path(), &ignore("public.a", "Why.")).unwrap();
        assert!(std::fs::read_to_string(folder.path().join("cloch.toml")).unwrap().contains("Why."));
    }
}
