//! Lexer of templates: splits a template into tokens with the rules of Go's text/template/parse.

use crate::{Error, Position};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Text(String),
    Open,
    Close,
    Space,
    /// The operator `:=`.
    Declare,
    /// The operator `=`.
    Assign,
    Pipe,
    LeftParen,
    RightParen,
    /// Any other character, such as `,`.
    Char(char),
    /// The operand `.`, which is the current value (the dot in Go's documentation).
    Dot,
    /// The name of a field, without the `.` before the name.
    Field(String),
    /// The name of a variable, including its `$`.
    Variable(String),
    Identifier(String),
    Keyword(&'static str),
    Bool(bool),
    /// A number, as written in the template.
    Number(String),
    /// A character constant in single quotes, as written in the template.
    Rune(String),
    /// A string in double quotes, as written in the template, including the quotes.
    Quoted(String),
    /// The content of a string in back quotes.
    Raw(String),
    End,
}

/// A token with the position of its first character.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) at: Position,
}

const KEYWORDS: [&str; 11] =
    ["block", "break", "continue", "define", "else", "end", "if", "range", "nil", "template", "with"];

/// Splits a template into tokens. The last token is [`Kind::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, Error> {
    let mut lexer = Lexer { text, position: 0, line: 1, line_start: 0, found: Vec::new() };
    lexer.run()?;
    Ok(lexer.found)
}

struct Lexer<'a> {
    text: &'a str,
    position: usize,
    line: usize,
    /// Byte at which the line begins.
    line_start: usize,
    found: Vec<Token>,
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Whether an action removes the white space before it (`{{- `). `text` is the text after `{{`.
fn trims_left(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.starts_with(is_space))
}

/// Whether `text` begins with ` -}}`, which ends an action and removes the white space after it.
fn trims_right(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_space) && chars.as_str().starts_with("-}}")
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::new(self.at(), message))
    }

    fn at(&self) -> Position {
        let before = self.text.get(self.line_start..self.position).unwrap_or_default();
        Position { line: self.line, column: before.chars().count() + 1 }
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let passed = self.text.get(self.position..self.position + bytes).unwrap_or_default();
        self.line += passed.matches('\n').count();
        if let Some(last) = passed.rfind('\n') {
            self.line_start = self.position + last + 1;
        }
        self.position += bytes;
        passed
    }

    fn push(&mut self, kind: Kind) {
        self.found.push(Token { kind, at: self.at() });
    }

    fn run(&mut self) -> Result<(), Error> {
        while let Some(at) = self.rest().find("{{") {
            let before = self.rest().get(..at).unwrap_or_default();
            let behind = self.rest().get(at + 2..).unwrap_or_default();
            let kept = if trims_left(behind) { before.trim_end_matches(is_space) } else { before };
            if !kept.is_empty() {
                self.push(Kind::Text(kept.to_owned()));
            }
            self.advance(at);
            let marker = if trims_left(behind) { 2 } else { 0 };
            if behind.get(marker..).is_some_and(|text| text.starts_with("/*")) {
                self.advance(2 + marker);
                self.comment()?;
            } else {
                self.push(Kind::Open);
                self.advance(2 + marker);
                self.action()?;
            }
        }
        let rest = self.rest();
        if !rest.is_empty() {
            self.push(Kind::Text(rest.to_owned()));
            self.advance(rest.len());
        }
        self.push(Kind::End);
        Ok(())
    }

    fn comment(&mut self) -> Result<(), Error> {
        let Some(end) = self.rest().get(2..).and_then(|text| text.find("*/")) else {
            return self.fail("unclosed comment");
        };
        self.advance(end + 4);
        if !self.close() {
            return self.fail("comment ends before closing delimiter");
        }
        Ok(())
    }

    /// Consumes the end of an action: `}}`, or ` -}}` and the white space after it. Returns whether the text begins with such an end.
    fn close(&mut self) -> bool {
        if trims_right(self.rest()) {
            self.advance(4);
            let spaces = self.rest().len() - self.rest().trim_start_matches(is_space).len();
            self.advance(spaces);
            return true;
        }
        let closes = self.rest().starts_with("}}");
        if closes {
            self.advance(2);
        }
        closes
    }

    fn action(&mut self) -> Result<(), Error> {
        let mut depth = 0_usize;
        loop {
            if trims_right(self.rest()) || self.rest().starts_with("}}") {
                if depth > 0 {
                    return self.fail("unclosed left paren");
                }
                self.push(Kind::Close);
                self.close();
                return Ok(());
            }
            let Some(c) = self.rest().chars().next() else { return self.fail("unclosed action") };
            match c {
                c if is_space(c) => self.space(),
                '=' => self.single(Kind::Assign),
                ':' if self.rest().starts_with(":=") => {
                    self.single(Kind::Declare);
                    self.advance(1);
                }
                ':' => return self.fail("expected :="),
                '|' => self.single(Kind::Pipe),
                '"' | '\'' => self.quoted(c)?,
                '`' => self.raw()?,
                '$' => self.name(true)?,
                '.' if !self.rest().get(1..).is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit())) => {
                    self.name(false)?;
                }
                '.' | '+' | '-' | '0'..='9' => self.number()?,
                '(' => {
                    depth += 1;
                    self.single(Kind::LeftParen);
                }
                ')' if depth == 0 => return self.fail("unexpected right paren"),
                ')' => {
                    depth -= 1;
                    self.single(Kind::RightParen);
                }
                c if is_word(c) => self.word()?,
                c if c.is_ascii_graphic() => self.single(Kind::Char(c)),
                c => return self.fail(format!("unrecognized character in action: {c:?}")),
            }
        }
    }

    fn single(&mut self, kind: Kind) {
        self.push(kind);
        self.advance(1);
    }

    /// Consumes white space inside of an action, except for the space of ` -}}`.
    fn space(&mut self) {
        let mut length = 0;
        while let Some(c) = self.rest().get(length..).and_then(|text| text.chars().next())
            && is_space(c)
            && !self.rest().get(length..).is_some_and(trims_right)
        {
            length += 1;
        }
        self.push(Kind::Space);
        self.advance(length);
    }

    fn quoted(&mut self, quote: char) -> Result<(), Error> {
        let what = if quote == '"' { "unterminated quoted string" } else { "unterminated character constant" };
        let mut chars = self.rest().char_indices().skip(1);
        let end = loop {
            match chars.next() {
                Some((_, '\\')) => match chars.next() {
                    None | Some((_, '\n')) => return self.fail(what),
                    Some(_) => {}
                },
                None | Some((_, '\n')) => return self.fail(what),
                Some((at, c)) if c == quote => break at + 1,
                Some(_) => {}
            }
        };
        let text = self.rest().get(..end).unwrap_or_default().to_owned();
        self.push(if quote == '"' { Kind::Quoted(text) } else { Kind::Rune(text) });
        self.advance(end);
        Ok(())
    }

    fn raw(&mut self) -> Result<(), Error> {
        let Some(end) = self.rest().get(1..).and_then(|text| text.find('`')) else {
            return self.fail("unterminated raw quoted string");
        };
        let text = self.rest().get(1..=end).unwrap_or_default().replace('\r', "");
        self.push(Kind::Raw(text));
        self.advance(end + 2);
        Ok(())
    }

    /// Consumes the name of a field (after `.`) or of a variable (after `$`).
    fn name(&mut self, is_variable: bool) -> Result<(), Error> {
        let rest = self.rest().get(1..).unwrap_or_default();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        self.check_end(rest.get(length..).unwrap_or_default())?;
        self.push(match (is_variable, name) {
            (true, name) => Kind::Variable(format!("${name}")),
            (false, "") => Kind::Dot,
            (false, name) => Kind::Field(name.to_owned()),
        });
        self.advance(1 + length);
        Ok(())
    }

    fn word(&mut self) -> Result<(), Error> {
        let rest = self.rest();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        self.check_end(rest.get(length..).unwrap_or_default())?;
        self.push(match word {
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            _ => match KEYWORDS.into_iter().find(|keyword| *keyword == word) {
                Some(keyword) => Kind::Keyword(keyword),
                None => Kind::Identifier(word.to_owned()),
            },
        });
        self.advance(length);
        Ok(())
    }

    fn check_end(&self, behind: &str) -> Result<(), Error> {
        match behind.chars().next() {
            None | Some('.' | ',' | '|' | ':' | ')' | '(') => Ok(()),
            Some(c) if is_space(c) || behind.starts_with("}}") => Ok(()),
            Some(c) => self.fail(format!("bad character {c:?}")),
        }
    }

    fn number(&mut self) -> Result<(), Error> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        let mut digits: fn(u8) -> bool = |b| b.is_ascii_digit() || b == b'_';
        let mut exponent: &[u8] = b"eE";
        if bytes.get(at) == Some(&b'0') {
            at += 1;
            match bytes.get(at) {
                Some(b'x' | b'X') => {
                    at += 1;
                    digits = |b| b.is_ascii_hexdigit() || b == b'_';
                    exponent = b"pP";
                }
                Some(b'o' | b'O' | b'b' | b'B') => {
                    at += 1;
                    exponent = b"";
                }
                _ => {}
            }
        }
        let run = |at: usize, digits: fn(u8) -> bool| {
            bytes.iter().skip(at).position(|byte| !digits(*byte)).map_or(bytes.len(), |length| at + length)
        };
        at = run(at, digits);
        if bytes.get(at) == Some(&b'.') {
            at = run(at + 1, digits);
        }
        if bytes.get(at).is_some_and(|byte| exponent.contains(byte)) {
            at += 1;
            at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
            at = run(at, |b| b.is_ascii_digit() || b == b'_');
        }
        let next = rest.get(at..).and_then(|text| text.chars().next());
        if next.is_some_and(is_word) || matches!(next, Some('+' | '-')) {
            return self.fail(format!("bad number syntax: {:?}", rest.get(..=at).unwrap_or_default()));
        }
        self.push(Kind::Number(rest.get(..at).unwrap_or_default().to_owned()));
        self.advance(at);
        Ok(())
    }
}
