//! Splits an SQL file into statements as psql does: at semicolons outside of quotes, comments, dollar quotes and the bodies of SQL-standard
//! functions (`begin atomic … end`).

use std::ops::Range;

/// The byte ranges of a text's statements, without their semicolons and without the white space and comments before them.
#[must_use]
pub fn statements(text: &str) -> Vec<Range<usize>> {
    Splitter { text, bytes: text.as_bytes(), position: 0, start: None, words: Words::default() }.run()
}

/// The words that decide where a statement ends: `begin atomic` in a `create function` opens a body with semicolons.
#[derive(Default)]
struct Words {
    creates_routine: bool,
    previous: String,
    depth: usize,
}

struct Splitter<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    start: Option<usize>,
    words: Words,
}

impl Splitter<'_> {
    fn run(mut self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        while let Some(byte) = self.peek(0) {
            match byte {
                b'-' if self.peek(1) == Some(b'-') => self.skip_line(),
                b'/' if self.peek(1) == Some(b'*') => self.skip_block_comment(),
                b if b.is_ascii_whitespace() => self.position += 1,
                b';' if self.words.depth == 0 => {
                    found.extend(self.finish());
                    self.position += 1;
                }
                _ => {
                    self.start.get_or_insert(self.position);
                    self.skip_token(byte);
                }
            }
        }
        found.extend(self.finish());
        found
    }

    fn finish(&mut self) -> Option<Range<usize>> {
        self.words = Words::default();
        let start = self.start.take()?;
        let length = self.text.get(start..self.position)?.trim_end().len();
        Some(start..start + length)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.position + ahead).copied()
    }

    fn skip_token(&mut self, byte: u8) {
        match byte {
            b'\'' => self.skip_quoted(b'\'', false),
            b'"' => self.skip_quoted(b'"', false),
            b'$' => self.skip_dollar(),
            b if b.is_ascii_alphabetic() || b == b'_' || b >= 0x80 => self.skip_word(),
            _ => self.position += 1,
        }
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.position += 1;
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
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
                        return;
                    }
                }
                _ => self.position += 1,
            }
        }
    }

    fn skip_quoted(&mut self, quote: u8, escapes: bool) {
        self.position += 1;
        while let Some(byte) = self.peek(0) {
            self.position += 1;
            if escapes && byte == b'\\' {
                self.position += 1;
            } else if byte == quote {
                if self.peek(0) != Some(quote) {
                    return;
                }
                self.position += 1;
            }
        }
    }

    fn skip_dollar(&mut self) {
        let rest = self.text.get(self.position..).unwrap_or_default();
        let tag_length = rest
            .get(1..)
            .and_then(|tail| tail.find('$'))
            .filter(|&end| {
                let tag = rest.get(1..=end).unwrap_or_default();
                !tag.starts_with(|c: char| c.is_ascii_digit()) && tag.chars().all(|c| c.is_alphanumeric() || c == '_')
            })
            .map(|end| end + 2);
        let Some(length) = tag_length else {
            self.position += 1;
            return;
        };
        let tag = rest.get(..length).unwrap_or_default();
        let body = rest.get(length..).unwrap_or_default();
        self.position += body.find(tag).map_or(rest.len(), |end| length + end + length);
    }

    fn skip_word(&mut self) {
        let from = self.position;
        while self.peek(0).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80) {
            self.position += 1;
        }
        let word = self.text.get(from..self.position).unwrap_or_default().to_ascii_lowercase();
        if word == "e" && self.peek(0) == Some(b'\'') {
            self.skip_quoted(b'\'', true);
            return;
        }
        self.words.read(word);
    }
}

impl Words {
    fn read(&mut self, word: String) {
        match word.as_str() {
            "function" | "procedure" => self.creates_routine = true,
            "atomic" if self.creates_routine && self.previous == "begin" => self.depth += 1,
            "case" if self.depth > 0 => self.depth += 1,
            "end" if self.depth > 0 => self.depth -= 1,
            _ => {}
        }
        self.previous = word;
    }
}

#[cfg(test)]
mod tests {
    use super::statements;

    fn split(text: &str) -> Vec<&str> {
        statements(text).into_iter().filter_map(|range| text.get(range)).collect()
    }

    #[test]
    fn plain_statements_and_a_missing_last_semicolon() {
        assert_eq!(split("select 1; select 2 ;\n\n;select 3"), ["select 1", "select 2", "select 3"]);
    }

    #[test]
    fn quotes_and_comments_hide_semicolons() {
        assert_eq!(
            split("select ';', \"a;b\", 'it''s;' -- ;\n; /* ; /* ; */ */ select 2"),
            ["select ';', \"a;b\", 'it''s;' -- ;", "select 2"]
        );
        assert_eq!(split(r"select E'a\';b'; select 2"), [r"select E'a\';b'", "select 2"]);
    }

    #[test]
    fn dollar_quotes_hide_everything() {
        let text = "do $x$ begin perform 1; end $x$; select $1; select $$;$$";
        assert_eq!(split(text), ["do $x$ begin perform 1; end $x$", "select $1", "select $$;$$"]);
    }

    #[test]
    fn a_standard_function_body_is_one_statement() {
        let text =
            "create function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3";
        assert_eq!(split(text).len(), 2);
        assert_eq!(split("begin; select 1; end; commit").len(), 4);
    }

    #[test]
    fn comments_before_a_statement_are_not_part_of_it() {
        assert_eq!(split("-- about\n/* more */ select 1;"), ["select 1"]);
    }

    #[test]
    fn unfinished_quotes_end_with_the_text() {
        assert_eq!(split("select 'a; b"), ["select 'a; b"]);
        assert_eq!(split("select $a$ b; c"), ["select $a$ b; c"]);
    }
}
