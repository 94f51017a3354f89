//! A small parser combinator library whose error messages equal those of PostgREST. Alternatives are tried from left to right, and the
//! expectations of all alternatives at the furthest position are merged.
//!
//! Clients and their tests compare the messages. Errors are therefore merged by the rules of Parsec, PostgREST's parser library: an
//! alternative is tried only if the previous alternative failed without consuming input; a label replaces the expectations of its parser if
//! the parser consumed no input; the error at the furthest position wins.

mod parse_error;

use parse_error::{ErrorItem, ParseError, details};

/// Maximum nesting depth of a request. Each nesting level uses stack memory in this parser and in PostgreSQL.
const MAX_NESTING_DEPTH: usize = 40;
const TOO_DEEP: &str = "nested more than 40 levels deep";

/// Failure of a parser, because the input did not match. The [`Parser`] stores the details of the parse error.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

pub(super) struct Parser<'a> {
    text: &'a [char],
    at: usize,
    error: ParseError,
    /// Whether parse errors are recorded. The first attempt to parse a text does not record errors, because most texts are valid. If the
    /// attempt fails, the text is parsed again with recording.
    records_errors: bool,
    depth: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) details: String,
}

/// Parses `text` from its start. Input after a complete match is ignored.
pub(super) fn parse<T>(text: &str, parser: impl Fn(&mut Parser<'_>) -> Parsed<T>) -> Result<T, SyntaxError> {
    let text: Vec<char> = text.chars().collect();
    let start = |records_errors| Parser { text: &text, at: 0, error: ParseError::default(), records_errors, depth: 0 };
    if let Ok(value) = parser(&mut start(false)) {
        return Ok(value);
    }
    let mut recording = start(true);
    parser(&mut recording).map_err(|Failed| recording.syntax_error())
}

impl Parser<'_> {
    fn record(&mut self, at: usize, items: &[ErrorItem]) {
        if self.records_errors {
            let new = ParseError { at, items: items.to_vec() };
            self.error = std::mem::take(&mut self.error).merge(new);
        }
    }

    fn fail<T>(&mut self, items: &[ErrorItem]) -> Parsed<T> {
        self.record(self.at, items);
        Err(Failed)
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Consumes one character for which `accepts` returns true.
    pub(super) fn satisfy(&mut self, accepts: impl Fn(char) -> bool) -> Parsed<char> {
        match self.peek() {
            Some(c) if accepts(c) => {
                self.at += 1;
                self.error = ParseError { at: self.at, items: Vec::new() };
                Ok(c)
            }
            found => self.fail(&[ErrorItem::Found(found)]),
        }
    }

    pub(super) fn char(&mut self, wanted: char) -> Parsed<char> {
        match self.peek() {
            Some(c) if c == wanted => self.satisfy(|_| true),
            found => self.fail(&[ErrorItem::Found(found), ErrorItem::Char(wanted)]),
        }
    }

    /// Consumes the text `wanted`. If only its beginning matches, the matching characters count as consumed.
    pub(super) fn string(&mut self, wanted: &'static str) -> Parsed<()> {
        let start = self.at;
        for (taken, letter) in wanted.chars().enumerate() {
            let found = self.text.get(start + taken).copied();
            if found != Some(letter) {
                if taken > 0 {
                    self.error = ParseError::default();
                }
                self.record(start, &[ErrorItem::Found(found), ErrorItem::Text(wanted)]);
                self.at = start + taken;
                return Err(Failed);
            }
        }
        self.at = start + wanted.chars().count();
        self.error = ParseError { at: self.at, items: Vec::new() };
        Ok(())
    }

    /// Consumes the text `wanted`. Consumes no input if the text does not match completely.
    pub(super) fn word(&mut self, wanted: &'static str) -> Parsed<()> {
        self.attempt(|p| p.string(wanted))
    }

    /// Runs `parser`. If the parser fails, the input position is reset, so that no input is consumed.
    pub(super) fn attempt<T>(&mut self, parser: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let (start, before) = (self.at, self.error.clone());
        let outcome = parser(self);
        if outcome.is_err() {
            self.at = start;
            self.error = before.merge(std::mem::take(&mut self.error));
        }
        outcome
    }

    /// Runs the first parser. Runs the second parser only if the first parser failed without consuming input.
    pub(super) fn either<T>(
        &mut self,
        first: impl Fn(&mut Self) -> Parsed<T>,
        second: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let start = self.at;
        match first(self) {
            Err(Failed) if self.at == start => second(self),
            outcome => outcome,
        }
    }

    /// Returns the parser's result, or `None` if the parser failed without consuming input.
    pub(super) fn option<T>(&mut self, parser: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Option<T>> {
        self.either(|p| parser(p).map(Some), |_| Ok(None))
    }

    /// Consumes one of several words and returns the word's value.
    pub(super) fn choice<T: Copy>(&mut self, words: &[(&'static str, T)]) -> Parsed<T> {
        for (word, meaning) in words {
            if self.word(word).is_ok() {
                return Ok(*meaning);
            }
        }
        Err(Failed)
    }

    pub(super) fn label<T>(&mut self, label: &'static str, parser: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let start = self.at;
        let before = std::mem::take(&mut self.error);
        let outcome = parser(self);
        if self.at == start && self.records_errors {
            let mut error = std::mem::take(&mut self.error);
            if outcome.is_err() || !error.items.is_empty() {
                error.relabel(label);
            }
            self.error = before.merge(error);
        }
        outcome
    }

    pub(super) fn many<T>(&mut self, parser: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let start = self.at;
        let before = std::mem::take(&mut self.error);
        let mut items = Vec::new();
        loop {
            let item_start = self.at;
            self.error = ParseError::default();
            match parser(self) {
                Ok(item) if self.at > item_start => items.push(item),
                Ok(_) => break,
                Err(Failed) if self.at == item_start => break,
                Err(Failed) => return Err(Failed),
            }
        }
        if self.at == start {
            self.error = before.merge(std::mem::take(&mut self.error));
        }
        Ok(items)
    }

    /// Consumes all following characters of a character class. `one` consumes a single character and records the expectation if no
    /// character matches. While errors are not recorded, all characters are consumed in one step.
    pub(super) fn text(
        &mut self,
        accepts: impl Fn(char) -> bool,
        one: impl Fn(&mut Self) -> Parsed<char>,
    ) -> Parsed<String> {
        if self.records_errors {
            return Ok(self.many(one)?.into_iter().collect());
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|&&c| accepts(c)).count();
        self.at += length;
        Ok(rest.iter().take(length).collect())
    }

    pub(super) fn many1<T>(&mut self, parser: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![parser(self)?];
        items.extend(self.many(parser)?);
        Ok(items)
    }

    pub(super) fn separated<T, S>(
        &mut self,
        separator: impl Fn(&mut Self) -> Parsed<S>,
        parser: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = vec![parser(self)?];
        items.extend(self.many(|p| separator(p).and_then(|_| parser(p)))?);
        Ok(items)
    }

    /// Checks that the parser matches at the current position, without consuming input.
    pub(super) fn look_ahead<T>(&mut self, parser: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<()> {
        let (start, before) = (self.at, self.error.clone());
        parser(self)?;
        self.at = start;
        self.error = before;
        Ok(())
    }

    /// Fails if `refuses` returns true for the next character.
    pub(super) fn not_followed_by(&mut self, refuses: impl Fn(char) -> bool) -> Parsed<()> {
        match self.peek() {
            Some(c) if refuses(c) => self.fail(&[ErrorItem::Unwanted(c)]),
            found => {
                self.record(self.at, &[ErrorItem::Found(found)]);
                Ok(())
            }
        }
    }

    pub(super) fn not_char(&mut self, refused: char) -> Parsed<()> {
        match self.peek() {
            Some(c) if c == refused => self.fail(&[ErrorItem::Unwanted(c)]),
            found => {
                self.record(self.at, &[ErrorItem::Found(found), ErrorItem::Char(refused)]);
                Ok(())
            }
        }
    }

    pub(super) fn end(&mut self) -> Parsed<()> {
        self.label("end of input", |p| p.not_followed_by(|_| true))
    }

    /// Fails if the nesting depth `levels` reaches `MAX_NESTING_DEPTH`, because deeply nested input could exceed PostgreSQL's stack.
    pub(super) fn no_deeper_than(&mut self, levels: usize) -> Parsed<()> {
        if levels < MAX_NESTING_DEPTH { Ok(()) } else { self.too_much(TOO_DEEP) }
    }

    /// Fails because the input exceeds a limit. The error is placed at the end of the input, so that no alternative is tried: every
    /// alternative would exceed the same limit.
    pub(super) fn too_much<T>(&mut self, what: &'static str) -> Parsed<T> {
        self.at = self.text.len();
        self.fail(&[ErrorItem::TooMuch(what)])
    }

    /// Runs a parser one nesting level deeper.
    pub(super) fn nested<T>(&mut self, parser: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.no_deeper_than(self.depth)?;
        self.depth += 1;
        let outcome = parser(self);
        self.depth -= 1;
        outcome
    }

    /// Consumes spaces and tabs, runs `parser`, then consumes spaces and tabs again. Returns the parser's result.
    pub(super) fn lexeme<T>(&mut self, parser: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.blanks()?;
        let value = parser(self)?;
        self.blanks()?;
        Ok(value)
    }

    fn blanks(&mut self) -> Parsed<()> {
        self.many(|p| p.satisfy(|c| matches!(c, ' ' | '\t'))).map(drop)
    }

    fn syntax_error(&self) -> SyntaxError {
        let (mut line, mut column) = (1, 1);
        for c in self.text.iter().take(self.error.at) {
            match c {
                '\n' => (line, column) = (line + 1, 1),
                '\t' => column += 8 - (column - 1) % 8,
                _ => column += 1,
            }
        }
        SyntaxError { line, column, details: details(&self.error.items) }
    }
}
