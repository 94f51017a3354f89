//! Splits SQL text into statements at the same positions as PostgreSQL: at semicolons outside of strings, comments, parentheses and the
//! bodies of SQL-standard functions (`begin atomic … end`). A text that cannot be split with certainty is refused before any statement is
//! executed.

mod lines;

use std::ops::Range;

pub use super::scan::Backslashes;
use super::scan::{Fault, Kind, Scanner, Token};
pub use lines::{Lines, Read};

/// Reason why an SQL text cannot be split into statements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SplitError {
    /// Line of the problem, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Byte offset of the problem in the text.
    pub offset: usize,
    /// Description of the problem.
    pub message: &'static str,
}

impl SplitError {
    fn new(text: &str, fault: &Fault) -> Self {
        let before = text.get(..fault.at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            offset: fault.at,
            message: fault.message,
        }
    }
}

/// Returns the byte ranges of the statements in an SQL text, without their semicolons and without leading white space and comments.
///
/// # Errors
/// Fails with the position of an unclosed string, comment or parenthesis, of a psql command, or of a `COPY … FROM stdin` with rows.
pub fn statements(text: &str) -> Result<Vec<Range<usize>>, SplitError> {
    statements_with(text, Backslashes::Plain)
}

/// Returns the byte ranges of the statements in an SQL text. `backslashes` is the meaning of backslashes in strings in the session
/// (`standard_conforming_strings`).
///
/// # Errors
/// See [`statements`].
pub fn statements_with(text: &str, backslashes: Backslashes) -> Result<Vec<Range<usize>>, SplitError> {
    Splitter::new(text, backslashes).run().map_err(|fault| SplitError::new(text, &fault))
}

const PSQL_COMMAND: &str = "a backslash begins a command of psql, which is not SQL: take it out of the file";
const COPY_ROWS: &str = "COPY … FROM stdin takes its rows from the file as psql reads it, which a migration or seed cannot: write \
                         INSERT statements (pg_dump --inserts), or move the data in with `cloch import`";
const UNCLOSED: &str = "a parenthesis is opened here and never closed";
const UNCLOSED_BODY: &str = "a body is opened here with `begin atomic` and never closed with `end`";

#[derive(Debug, Default)]
struct Statement {
    start: Option<usize>,
    end: usize,
    /// First words of the statement in lower case; tokens other than words are empty strings.
    head: Vec<String>,
    /// Last token of the statement in lower case if it is a word or a semicolon, otherwise empty.
    previous: String,
    /// Byte offsets of the open parentheses.
    parentheses: Vec<usize>,
    /// Byte offset of an open `begin atomic`.
    body: Option<usize>,
    /// Whether the statement is a `copy` with `from stdin` outside of parentheses.
    takes_rows: bool,
}

/// Number of words at the beginning of a statement that are examined. The longest examined beginning is `set session
/// standard_conforming_strings to default`.
const HEAD_WORDS: usize = 6;

struct Found {
    range: Range<usize>,
    /// Whether the statement is a `COPY … FROM stdin`, so that rows follow it in the text.
    takes_rows: bool,
}

struct Splitter<'a> {
    text: &'a str,
    scanner: Scanner<'a>,
    initial: Backslashes,
    current: Statement,
}

impl<'a> Splitter<'a> {
    fn new(text: &'a str, backslashes: Backslashes) -> Self {
        let scanner = Scanner::new(text, backslashes);
        Self { text, scanner, initial: backslashes, current: Statement::default() }
    }

    fn run(mut self) -> Result<Vec<Range<usize>>, Fault> {
        let mut found = Vec::new();
        while let Some(statement) = self.next()? {
            found.push(without_rows(statement)?);
        }
        if let Some(statement) = self.last()? {
            found.push(without_rows(statement)?);
        }
        Ok(found)
    }

    /// Returns the next statement that ends with a semicolon; `None` if there is no further semicolon.
    fn next(&mut self) -> Result<Option<Found>, Fault> {
        while let Some(token) = self.scanner.token()? {
            match token.kind {
                Kind::Symbol(b'\\') if !self.skip_restrict(&token) => {
                    return Err(Fault { at: token.range.start, message: PSQL_COMMAND });
                }
                Kind::Symbol(b'\\') => {}
                Kind::Symbol(b';') if self.current.parentheses.is_empty() && self.current.body.is_none() => {
                    if let Some(found) = self.finish() {
                        return Ok(Some(found));
                    }
                }
                _ => self.read(&token),
            }
        }
        Ok(None)
    }

    /// Returns the last statement, which ends at the end of the text.
    fn last(&mut self) -> Result<Option<Found>, Fault> {
        if let Some(&at) = self.current.parentheses.first() {
            return Err(Fault { at, message: UNCLOSED });
        }
        match self.current.body {
            Some(at) => Err(Fault { at, message: UNCLOSED_BODY }),
            None => Ok(self.finish()),
        }
    }

    /// Skips a line with `\restrict KEY` or `\unrestrict KEY`, which pg_dump writes since August 2025. The two commands have no meaning
    /// outside of psql.
    fn skip_restrict(&mut self, token: &Token) -> bool {
        let at = token.range.start;
        let starts_line = self.text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
        let line = self.text.get(at..).and_then(|rest| rest.split(['\n', '\r']).next()).unwrap_or_default();
        let is_fence = line.split_whitespace().next().is_some_and(|word| matches!(word, "\\restrict" | "\\unrestrict"));
        if is_fence && starts_line && self.current.start.is_none() {
            self.scanner.position = at + line.len();
            return true;
        }
        false
    }

    fn read(&mut self, token: &Token) {
        let statement = &mut self.current;
        statement.start.get_or_insert(token.range.start);
        statement.end = token.range.end;
        let word = match token.kind {
            Kind::Word => self.text.get(token.range.clone()).unwrap_or_default().to_ascii_lowercase(),
            Kind::Symbol(b';') => ";".to_owned(),
            Kind::Symbol(_) | Kind::Value => String::new(),
        };
        if statement.head.len() < HEAD_WORDS {
            let shown = match token.kind {
                Kind::Value | Kind::Symbol(b'=') => self.text.get(token.range.clone()).unwrap_or_default().to_owned(),
                Kind::Word | Kind::Symbol(_) => word.clone(),
            };
            statement.head.push(shown);
        }
        match token.kind {
            Kind::Symbol(b'(') => statement.parentheses.push(token.range.start),
            Kind::Symbol(b')') => _ = statement.parentheses.pop(),
            Kind::Word if statement.parentheses.is_empty() => statement.read_word(&word, token.range.start),
            Kind::Word | Kind::Symbol(_) | Kind::Value => {}
        }
        statement.previous = word;
    }

    fn finish(&mut self) -> Option<Found> {
        let statement = std::mem::take(&mut self.current);
        let range = statement.start?..statement.end;
        let text = self.text.get(range.clone()).unwrap_or_default();
        self.scanner.backslashes = backslashes_after(self.scanner.backslashes, self.initial, &statement.head, text);
        Some(Found { range, takes_rows: statement.takes_rows })
    }
}

fn without_rows(found: Found) -> Result<Range<usize>, Fault> {
    match found.takes_rows {
        true => Err(Fault { at: found.range.start, message: COPY_ROWS }),
        false => Ok(found.range),
    }
}

impl Statement {
    /// Adjusts the stored offsets after `bytes` bytes were removed from the beginning of the text.
    fn shift(&mut self, bytes: usize) {
        let places = self.start.iter_mut().chain([&mut self.end]).chain(&mut self.parentheses).chain(&mut self.body);
        for place in places {
            *place = place.saturating_sub(bytes);
        }
    }

    /// Processes a word of the statement outside of parentheses.
    fn read_word(&mut self, word: &str, at: usize) {
        match word {
            "atomic" if self.body.is_none() && self.previous == "begin" && self.creates_routine() => {
                self.body = Some(at)
            }
            // The `end` of a function body follows a complete statement. Elsewhere in a function body, `end` closes a CASE or is a column
            // name.
            "end" if self.body.is_some() && matches!(self.previous.as_str(), ";" | "atomic") => self.body = None,
            "stdin" if self.previous == "from" && self.head.first().is_some_and(|first| first == "copy") => {
                self.takes_rows = true;
            }
            _ => {}
        }
    }

    fn creates_routine(&self) -> bool {
        let words: Vec<&str> = self.head.iter().map(String::as_str).collect();
        matches!(
            words.as_slice(),
            ["create", "function" | "procedure", ..] | ["create", "or", "replace", "function" | "procedure", ..]
        )
    }
}

/// Returns the meaning of backslashes in plain strings after the execution of the statement `text`. `head` contains the first words of the
/// statement. `now` is the meaning before the statement, `initial` the meaning at the beginning of the session.
fn backslashes_after(now: Backslashes, initial: Backslashes, head: &[String], text: &str) -> Backslashes {
    const SETTING: &str = "standard_conforming_strings";
    let words: Vec<&str> = head.iter().map(String::as_str).collect();
    let changed = now != initial;
    let value = match words.as_slice() {
        ["set", SETTING, "to" | "=", value] | ["set", "session", SETTING, "to" | "=", value] => *value,
        ["reset", SETTING] | ["reset", "all"] | ["discard", "all"] => return initial,
        // The end of a transaction may be a rollback, which would undo a change of the setting inside the transaction.
        ["commit" | "rollback" | "end" | "abort" | "begin" | "start" | "prepare", ..] if changed => {
            return Backslashes::Unknown;
        }
        _ if text.to_ascii_lowercase().contains(SETTING) => return Backslashes::Unknown,
        _ => return now,
    };
    match value.trim_matches('\'').to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Backslashes::Plain,
        "off" | "false" | "no" | "0" => Backslashes::Escape,
        "default" => initial,
        _ => Backslashes::Unknown,
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
