//! Scanner for the SQL tokens that determine where a statement ends, equivalent to PostgreSQL's scanner (`scan.l`): strings of all kinds,
//! dollar quotes, quoted identifiers, nested comments, words, and single characters otherwise. White space and comments are skipped.
//!
//! The scanner works on bytes, because in PostgreSQL every byte from 0x80 is part of an identifier.

mod close;

use std::ops::Range;

use close::Open;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// String, dollar-quoted string, number or quoted identifier.
    Value,
    /// Any other single byte, such as `;` or `(`.
    Symbol(u8),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// Meaning of a backslash in a plain string `'…'`, which depends on `standard_conforming_strings`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backslashes {
    /// The backslash is an ordinary character: `standard_conforming_strings = on`, PostgreSQL's default.
    #[default]
    Plain,
    /// The backslash escapes the next character: `standard_conforming_strings = off`.
    Escape,
    /// The meaning is unknown, because a statement whose effect depends on its execution may have changed the setting.
    Unknown,
}

/// Error of an SQL text that does not end with a complete token: byte offset and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: &'static str,
}

/// State of a scanner. Scanning resumes from this state after more text has been appended.
#[derive(Clone, Debug, Default)]
pub(super) struct Position {
    at: usize,
    backslashes: Backslashes,
    /// Start offset and kind of an unclosed token or comment; `None` if every token and comment is closed.
    open: Option<(usize, Open)>,
}

impl Position {
    /// Moves the state to the beginning of a new text. If a token is unclosed, the state remains unchanged.
    pub(super) fn restart(&mut self) {
        if self.open.is_none() {
            self.at = 0;
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Adjusts the stored offsets after `bytes` bytes were removed from the beginning of the text.
    pub(super) fn shift(&mut self, bytes: usize) {
        self.at = self.at.saturating_sub(bytes);
        if let Some((start, open)) = &mut self.open {
            *start = start.saturating_sub(bytes);
            open.shift(bytes);
        }
    }
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pub(super) position: usize,
    pub(super) backslashes: Backslashes,
    open: Option<(usize, Open)>,
    /// Whether more lines may be appended to the text.
    grows: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, backslashes: Backslashes) -> Self {
        Self::resumed(text, Position { backslashes, ..Position::default() }, false)
    }

    /// Creates a scanner that continues at the state `from` in a text to which whole lines were appended. `grows` is true if more lines may
    /// be appended later.
    pub(super) fn resumed(text: &'a str, from: Position, grows: bool) -> Self {
        let Position { at, backslashes, open } = from;
        Self { text, bytes: text.as_bytes(), position: at, backslashes, open, grows }
    }

    pub(super) fn suspend(self) -> Position {
        Position { at: self.position, backslashes: self.backslashes, open: self.open }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.position + ahead).copied()
    }

    /// Returns the next token; `None` at the end of the text.
    pub(super) fn token(&mut self) -> Result<Option<Token>, Fault> {
        if let Some((start, open)) = self.open.take() {
            let is_comment = matches!(open, Open::Comment { .. });
            self.close(start, open)?;
            if !is_comment {
                return Ok(Some(Token { kind: Kind::Value, range: start..self.position }));
            }
        }
        self.skip_blank()?;
        let start = self.position;
        let Some(byte) = self.peek(0) else { return Ok(None) };
        let kind = match byte {
            0 => return Err(Fault { at: start, message: "the file has a null byte, which SQL cannot contain" }),
            b'\'' => self.string(start, self.backslashes)?,
            b'"' => self.quoted_identifier(start)?,
            b'$' => self.dollar()?,
            b'0'..=b'9' => self.number(),
            _ if is_identifier_start(byte) => self.word()?,
            _ => {
                self.position += 1;
                Kind::Symbol(byte)
            }
        };
        Ok(Some(Token { kind, range: start..self.position }))
    }

    fn skip_blank(&mut self) -> Result<(), Fault> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c), _) => self.position += 1,
                (Some(b'-'), Some(b'-')) => self.skip_line(),
                (Some(b'/'), Some(b'*')) => self.close(self.position, Open::Comment { depth: 0 })?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips to the end of the line; a carriage return also ends a line.
    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    /// Scans a string from its opening quote. A plain string may continue on the next line; the continuation is treated as a second string.
    fn string(&mut self, start: usize, backslashes: Backslashes) -> Result<Kind, Fault> {
        self.position += 1;
        self.close(start, Open::Quoted { quote: b'\'', backslashes })?;
        Ok(Kind::Value)
    }

    fn quoted_identifier(&mut self, start: usize) -> Result<Kind, Fault> {
        self.position += 1;
        self.close(start, Open::Quoted { quote: b'"', backslashes: Backslashes::Plain })?;
        Ok(Kind::Value)
    }

    /// Scans a dollar-quoted string `$tag$ … $tag$`. If the `$` begins no dollar-quoted string, returns the `$` as a symbol (as in `$1`).
    fn dollar(&mut self) -> Result<Kind, Fault> {
        let start = self.position;
        let rest = self.text.get(start..).unwrap_or_default();
        let end = rest.bytes().skip(1).position(|byte| !is_identifier_part(byte)).map_or(rest.len(), |at| at + 1);
        let begins = rest.as_bytes().get(1).copied().is_some_and(|byte| byte == b'$' || is_identifier_start(byte));
        if !begins || rest.as_bytes().get(end) != Some(&b'$') {
            self.position += 1;
            return Ok(Kind::Symbol(b'$'));
        }
        let tag = rest.get(..=end).unwrap_or_default().to_owned();
        self.position += tag.len();
        self.close(start, Open::Dollar { tag })?;
        Ok(Kind::Value)
    }

    /// Scans a number. Letters directly after the digits count as part of the number, because the server refuses them anyway. A `$` after
    /// these letters also belongs to the number and does not start a dollar quote.
    fn number(&mut self) -> Kind {
        let mut has_letter = false;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'0'..=b'9' | b'.' => {}
                b'$' if has_letter => {}
                _ if is_identifier_start(byte) => has_letter = true,
                _ => break,
            }
            self.position += 1;
        }
        Kind::Value
    }

    /// Scans a word, or a string or quoted identifier that has a prefix of letters (as in `E'…'`).
    fn word(&mut self) -> Result<Kind, Fault> {
        let start = self.position;
        while self.peek(0).is_some_and(|byte| is_identifier_part(byte) || byte == b'$') {
            self.position += 1;
        }
        let word = self.bytes.get(start..self.position).unwrap_or_default();
        let is = |expected: &[u8]| word.eq_ignore_ascii_case(expected);
        match (self.peek(0), self.peek(1)) {
            (Some(b'\''), _) if is(b"e") => self.string(start, Backslashes::Escape),
            (Some(b'\''), _) if is(b"b") || is(b"x") => self.string(start, Backslashes::Plain),
            (Some(b'\''), _) if is(b"n") => self.string(start, self.backslashes),
            (Some(b'&'), Some(b'\'')) if is(b"u") => {
                self.position += 1;
                self.string(start, Backslashes::Plain)
            }
            (Some(b'&'), Some(b'"')) if is(b"u") => {
                self.position += 1;
                self.quoted_identifier(start)
            }
            _ => Ok(Kind::Word),
        }
    }
}

fn is_identifier_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn is_identifier_part(byte: u8) -> bool {
    is_identifier_start(byte) || byte.is_ascii_digit()
}
