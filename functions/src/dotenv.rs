//! Parses `.env` files by the rules of godotenv, the library of the Supabase CLI. An unquoted value ends at the end of the line or at ` #`.
//! Quotes have a meaning only at the start of a value, and a quoted value may span lines. `A: b` and `export A=b` are accepted. `$NAME` and
//! `${NAME}` refer to variables in the same `.env` file. An invalid line is skipped.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Maximum size of a `.env` file in bytes.
const MAX_FILE_BYTES: usize = 1 << 20;
/// Maximum size in bytes of a value, and of all values of a file together. The sizes are limited because a value may refer to other
/// variables several times.
const MAX_VALUE_BYTES: usize = 1 << 20;
const MAX_BYTES: usize = 16 << 20;
/// Maximum number of reported faults in one `.env` file.
const MAX_FAULTS: usize = 100;
/// Text of the fault for a value that is too long. The rest of the file is then skipped.
const TOO_LONG: &str = "its value, or all values together, are too long; nothing behind it is read";

/// Content of a `.env` file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Dotenv {
    /// Values by variable name. If a name occurs several times, the last value counts.
    pub variables: BTreeMap<String, String>,
    /// Line numbers of the skipped lines, counted from 1, with the reasons. A reason never contains the text of its line, because the text
    /// may be a secret.
    pub faults: Vec<(usize, &'static str)>,
}

/// Reads and parses a `.env` file.
///
/// # Errors
/// Fails if the file cannot be read or is larger than 1 MiB.
pub fn read(file: &Path) -> io::Result<Dotenv> {
    cloch_core::bounded_file::read(file, MAX_FILE_BYTES).map(|bytes| parse(&bytes))
}

/// Parses the content of a `.env` file.
#[must_use]
pub fn parse(bytes: &[u8]) -> Dotenv {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut found = Dotenv::default();
    let text = decode(bytes, &mut found.faults);
    let mut rest = text.as_str();
    let (mut number, mut counted, mut made) = (1, 0, 0);
    while !rest.is_empty() {
        let line = text.len() - rest.len();
        number += text.get(counted..line).unwrap_or_default().matches('\n').count();
        counted = line;
        rest = match statement(rest, &mut found.variables, &mut made) {
            Ok(behind) => behind,
            Err(fault) => {
                found.faults.push((number, fault));
                if fault == TOO_LONG {
                    break;
                }
                rest.split_once('\n').map_or("", |(_, behind)| behind)
            }
        };
    }
    found.faults.sort_unstable();
    if found.faults.len() > MAX_FAULTS {
        found.faults.truncate(MAX_FAULTS);
        found.faults.extend(found.faults.last().map(|(line, _)| (line + 1, "and more lines behind it")));
    }
    found
}

/// Decodes the content of a `.env` file as UTF-8 with `\n` as line break. A line that is not UTF-8 becomes an empty line.
fn decode(bytes: &[u8], faults: &mut Vec<(usize, &'static str)>) -> String {
    let mut text = String::with_capacity(bytes.len());
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(&line.replace("\r\n", "\n").replace('\r', "\n")),
            Err(_) => {
                faults.push((index + 1, "it is not UTF-8"));
                text.push('\n');
            }
        }
    }
    text
}

/// Parses one variable, adds it to `variables`, and returns the text after the variable's last line.
fn statement<'a>(
    text: &'a str,
    variables: &mut BTreeMap<String, String>,
    made: &mut usize,
) -> Result<&'a str, &'static str> {
    let (line, behind) = text.split_once('\n').unwrap_or((text, ""));
    let trimmed = line.trim_start();
    if trimmed.is_empty() || trimmed.starts_with('#') {
        return Ok(behind);
    }
    let declared = match trimmed.strip_prefix("export") {
        Some(after) if after.starts_with(is_blank) => after.trim_start_matches(is_blank),
        _ => trimmed,
    };
    let (name, value) = declared.split_once(['=', ':']).ok_or("a name must be followed by =")?;
    let name = name.trim_end_matches(is_blank);
    let may_be_in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || !name.chars().all(may_be_in_name) {
        return Err("a name has letters, digits, _, . and - only");
    }
    let value = value.trim_start_matches(is_blank);
    let (value, behind) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let start = text.len() - behind.len() - usize::from(line.len() < text.len()) - value.len();
            quoted(text.get(start..).unwrap_or_default(), quote, variables)?
        }
        _ => (unquoted(value, variables)?, behind),
    };
    *made += value.len();
    if *made > MAX_BYTES {
        return Err(TOO_LONG);
    }
    if value.contains('\0') {
        return Err("a value cannot have a null byte");
    }
    variables.insert(name.to_owned(), value);
    Ok(behind)
}

fn unquoted(value: &str, variables: &BTreeMap<String, String>) -> Result<String, &'static str> {
    let mut before = None;
    let comment = value.char_indices().find(|&(_, c)| {
        let is_comment = c == '#' && before.is_some_and(is_blank);
        before = Some(c);
        is_comment
    });
    let value = comment.map_or(value, |(at, _)| value.get(..at).unwrap_or(value));
    expand(value.trim_matches(is_blank), variables)
}

/// Parses a quoted value. Returns the value, and the text after the value's last line.
fn quoted<'a>(
    text: &'a str,
    quote: char,
    variables: &BTreeMap<String, String>,
) -> Result<(String, &'a str), &'static str> {
    let inner = text.get(1..).unwrap_or_default();
    let mut escaped = false;
    let end = inner.char_indices().find(|&(_, c)| {
        let closes = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    let (end, _) = end.ok_or("its quote is never closed")?;
    let (value, tail) = inner.split_at_checked(end).unwrap_or_default();
    let tail = tail.get(1..).unwrap_or_default();
    let (rest_of_line, behind) = tail.split_once('\n').unwrap_or((tail, ""));
    let rest_of_line = rest_of_line.trim_start_matches(is_blank);
    if !rest_of_line.is_empty() && !rest_of_line.starts_with('#') {
        return Err("there is text behind the closing quote");
    }
    let value = if quote == '"' { expand(&unescape(value), variables)? } else { value.to_owned() };
    Ok((value, behind))
}

/// Replaces the escapes `\n` and `\r` by line breaks. Removes the backslash of other escapes, except before `$`.
fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some(next)) if next != '$' => {
                chars.next();
                out.push(match next {
                    'n' => '\n',
                    'r' => '\r',
                    other => other,
                });
            }
            _ => out.push(c),
        }
    }
    out
}

/// Replaces `$NAME` and `${NAME}` by the values of variables. Names consist of capital letters, digits and _. An unset variable is replaced
/// by an empty text. `\$` becomes a dollar sign.
fn expand(value: &str, variables: &BTreeMap<String, String>) -> Result<String, &'static str> {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('$') {
        let is_in_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        // godotenv also skips an opening parenthesis: `$(NAME` refers to the variable `NAME`.
        let opened = after.strip_prefix('(').unwrap_or(after);
        let opened = opened.strip_prefix('{').unwrap_or(opened);
        let length = opened.find(|c| !is_in_name(c)).unwrap_or(opened.len());
        let (name, behind) = opened.split_at_checked(length).unwrap_or_default();
        let escaped = before.strip_suffix('\\');
        out.push_str(escaped.unwrap_or(before));
        if escaped.is_some() || name.is_empty() {
            out.push('$');
            rest = after;
        } else {
            out.push_str(variables.get(name).map_or("", String::as_str));
            rest = behind.strip_prefix('}').unwrap_or(behind);
        }
        if out.len() > MAX_VALUE_BYTES {
            return Err(TOO_LONG);
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// Whether a character is white space within a line.
fn is_blank(c: char) -> bool {
    matches!(c, '\t' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{85}' | '\u{a0}')
}

#[cfg(test)]
#[path = "dotenv_tests.rs"]
mod tests;
