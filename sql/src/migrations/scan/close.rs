//! Scanning of the ends of strings, quoted identifiers and comments. If the text ends inside a string or comment, scanning resumes at this
//! position when more text is available, so that a long string is scanned only once.

use super::{Backslashes, Fault, Scanner};

const AMBIGUOUS: &str = "a backslash stands before a quote in this string, and the file sets standard_conforming_strings in a \
                         way that only its execution shows: write the string as E'…', or set it with a plain `set`";

/// Unclosed token or comment at the end of the text; appended text may close it.
#[derive(Clone, Debug)]
pub(super) enum Open {
    Comment {
        depth: usize,
    },
    Quoted {
        quote: u8,
        backslashes: Backslashes,
    },
    Dollar {
        tag: String,
    },
    /// The scanner has read the closing quote of a string with escapes, and the white space after this quote. If the white space contains a
    /// line break and a further quote follows, the string continues.
    Closed {
        end: usize,
        has_line_break: bool,
    },
}

impl Open {
    fn message(&self) -> &'static str {
        match self {
            Self::Comment { .. } => "a comment is opened here with /* and never closed",
            Self::Quoted { quote: b'"', .. } => "a name is opened here with \" and never closed",
            Self::Quoted { .. } | Self::Closed { .. } => "a string is opened here with ' and never closed",
            Self::Dollar { .. } => "a string is opened here with a dollar quote and never closed",
        }
    }

    pub(super) fn shift(&mut self, bytes: usize) {
        if let Self::Closed { end, .. } = self {
            *end = end.saturating_sub(bytes);
        }
    }
}

enum End {
    Found,
    /// A part of the token ended; scanning continues in the state `Open`.
    Then(Open),
    CutOff,
}

impl Scanner<'_> {
    /// Advances past the end of the token or comment that began at `start`.
    pub(super) fn close(&mut self, start: usize, mut open: Open) -> Result<(), Fault> {
        loop {
            let end = match &mut open {
                Open::Comment { depth } => self.close_comment(depth),
                Open::Dollar { tag } => self.close_dollar(tag),
                &mut Open::Quoted { quote, backslashes } => self.close_quote(start, quote, backslashes)?,
                Open::Closed { end, has_line_break } => self.continuation(*end, has_line_break),
            };
            match end {
                End::Found => return Ok(()),
                End::Then(next) => open = next,
                End::CutOff => {
                    let message = open.message();
                    self.open = Some((start, open));
                    return Err(Fault { at: start, message });
                }
            }
        }
    }

    fn close_comment(&mut self, depth: &mut usize) -> End {
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'/', Some(b'*')) => {
                    *depth += 1;
                    self.position += 2;
                }
                (b'*', Some(b'/')) => {
                    *depth -= 1;
                    self.position += 2;
                    if *depth == 0 {
                        return End::Found;
                    }
                }
                _ => self.position += 1,
            }
        }
        End::CutOff
    }

    /// Advances past the closing quote; a doubled quote is part of the string.
    fn close_quote(&mut self, start: usize, quote: u8, backslashes: Backslashes) -> Result<End, Fault> {
        while let Some(byte) = self.peek(0) {
            self.position += 1;
            if byte == b'\\' && backslashes != Backslashes::Plain {
                match self.peek(0) {
                    Some(next) if next == quote && backslashes == Backslashes::Unknown => {
                        return Err(Fault { at: start, message: AMBIGUOUS });
                    }
                    _ => self.position += 1,
                }
            } else if byte == quote {
                if self.peek(0) == Some(quote) {
                    self.position += 1;
                } else if quote == b'\'' && backslashes == Backslashes::Escape {
                    return Ok(End::Then(Open::Closed { end: self.position, has_line_break: false }));
                } else {
                    return Ok(End::Found);
                }
            }
        }
        Ok(End::CutOff)
    }

    /// Advances past a quote that continues a string with escapes. Only white space with a line break, and line comments, may precede this
    /// quote.
    fn continuation(&mut self, end: usize, has_line_break: &mut bool) -> End {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b'\n' | b'\r'), _) => {
                    *has_line_break = true;
                    self.position += 1;
                }
                (Some(b' ' | b'\t' | 0x0b | 0x0c), _) => self.position += 1,
                (Some(b'-'), Some(b'-')) => self.skip_line(),
                (Some(b'\''), _) if *has_line_break => {
                    self.position += 1;
                    return End::Then(Open::Quoted { quote: b'\'', backslashes: Backslashes::Escape });
                }
                (None, _) if self.grows => return End::CutOff,
                _ => {
                    self.position = end;
                    return End::Found;
                }
            }
        }
    }

    fn close_dollar(&mut self, tag: &str) -> End {
        let rest = self.text.get(self.position..).unwrap_or_default();
        let found = rest.find(tag);
        self.position += found.map_or(rest.len(), |at| at + tag.len());
        if found.is_some() { End::Found } else { End::CutOff }
    }
}
