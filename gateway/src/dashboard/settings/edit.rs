//! Changes single values in the text of a TOML file. Comments, order and layout of all other lines stay.

use toml_edit::{Document, DocumentMut, Item, Table, TableLike, Value};

use super::entries;

/// Reason why the text cannot be changed as requested. It is the end of a sentence that begins with the key.
pub(super) type Problem = &'static str;

/// Returns the text in which the dotted key `key` has the value `value`. Adds missing sections. A list of tables becomes an array of tables
/// (`[[key]]`).
///
/// # Errors
/// If the text is not valid TOML, if the key is a section, or if a part of the path above the key is not a section.
pub(super) fn set(text: &str, key: &str, mut value: Value) -> Result<String, Problem> {
    if let Some(new) = entries::of(&value).filter(|_| entries::is_written_here(text, key)) {
        return entries::set(text, key, &new);
    }
    let mut document: DocumentMut = text.parse().map_err(|_| NO_TOML)?;
    let (sections, name) = split(key);
    let table = section(document.as_table_mut(), &sections, false).ok_or("is below a key that is no section")?;
    match table.get_mut(name) {
        None => drop(table.insert(name, Item::Value(value))),
        Some(item) => {
            let old = item.as_value().ok_or("is a section in the file")?;
            *value.decor_mut() = old.decor().clone();
            *item = Item::Value(value);
        }
    }
    Ok(document.to_string())
}

/// Returns the text without a dotted key. The comments above the key stay. If its section then has neither keys nor comments, the section's
/// header is removed too, because some sections are not valid without keys. Returns the text unchanged if it does not contain the key.
///
/// # Errors
/// If the text is not valid TOML, or if the key is part of an inline table.
pub(super) fn remove(text: &str, key: &str) -> Result<String, Problem> {
    let document = Document::parse(text).map_err(|_| NO_TOML)?;
    let (sections, name) = split(key);
    let mut table = document.as_table();
    for part in &sections {
        match table.get(part) {
            None => return Ok(text.to_owned()),
            Some(item) => table = item.as_table().ok_or("is part of an inline table")?,
        }
    }
    let Some((position, item)) = table.get_key_value(name) else { return Ok(text.to_owned()) };
    if item.is_array_of_tables() {
        return entries::remove(text, key);
    }
    if !item.is_value() {
        return Err("is a section in the file");
    }
    // The key is removed by its position in the text, because toml_edit would remove the comments above the key too. For a dotted key (`a.b =
    // 1`), the position is that of the last part.
    let (Some(start), Some(end)) = (position.span().map(|span| span.start), item.span().map(|span| span.end)) else {
        return Err("has no position in the file");
    };
    let before = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let after = text.get(end..).and_then(|after| after.find('\n')).map_or(text.len(), |at| end + at + 1);
    let kept = [text.get(..before), text.get(after..)].into_iter().flatten().collect::<String>();
    // The section of a function declares the function, even if it contains no keys.
    match sections.first() {
        Some(&"functions") => Ok(kept),
        _ => Ok(without_empty_section(kept, &sections)),
    }
}

/// Removes the header of a section that has no keys and no comment below the header.
fn without_empty_section(text: String, section: &[&str]) -> String {
    let value = get(&text, &section.join("."));
    let is_empty = value.as_ref().and_then(toml::Value::as_table).is_some_and(toml::Table::is_empty);
    if section.is_empty() || !is_empty {
        return text;
    }
    let header = format!("[{}]", section.join("."));
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.trim_end() == header {
            let rest = text.get(end..).unwrap_or_default();
            let blank: usize = rest.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
            let next = rest.get(blank..).unwrap_or_default();
            if next.starts_with('#') && blank == 0 {
                return text;
            }
            let before = text.get(..start).unwrap_or_default();
            // The blank lines before the removed section are kept only in front of the next section.
            let before = if next.is_empty() { format!("{}\n", before.trim_end()) } else { before.to_owned() };
            let before = if before.trim().is_empty() { String::new() } else { before };
            return format!("{before}{next}");
        }
        start = end;
    }
    text
}

/// Returns the value of a dotted key; `None` if the text does not contain it or is not valid TOML.
pub(super) fn get(text: &str, key: &str) -> Option<toml::Value> {
    let mut value = toml::Value::Table(text.parse().ok()?);
    for part in key.split('.') {
        value = match value {
            toml::Value::Table(mut table) => table.remove(part)?,
            _ => return None,
        };
    }
    Some(value)
}

pub(super) const NO_TOML: Problem = "cannot be changed: the file is not valid TOML";

pub(super) fn split(key: &str) -> (Vec<&str>, &str) {
    let mut parts: Vec<&str> = key.split('.').collect();
    let name = parts.pop().unwrap_or_default();
    (parts, name)
}

/// Returns the table of a section, and creates the table if it is missing. `None` if a part of the path is not a table. `is_implicit`: a new
/// table has no header of its own, because its only content is a section.
pub(super) fn section<'a>(
    table: &'a mut dyn TableLike,
    path: &[&str],
    is_implicit: bool,
) -> Option<&'a mut dyn TableLike> {
    let Some((first, rest)) = path.split_first() else { return Some(table) };
    if !table.contains_key(first) {
        let mut new = Table::new();
        // A section that contains only sections needs no header of its own.
        new.set_implicit(is_implicit || !rest.is_empty());
        table.insert(first, Item::Table(new));
    }
    section(table.get_mut(first)?.as_table_like_mut()?, rest, is_implicit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# The club.\nproject_id = \"club\"\n\n[auth]\n# Who may join.\nenable_signup = true # for now\nsms.enable_signup = false\n\
                        # Where links lead.\nsite_url = \"http://localhost:3000\"\nadditional_redirect_urls = [\n  \"a\", # first\n  \"b\",\n]\n\n\
                        [auth.email]\nsmtp = { host = \"a\", port = 25 }\n# The end.\n";

    #[test]
    fn a_new_value_leaves_all_other_lines_as_they_are() {
        let changed = set(FILE, "auth.enable_signup", false.into()).unwrap();
        assert_eq!(changed, FILE.replace("enable_signup = true # for now", "enable_signup = false # for now"));
        let changed = set(FILE, "auth.sms.enable_signup", true.into()).unwrap();
        assert_eq!(changed, FILE.replace("sms.enable_signup = false", "sms.enable_signup = true"));
        let changed = set(FILE, "auth.email.smtp.port", 587_i64.into()).unwrap();
        assert_eq!(changed, FILE.replace("port = 25", "port = 587"));
    }

    #[test]
    fn missing_keys_and_sections_are_added() {
        let changed = set(FILE, "auth.jwt_expiry", 60_i64.into()).unwrap();
        assert!(changed.contains("]\njwt_expiry = 60\n\n[auth.email]"), "{changed}");
        let changed = set(FILE, "auth.mfa.totp.enroll_enabled", true.into()).unwrap();
        assert!(changed.starts_with(FILE.trim_end_matches("# The end.\n")), "{changed}");
        assert!(changed.contains("[auth.mfa.totp]\nenroll_enabled = true\n"), "{changed}");
        assert!(!changed.contains("[auth.mfa]"), "{changed}");
        for (key, text) in
            [("limits.visitors.rows_per_hour", ""), ("auth.email.otp_length", FILE), ("auth.email.smtp.user", FILE)]
        {
            let changed = set(text, key, 6_i64.into()).unwrap();
            assert_eq!(get(&changed, key), Some(toml::Value::Integer(6)), "{changed}");
        }
    }

    #[test]
    fn a_removed_key_leaves_its_comment_and_all_other_lines() {
        let changed = remove(FILE, "auth.enable_signup").unwrap();
        assert_eq!(changed, FILE.replace("enable_signup = true # for now\n", ""));
        let changed = remove(FILE, "auth.additional_redirect_urls").unwrap();
        assert_eq!(changed, FILE.replace("additional_redirect_urls = [\n  \"a\", # first\n  \"b\",\n]\n", ""));
        let changed = remove(FILE, "auth.sms.enable_signup").unwrap();
        assert_eq!(changed, FILE.replace("sms.enable_signup = false\n", ""));
        for unchanged in ["auth.jwt_expiry", "no.section", "auth.mfa.totp.enroll_enabled"] {
            assert_eq!(remove(FILE, unchanged).unwrap(), FILE, "{unchanged}");
        }
        assert!(remove("a = 1", "a").unwrap().is_empty(), "the last line has no line break");
    }

    #[test]
    fn a_section_without_keys_and_comments_is_removed_with_its_last_key() {
        for (text, left) in [
            ("a = 1\n\n[b.c]\nkey = 1\n", "a = 1\n"),
            ("a = 1\n\n[b.c]\nkey = 1\n\n# D.\n[d]\n", "a = 1\n\n# D.\n[d]\n"),
            ("[b.c]\nkey = 1\n\n[b.c.d]\nx = 1\n", "[b.c]\n\n[b.c.d]\nx = 1\n"),
            ("[b.c]\nkey = 1\n\n# Other.\nother = 1\n", "[b.c]\n\n# Other.\nother = 1\n"),
            ("a = 1\n\n[b.c]\nkey = 1\n\n[d]\nx = 1\n", "a = 1\n\n[d]\nx = 1\n"),
            ("[b.c] # Ours.\nkey = 1\n", "[b.c] # Ours.\n"),
            ("[b.c]\n# Why.\nkey = 1\n", "[b.c]\n# Why.\n"),
            ("[b.c]\nkey = 1\nother = 1\n", "[b.c]\nother = 1\n"),
            ("[b.c]\nkey = 1\n", ""),
        ] {
            assert_eq!(remove(text, "b.c.key").unwrap(), left, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_changed_line_by_line_is_refused() {
        assert!(set(FILE, "auth.email", 1_i64.into()).is_err(), "a section");
        assert!(set(FILE, "project_id.name", 1_i64.into()).is_err(), "below a value");
        assert!(remove(FILE, "auth.email.smtp.host").is_err(), "in an inline table");
        assert!(set("[auth", "auth.jwt_expiry", 1_i64.into()).is_err());
        assert!(remove("[auth", "auth.jwt_expiry").is_err());
    }
}
