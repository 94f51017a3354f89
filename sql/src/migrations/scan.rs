//! The tokens that decide where an SQL statement ends, as PostgreSQL's scanner (`scan.l`) reads them: strings of every kind, dollar
//! quotes, quoted identifiers, nested comments, words, and single characters for the rest. White space and comments are skipped.
//!
//! Bytes are enough: PostgreSQL takes every byte from 0x80 as part of an identifier.

mod close;

use std::ops::Range;

use close::Open;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword or an identifier without quotes.
    Word,
    /// A string, a dollar-quoted string, a number or a quoted identifier.
    Value,
    /// Any other byte.
    Symbol(u8),
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// How a backslash in a plain `'…'` is read, which `standard_conforming_strings` decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backslashes {
    /// `standard_conforming_strings = on`, PostgreSQL's default: as any other character.
    #[default]
    Plain,
    /// `standard_conforming_strings = off`: it escapes the next character.
    Escape,
    /// A statement has set it in a way that only its execution shows.
    Unknown,
}

/// Why a text has no further token: where it begins, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: &'static str,
}

/// Where a scanner stands, to go on when the text has grown.
#[derive(Clone, Debug, Default)]
pub(super) struct Position {
    at: usize,
    backslashes: Backslashes,
    /// What is open, and where it was opened.
    open: Option<(usize, Open)>,
}

impl Position {
    /// Goes to the beginning of another text, where nothing is open.
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

    /// Follows a text whose first bytes are taken away.
    pub(super) fn shift(&mut self, bytes: usize) {
        self.at = self.at.saturating_sub(bytes);
        if let Some((start, open)) = &mut self.open {
            *start = start.saturating_sub(bytes);
            open.shift(bytes);
        }
    }
}

/// Reads the tokens of a text.
pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pub(super) position: usize,
    pub(super) backslashes: Backslashes,
    open: Option<(usize, Open)>,
    /// Whether the text goes on behind its end, with a new line.
    grows: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, backslashes: Backslashes) -> Self {
        Self::resumed(text, Position { backslashes, ..Position::default() }, false)
    }

    /// Goes on with a text that has grown by whole lines, and may grow further.
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

    /// The next token; `None` at the end.
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

    /// A carriage return ends a line, too.
    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    /// A string from its opening quote. A plain one may go on in the next line too, which is the same as a second string here.
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

    /// `$tag$ … $tag$`; otherwise the `$` of a parameter.
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

    /// Letters behind the digits are errors of the server, whatever they are; a `$` behind them is part of them and opens no string.
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

    /// A word, or a string or identifier with a prefix of letters.
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
