//! Changes an array of tables (`[[advisors.ignore]]`) in the text of a TOML file. Entries that stay keep their comments, their layout and
//! their place. Comments above a removed entry stay too.

use std::ops::Range;

use toml_edit::{Array, ArrayOfTables, Document, DocumentMut, InlineTable, Item, RawString, Table, TableLike, Value};

use super::edit::{NO_TOML, Problem, get, section, split};

/// Returns the entries if the value is a list of tables with one entry or more.
pub(super) fn of(value: &Value) -> Option<Vec<&InlineTable>> {
    value
        .as_array()?
        .iter()
        .map(Value::as_inline_table)
        .collect::<Option<Vec<_>>>()
        .filter(|entries| !entries.is_empty())
}

/// Whether the text has no value for the dotted key, or has an array of tables for it.
pub(super) fn is_written_here(text: &str, key: &str) -> bool {
    let Ok(document) = Document::parse(text) else { return false };
    item(&document, key).is_none_or(Item::is_array_of_tables)
}

/// Returns the text in which the array of tables has these entries. An existing entry is changed if it has a value in common with a new
/// entry; otherwise it is removed. Further new entries are added at the end.
///
/// # Errors
/// If the text is not valid TOML, or if a part of the path above the key is not a section.
pub(super) fn set(text: &str, key: &str, entries: &[&InlineTable]) -> Result<String, Problem> {
    let present: Vec<toml::Value> = get(text, key).and_then(|value| value.as_array().cloned()).unwrap_or_default();
    let wanted: Vec<toml::Value> = entries.iter().map(|entry| parsed(entry)).collect();
    let pairs = pairs(&present, &wanted);
    let is_kept = |index: &usize| pairs.contains(&Some(*index));
    let kept: Vec<usize> = (0..present.len()).filter(is_kept).collect();
    let mut document: DocumentMut = without(text, key, &kept)?.parse().map_err(|_| NO_TOML)?;
    let (sections, name) = split(key);
    let table = section(document.as_table_mut(), &sections, true).ok_or("is below a key that is no section")?;
    if !table.contains_key(name) {
        table.insert(name, Item::ArrayOfTables(ArrayOfTables::new()));
    }
    let tables = table.get_mut(name).and_then(Item::as_array_of_tables_mut).ok_or("is written in one line")?;
    for (entry, pair) in entries.iter().zip(&pairs) {
        let place = pair.and_then(|index| kept.iter().position(|kept| *kept == index));
        match place.and_then(|place| tables.get_mut(place)) {
            Some(table) => change(table, entry),
            None => tables.push(block(entry)),
        }
    }
    Ok(document.to_string())
}

/// Returns the text without the array of tables.
///
/// # Errors
/// If the text is not valid TOML, or if an entry has no position in the text.
pub(super) fn remove(text: &str, key: &str) -> Result<String, Problem> {
    without(text, key, &[])
}

/// Returns for each wanted entry the index of the existing entry to change: the equal entry, or the entry with most values in common.
fn pairs(present: &[toml::Value], wanted: &[toml::Value]) -> Vec<Option<usize>> {
    let mut free: Vec<usize> = (0..present.len()).collect();
    let mut pairs = vec![None; wanted.len()];
    let common =
        |index: usize, entry: &toml::Value| present.get(index).map_or(0, |known| values_in_common(known, entry));
    for is_exact in [true, false] {
        for (entry, pair) in wanted.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none()) {
            let candidates = free.iter().copied().filter(|index| match is_exact {
                true => present.get(*index) == Some(entry),
                false => common(*index, entry) > 0,
            });
            // If several candidates have the same number of common values, the first candidate in the file is used.
            *pair = candidates.rev().max_by_key(|index| common(*index, entry));
            free.retain(|index| Some(*index) != *pair);
        }
    }
    pairs
}

fn values_in_common(a: &toml::Value, b: &toml::Value) -> usize {
    let (Some(a), Some(b)) = (a.as_table(), b.as_table()) else { return 0 };
    a.iter().filter(|(name, value)| b.get(*name) == Some(*value)).count()
}

fn parsed(entry: &InlineTable) -> toml::Value {
    let table = entry.iter().map(|(name, value)| (name.to_owned(), toml_value(value)));
    toml::Value::Table(table.collect())
}

fn toml_value(value: &Value) -> toml::Value {
    let text = value.to_string();
    let table: Option<toml::Table> = format!("value = {}", text.trim()).parse().ok();
    table.and_then(|mut table| table.remove("value")).unwrap_or(toml::Value::String(text))
}

/// Returns an entry as a table with one line for each value.
fn block(entry: &InlineTable) -> Table {
    let value = |(name, value): (&str, &Value)| {
        let mut value = value.clone();
        value.decor_mut().clear();
        (name.to_owned(), value)
    };
    entry.iter().map(value).collect::<InlineTable>().into_table()
}

/// Changes the values of an entry to those of `new`.
fn change(table: &mut Table, new: &InlineTable) {
    let gone: Vec<String> =
        table.iter().map(|(name, _)| name.to_owned()).filter(|name| !new.contains_key(name)).collect();
    gone.iter().for_each(|name| drop(table.remove(name)));
    for (name, value) in new.iter() {
        let Some(old) = table.get_mut(name).and_then(Item::as_value_mut) else {
            table.insert(name, Item::Value(value.clone()));
            continue;
        };
        let is_done = match (old.as_array_mut(), value.as_array()) {
            (Some(old), Some(new)) => change_array(old, new),
            _ => toml_value(old) == toml_value(value),
        };
        if !is_done {
            let mut value = value.clone();
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
    }
}

/// Removes texts from a list or adds texts at its end, so that the other lines of the list and all comments stay. Returns false, and changes
/// nothing, if this does not make the list equal to `new`.
fn change_array(old: &mut Array, new: &Array) -> bool {
    let texts = |array: &Array| array.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
    let (Some(before), Some(wanted)) = (texts(old), texts(new)) else { return false };
    let added: Vec<&String> = wanted.iter().filter(|text| !before.contains(text)).collect();
    let is_in_order = before.iter().filter(|text| wanted.contains(text)).chain(added.iter().copied()).eq(&wanted);
    if !is_in_order {
        return false;
    }
    let mut changed = old.clone();
    changed.clear();
    let line_break = old.get(0).map(|item| split_comments(raw(item.decor().prefix())).1).unwrap_or_default();
    // A comment after an item is in the text before the next item or before the closing bracket.
    let mut comments = String::new();
    for (item, text) in old.iter().zip(&before) {
        let space = raw(item.decor().prefix());
        if wanted.contains(text) {
            let is_in_line = changed.is_empty() && !space.contains('\n');
            let space = if is_in_line { line_break } else { space };
            let mut item = item.clone();
            item.decor_mut().set_prefix(after_comments(&mut comments, space));
            changed.push_formatted(item);
        } else {
            comments.push_str(split_comments(space).0);
        }
    }
    let mut end = raw(Some(old.trailing())).to_owned();
    for text in added {
        let (last_comments, rest) = split_comments(&end);
        comments.push_str(last_comments);
        end = rest.to_owned();
        let space = if line_break.is_empty() && !changed.is_empty() { " " } else { line_break };
        let mut item = Value::from(text.as_str());
        item.decor_mut().set_prefix(after_comments(&mut comments, space));
        changed.push_formatted(item);
    }
    changed.set_trailing(after_comments(&mut comments, &end));
    *old = changed;
    true
}

fn raw(text: Option<&RawString>) -> &str {
    text.and_then(RawString::as_str).unwrap_or_default()
}

/// Splits the space between two items into the comments and the last line break with the spaces after it.
fn split_comments(space: &str) -> (&str, &str) {
    let (comments, rest) = space.rfind('\n').and_then(|at| space.split_at_checked(at)).unwrap_or(("", space));
    if comments.contains('#') { (comments, rest) } else { ("", rest) }
}

/// Returns the space with the comments before it, which end with a line break. Empties `comments`.
fn after_comments(comments: &mut String, space: &str) -> String {
    let mut text = std::mem::take(comments);
    if !text.is_empty() && !space.contains('\n') {
        text.push('\n');
    }
    text + space
}

/// Removes all entries whose index is not in `kept`.
fn without(text: &str, key: &str, kept: &[usize]) -> Result<String, Problem> {
    let document = Document::parse(text).map_err(|_| NO_TOML)?;
    let Some(tables) = item(&document, key).and_then(Item::as_array_of_tables) else { return Ok(text.to_owned()) };
    let mut text = text.to_owned();
    let gone: Vec<(usize, &Table)> = tables.iter().enumerate().filter(|(index, _)| !kept.contains(index)).collect();
    // The last entry is removed first, so that the positions of the others stay valid.
    for (_, table) in gone.into_iter().rev() {
        let lines = lines(&text, table).ok_or("has no position in the file")?;
        text.replace_range(lines, "");
    }
    Ok(text)
}

/// Returns the position of an entry's lines, from its header to its last value. An empty line above the entry belongs to the entry if the
/// entry is followed by another empty line or by the end of the file.
fn lines(text: &str, table: &Table) -> Option<Range<usize>> {
    let header = table.span()?;
    let end = table.iter().filter_map(|(_, item)| item.span()).map(|span| span.end).chain([header.end]).max()?;
    let start = text.get(..header.start)?.rfind('\n').map_or(0, |at| at + 1);
    let rest = text.get(end..)?;
    let end = rest.find('\n').map_or(text.len(), |at| end + at + 1);
    let follows = text.get(end..)?;
    let is_empty_above = text.get(..start)?.ends_with("\n\n") || text.get(..start)? == "\n";
    let is_empty_below = follows.is_empty() || follows.starts_with('\n');
    Some(if is_empty_above && is_empty_below { start - 1 } else { start }..end)
}

fn item<'a>(document: &'a Document<&str>, key: &str) -> Option<&'a Item> {
    let (sections, name) = split(key);
    let mut table: &dyn TableLike = document.as_table();
    for part in sections {
        table = table.get(part)?.as_table_like()?;
    }
    table.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "advisors.ignore";
    const FILE: &str = "# Ours.\n[server] # the server\nbody_limit = \"1MB\"\n\n# Decided in May.\n[[advisors.ignore]]\nlint = \"a\" # first\n\
                        on = [\n  \"public.x\", # x\n  \"public.y\",\n]\nreason = \"Small.\"\n\n[[advisors.ignore]]\nlint = \"b\"\n\
                        reason = \"Known.\"\n\n[dashboard]\nenabled = true\n";

    fn changed(text: &str, entries: &str) -> String {
        let value: Value = entries.parse().unwrap();
        let changed = set(text, KEY, &of(&value).unwrap()).unwrap();
        let wanted: toml::Table = format!("v = {entries}").parse().unwrap();
        assert_eq!(get(&changed, KEY).as_ref(), wanted.get("v"), "{changed}");
        changed
    }

    #[test]
    fn entries_that_stay_keep_their_comments() {
        const B: &str = "{ lint = \"b\", reason = \"Known.\" }";
        let both = format!("[{{ lint = \"a\", on = [\"public.x\", \"public.y\"], reason = \"Small.\" }}, {B}]");
        assert_eq!(changed(FILE, &both), FILE);
        let reason = changed(FILE, &both.replace("Small.", "It is a \\\"log\\\"."));
        assert_eq!(reason, FILE.replace("\"Small.\"", "\"It is a \\\"log\\\".\""));
        let objects = |written: &str| changed(FILE, &both.replace("\"public.x\", \"public.y\"", written));
        let of = |lines: &str| FILE.replace("\n  \"public.x\", # x\n  \"public.y\",\n", lines);
        assert_eq!(objects("\"public.x\""), of("\n  \"public.x\", # x\n"));
        assert_eq!(objects("\"public.y\""), of(" # x\n  \"public.y\",\n"));
        let added = objects("\"public.x\", \"public.y\", \"public.z\"");
        assert_eq!(added, of("\n  \"public.x\", # x\n  \"public.y\",\n  \"public.z\",\n"));
        let in_one_line = changed("[[advisors.ignore]]\non = [\"a\", \"b\"]\n", "[{ on = [\"b\", \"c\"] }]");
        assert_eq!(in_one_line, "[[advisors.ignore]]\non = [\"b\", \"c\"]\n");
        let added = changed(FILE, &both.replace(B, &format!("{B}, {{ lint = \"c\", reason = \"New.\" }}")));
        assert!(added.contains("\n\n[[advisors.ignore]]\nlint = \"c\"\nreason = \"New.\"\n"), "{added}");
        assert!(added.starts_with(FILE.trim_end_matches("\n[dashboard]\nenabled = true\n")), "{added}");
        assert!(changed("", &both).starts_with("[[advisors.ignore]]\nlint = \"a\"\n"));
    }

    #[test]
    fn a_removed_entry_leaves_all_other_lines() {
        let first = "lint = \"a\" # first\non = [\n  \"public.x\", # x\n  \"public.y\",\n]\nreason = \"Small.\"\n";
        let left = changed(FILE, "[{ lint = \"b\", reason = \"Known.\" }]");
        assert_eq!(left, FILE.replace(&format!("[[advisors.ignore]]\n{first}"), ""));
        let left = changed(FILE, "[{ lint = \"a\", on = [\"public.x\", \"public.y\"], reason = \"Small.\" }]");
        assert_eq!(left, FILE.replace("[[advisors.ignore]]\nlint = \"b\"\nreason = \"Known.\"\n\n", ""));
        let none = remove(FILE, KEY).unwrap();
        assert!(none.contains("# Decided in May.\n\n[dashboard]") && !none.contains("advisors"), "{none}");
        let before = "[server]\nhost = \"::1\"\n";
        assert_eq!(remove(&changed(before, "[{ lint = \"a\", reason = \"Why.\" }]"), KEY).unwrap(), before);
        assert_eq!(remove(before, KEY).unwrap(), before);
    }

    #[test]
    fn only_an_array_of_tables_is_changed_here() {
        for text in ["", FILE, "[advisors]\n"] {
            assert!(is_written_here(text, KEY), "{text}");
        }
        for text in ["[advisors]\nignore = []", "advisors = { ignore = [] }", "[advisors"] {
            assert!(!is_written_here(text, KEY), "{text}");
        }
        for value in ["[]", "[\"a\"]", "[{ a = 1 }, 2]", "1"] {
            assert!(of(&value.parse().unwrap()).is_none(), "{value}");
        }
    }
}
