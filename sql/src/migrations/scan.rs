//! The tokens that decide where an SQL statement ends, as PostgreSQL's scanner (`scan.l`) reads them: strings of every kind, dollar
//! quotes, quoted identifiers, nested comments, words, and single characters for the rest. White space and comments are skipped.
//!
//! Bytes are enough: PostgreSQL takes every byte from 0x80 as part of an identifier.

use std::ops::Range;

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

const AMBIGUOUS: &str = "a backslash stands before a quote in this string, and the file sets standard_conforming_strings in a \
                         way that only its execution shows: write the string as E'…', or set it with a plain `set`";

/// Reads the tokens of a text.
pub(super) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pub(super) position: usize,
    pub(super) backslashes: Backslashes,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, backslashes: Backslashes) -> Self {
        Self { text, bytes: text.as_bytes(), position: 0, backslashes }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.position + ahead).copied()
    }

    /// The next token; `None` at the end.
    pub(super) fn token(&mut self) -> Result<Option<Token>, Fault> {
        self.skip_blank()?;
        let start = self.position;
        let Some(byte) = self.peek(0) else { return Ok(None) };
        let kind = match byte {
            0 => return Err(Fault { at: start, message: "the file has a null byte, which SQL cannot contain" }),
            b'\'' => self.plain_string()?,
            b'"' => self.quoted_identifier()?,
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
                (Some(b'/'), Some(b'*')) => self.skip_block_comment()?,
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

    fn skip_block_comment(&mut self) -> Result<(), Fault> {
        let start = self.position;
        let mut depth = 0_usize;
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'/', Some(b'*')) => {
                    depth += 1;
                    self.position += 2;
                }
                (b'*', Some(b'/')) => {
                    depth -= 1;
                    self.position += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => self.position += 1,
            }
        }
        Err(Fault { at: start, message: "a comment is opened here with /* and never closed" })
    }

    /// A string without a prefix.
    fn plain_string(&mut self) -> Result<Kind, Fault> {
        let start = self.position;
        match self.backslashes {
            Backslashes::Plain => self.string(start, false)?,
            Backslashes::Escape => self.string(start, true)?,
            Backslashes::Unknown => {
                let plain = self.string(start, false).map(|()| self.position);
                self.position = start;
                let escaped = self.string(start, true).map(|()| self.position);
                if plain != escaped {
                    return Err(Fault { at: start, message: AMBIGUOUS });
                }
                plain?;
            }
        }
        Ok(Kind::Value)
    }

    /// Reads from an opening quote to the closing one. A string with escapes goes on where only white space with a line break, and
    /// line comments, stand between it and another quote.
    fn string(&mut self, start: usize, escapes: bool) -> Result<(), Fault> {
        loop {
            self.position += 1;
            self.skip_to_closing_quote(b'\'', escapes)
                .ok_or(Fault { at: start, message: "a string is opened here with ' and never closed" })?;
            if !escapes || !self.skip_to_continuation() {
                return Ok(());
            }
        }
    }

    /// Goes behind the closing quote; a doubled quote is part of the text.
    fn skip_to_closing_quote(&mut self, quote: u8, escapes: bool) -> Option<()> {
        loop {
            let byte = self.peek(0)?;
            self.position += 1;
            if escapes && byte == b'\\' {
                self.position += 1;
            } else if byte == quote {
                if self.peek(0) != Some(quote) {
                    return Some(());
                }
                self.position += 1;
            }
        }
    }

    /// Goes to the quote that continues a string, if there is one.
    fn skip_to_continuation(&mut self) -> bool {
        let end = self.position;
        let mut has_line_break = false;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b'\n' | b'\r'), _) => {
                    has_line_break = true;
                    self.position += 1;
                }
                (Some(b' ' | b'\t' | 0x0b | 0x0c), _) => self.position += 1,
                (Some(b'-'), Some(b'-')) => self.skip_line(),
                (Some(b'\''), _) if has_line_break => return true,
                _ => {
                    self.position = end;
                    return false;
                }
            }
        }
    }

    fn quoted_identifier(&mut self) -> Result<Kind, Fault> {
        let start = self.position;
        self.position += 1;
        self.skip_to_closing_quote(b'"', false)
            .ok_or(Fault { at: start, message: "a name is opened here with \" and never closed" })?;
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
        let (tag, body) = rest.split_at_checked(end + 1).unwrap_or_default();
        let end = body
            .find(tag)
            .ok_or(Fault { at: start, message: "a string is opened here with a dollar quote and never closed" })?;
        self.position += end + 2 * tag.len();
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
            (Some(b'\''), _) if is(b"e") => self.string(start, true)?,
            (Some(b'\''), _) if is(b"b") || is(b"x") => self.string(start, false)?,
            (Some(b'\''), _) if is(b"n") => return self.plain_string(),
            (Some(b'&'), Some(b'\'')) if is(b"u") => {
                self.position += 1;
                self.string(start, false)?;
            }
            (Some(b'&'), Some(b'"')) if is(b"u") => {
                self.position += 1;
                return self.quoted_identifier();
            }
            _ => return Ok(Kind::Word),
        }
        Ok(Kind::Value)
    }
}

fn is_identifier_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn is_identifier_part(byte: u8) -> bool {
    is_identifier_start(byte) || byte.is_ascii_digit()
}
