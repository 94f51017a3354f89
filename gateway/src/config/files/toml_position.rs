//! Finds keys in the text of a TOML file, for messages: the line of a key, a key that is written twice, a number outside of TOML's range.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Returns the line number, from 1, of a byte offset.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or(text).matches('\n').count() + 1
}

/// Returns the line number of a dotted key in a text. If the text lacks the key, returns the line number of the innermost table of the
/// key's path that exists, or `None` if there is none. A part of the key may contain the index of an array's element:
/// `auth.issuers[1].issuer`.
pub(super) fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let (table, _) = DeTable::parse_recoverable(text);
    let mut position = None;
    let mut current = table.get_ref();
    for part in key.split('.') {
        let (part, index) = match part.split_once('[') {
            Some((part, index)) => (part, index.trim_end_matches(']').parse::<usize>().ok()),
            None => (part, None),
        };
        let Some((name, value)) = current.iter().find(|(name, _)| name.get_ref() == part) else { break };
        position = Some(name.span().start);
        match (value.get_ref(), index) {
            (DeValue::Table(inner), _) => current = inner,
            (DeValue::Array(list), Some(index)) => match list.get(index).map(Spanned::get_ref) {
                Some(DeValue::Table(inner)) => current = inner,
                _ => break,
            },
            _ => break,
        }
    }
    position.map(|start| line_of(text, start))
}

/// Returns the error message for a key or section that is written twice. It contains the name of the key or section, which the message of
/// the TOML parser lacks.
pub(super) fn duplicate_key(text: &str, error: &toml::de::Error) -> Option<String> {
    let span = error.span().filter(|_| error.message() == "duplicate key")?;
    let name = text.get(span.clone())?;
    let own_line = text.lines().nth(line_of(text, span.start) - 1)?;
    let (kind, key, first) = match header(own_line) {
        Some(section) => {
            let first = text.lines().position(|line| header(line).as_ref() == Some(&section)).map(|index| index + 1);
            ("section", section, first)
        }
        None => {
            let key = key_at(text, span.start, name);
            let first = line_of_key(text, &key);
            ("key", key, first)
        }
    };
    let first = first.map_or_else(String::new, |line| format!(", first in line {line}"));
    Some(format!("the {kind} {key} is written twice{first}: keep one of the two"))
}

/// Returns the error message for a whole number that TOML cannot represent. It contains the key; the message of the TOML parser contains
/// names of Rust types instead.
pub(super) fn too_large(text: &str, error: &toml::de::Error) -> Option<String> {
    let (number, _) = error.message().strip_prefix("invalid type: integer `")?.split_once("` as i128")?;
    let start = error.span()?.start;
    let (name, _) = text.lines().nth(line_of(text, start) - 1)?.split_once('=')?;
    let key = key_at(text, start, name.trim());
    Some(format!("{key}: the number {number} is outside of the range {} to {}", i64::MIN, i64::MAX))
}

/// Returns the dotted key for the name `name` at a byte offset: the section that contains this offset, a dot, and the name.
fn key_at(text: &str, offset: usize, name: &str) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let section = before.lines().rev().find_map(header);
    section.map_or_else(|| name.to_owned(), |section| format!("{section}.{name}"))
}

/// Returns the name of the section that a line begins; `None` if the line is no header.
fn header(line: &str) -> Option<String> {
    let (names, _) = line.trim().strip_prefix('[')?.split_once(']')?;
    Some(names.trim_matches(['[', ' ']).to_owned())
}
