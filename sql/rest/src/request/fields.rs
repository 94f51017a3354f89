//! Parses names and JSON paths, which occur in filters, in `select` and in `order`.

use super::model::{Field, JsonKey, JsonStep};
use super::parser::{Parsed, Parser};

/// Maximum number of characters of a name in a request. PostgreSQL uses only 63 bytes of a name. The limit bounds the length of the SQL
/// statement, which may contain an alias several times for each column.
const MAX_NAME_CHARS: usize = 1_000;
const LONG_NAME: &str = "a name of more than 1,000 characters";

/// Parses a name: a quoted text, or letters, digits, `_`, `$` and spaces, with dashes between them.
pub(super) fn field_name(p: &mut Parser<'_>) -> Parsed<String> {
    let start = p.position();
    let name = p.label("field name (* or [a..z0..9_$])", |p| p.either(quoted, |p| dashed(p, identifier)))?;
    if p.position() - start > MAX_NAME_CHARS { p.too_much(LONG_NAME) } else { Ok(name) }
}

pub(super) fn identifier(p: &mut Parser<'_>) -> Parsed<String> {
    let is_sign = |c| matches!(c, '_' | ' ' | '$');
    let one = |p: &mut Parser<'_>| {
        p.either(|p| p.either(|p| p.label("letter", |p| p.satisfy(char::is_alphabetic)), digit), |p| p.satisfy(is_sign))
    };
    text1(p, |c| c.is_alphabetic() || c.is_ascii_digit() || is_sign(c), one).map(trimmed)
}

/// Parses at least one character of a character class. `accepts` returns whether a character belongs to the class. `one` parses a single
/// character of the class and records the expected characters if it does not match.
fn text1(
    p: &mut Parser<'_>,
    accepts: impl Fn(char) -> bool,
    one: impl Fn(&mut Parser<'_>) -> Parsed<char>,
) -> Parsed<String> {
    let first = one(p)?;
    let mut text = p.text(accepts, one)?;
    text.insert(0, first);
    Ok(text)
}

fn trimmed(text: String) -> String {
    if text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace) {
        return text.trim().to_owned();
    }
    text
}

fn digit(p: &mut Parser<'_>) -> Parsed<char> {
    p.label("digit", |p| p.satisfy(|c| c.is_ascii_digit()))
}

fn dashed(p: &mut Parser<'_>, part: fn(&mut Parser<'_>) -> Parsed<String>) -> Parsed<String> {
    let dash = |p: &mut Parser<'_>| p.attempt(|p| p.char('-').and_then(|_| p.not_char('>')));
    Ok(p.separated(dash, part)?.join("-"))
}

/// Parses a text in double quotes. A backslash escapes the next character.
pub(super) fn quoted(p: &mut Parser<'_>) -> Parsed<String> {
    p.char('"')?;
    let chars = p.many(|p| {
        p.either(
            |p| p.satisfy(|c| !matches!(c, '\\' | '"')),
            |p| {
                p.char('\\')?;
                p.satisfy(|_| true)
            },
        )
    })?;
    p.char('"')?;
    Ok(chars.into_iter().collect())
}

pub(super) fn delimiter(p: &mut Parser<'_>) -> Parsed<()> {
    p.label("delimiter (.)", |p| p.char('.')).map(drop)
}

/// Parses a name and its JSON path, with optional spaces before and after the field.
pub(super) fn field(p: &mut Parser<'_>) -> Parsed<Field> {
    p.lexeme(|p| Ok(Field { name: field_name(p)?, path: json_path(p)? }))
}

/// Parses a path like `embed.embed.field` and returns the names of the embeds, and the field.
pub(super) fn tree_path(p: &mut Parser<'_>) -> Parsed<(Vec<String>, Field)> {
    let mut names = p.separated(delimiter, field_name)?;
    let path = json_path(p)?;
    let name = names.pop().unwrap_or_default();
    Ok((names, Field { name, path }))
}

fn json_path(p: &mut Parser<'_>) -> Parsed<Vec<JsonStep>> {
    let step = |p: &mut Parser<'_>| {
        let as_text = p.choice(&[("->>", true), ("->", false)])?;
        let key = p.either(|p| p.attempt(json_index), |p| p.attempt(json_key))?;
        Ok(JsonStep { as_text, key })
    };
    let mut steps = Vec::new();
    // This loop replaces the combinator `many`, so that an error message lists not only the next steps of the path, but also the texts that
    // could continue the last JSON key.
    while let Some(step) = p.option(step)? {
        p.no_deeper_than(steps.len())?;
        steps.push(step);
    }
    Ok(steps)
}

fn json_index(p: &mut Parser<'_>) -> Parsed<JsonKey> {
    let sign = p.option(|p| p.char('-'))?.unwrap_or('+');
    let digits = p.many1(digit)?;
    let follows = |p: &mut Parser<'_>, text: &'static str| p.attempt(|p| p.look_ahead(|p| p.string(text)));
    p.either(
        |p| follows(p, "->"),
        |p| {
            p.either(
                |p| follows(p, "::"),
                |p| p.either(|p| follows(p, "."), |p| p.either(|p| follows(p, ","), |p| p.attempt(Parser::end))),
            )
        },
    )?;
    Ok(JsonKey::Index(std::iter::once(sign).chain(digits).collect()))
}

fn json_key(p: &mut Parser<'_>) -> Parsed<JsonKey> {
    let part = |p: &mut Parser<'_>| {
        let accepts = |c| !matches!(c, '(' | '-' | ':' | '.' | ',' | '>' | ')');
        text1(p, accepts, |p| p.satisfy(accepts)).map(trimmed)
    };
    let name =
        p.label("any non reserved character different from: .,>()", |p| p.either(quoted, |p| dashed(p, part)))?;
    Ok(JsonKey::Key(name))
}
