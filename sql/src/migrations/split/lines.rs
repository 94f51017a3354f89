//! Splits SQL text that is read line by line, such as a dump. Every byte is scanned only once, regardless of the length of a statement and
//! of the number of lines of the statement that end with a semicolon.

use super::{Backslashes, Found, SplitError, Splitter, Statement};
use crate::migrations::scan::{Fault, Position, Scanner};

const NO_SEMICOLON: &str = "the last statement begins here and has no semicolon";
const BEHIND_COPY: &str = "something stands behind a COPY … FROM stdin, where its rows begin";

/// Statement of an SQL text that is read line by line.
#[derive(Debug, PartialEq, Eq)]
pub struct Read {
    /// Text of the statement without its semicolon.
    pub text: String,
    /// Line on which the statement begins, from 1.
    pub line: usize,
    /// Whether the rows of a `COPY … FROM stdin` follow on the next line.
    pub takes_rows: bool,
}

/// Buffer of the lines that do not form a complete SQL statement yet.
#[derive(Debug, Default)]
pub struct Lines {
    text: String,
    /// Number of bytes at the beginning of `text` that are processed.
    done: usize,
    /// Number of processed lines.
    lines: usize,
    position: Position,
    current: Statement,
}

impl Lines {
    /// Appends a line with its line break. Must be called only after [`Lines::statement`] has returned `None`.
    pub fn push(&mut self, line: &str) {
        if self.current.start.is_none() && !self.position.is_open() {
            self.advance(self.position.at());
        }
        // Only whole lines are removed, so that columns in errors stay correct. At least half of the text is removed at a time, so that
        // moving the rest costs no more than reading it.
        let whole = self.text.get(..self.done).and_then(|done| done.rfind('\n')).map_or(0, |at| at + 1);
        if whole > 0 && whole * 2 >= self.text.len() {
            self.text.drain(..whole);
            self.position.shift(whole);
            self.current.shift(whole);
            self.done -= whole;
        }
        self.text.push_str(line);
    }

    /// Counts a line that was not passed to [`Lines::push`], such as a row of `COPY … FROM stdin`, so that later line numbers are correct.
    pub fn skip_line(&mut self) {
        self.lines += 1;
    }

    /// Returns the length of the incomplete statement in bytes.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.text.len() - self.done
    }

    fn advance(&mut self, to: usize) {
        self.lines = self.line(to) - 1;
        self.done = to;
    }

    /// Returns the number of the line that contains the unprocessed byte `at` of the text, from 1.
    fn line(&self, at: usize) -> usize {
        let between = self.text.get(self.done..at).unwrap_or_default();
        self.lines + between.bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    /// Returns the next statement of the lines read so far that ends with a semicolon; `None` if more lines are needed.
    ///
    /// # Errors
    /// Fails if no further text could complete the statement.
    pub fn statement(&mut self) -> Result<Option<Read>, SplitError> {
        match self.step(true, |splitter| splitter.next()) {
            Ok(Some(found)) => self.take(found).map(Some),
            Ok(None) => Ok(None),
            Err(_) if self.position.is_open() => Ok(None),
            Err(fault) => Err(self.error(&fault)),
        }
    }

    /// Ends the text. No incomplete statement may remain.
    ///
    /// # Errors
    /// Fails if a token is unclosed or the last statement has no semicolon.
    pub fn end(mut self) -> Result<(), SplitError> {
        let last = |splitter: &mut Splitter<'_>| match splitter.next()? {
            Some(found) => Ok(Some(found)),
            None => splitter.last(),
        };
        match self.step(false, last) {
            Ok(None) => Ok(()),
            Ok(Some(found)) => Err(self.error(&Fault { at: found.range.start, message: NO_SEMICOLON })),
            Err(fault) => Err(self.error(&fault)),
        }
    }

    fn step<T>(&mut self, grows: bool, action: impl FnOnce(&mut Splitter<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let scanner = Scanner::resumed(&self.text, std::mem::take(&mut self.position), grows);
        let current = std::mem::take(&mut self.current);
        let mut splitter = Splitter { text: &self.text, scanner, initial: Backslashes::Plain, current };
        let outcome = action(&mut splitter);
        let Splitter { scanner, current, .. } = splitter;
        (self.position, self.current) = (scanner.suspend(), current);
        outcome
    }

    fn take(&mut self, found: Found) -> Result<Read, SplitError> {
        let Found { range, takes_rows } = found;
        let text = self.text.get(range.clone()).unwrap_or_default().to_owned();
        let line = self.line(range.start);
        if takes_rows {
            let behind = self.text.get(self.position.at()..).unwrap_or_default().trim_start();
            if !behind.is_empty() && !behind.starts_with("--") {
                return Err(self.error(&Fault { at: self.position.at(), message: BEHIND_COPY }));
            }
            self.position.restart();
            self.advance(self.text.len());
            self.text.clear();
            self.done = 0;
        } else {
            self.advance(range.end);
        }
        Ok(Read { text, line, takes_rows })
    }

    fn error(&self, fault: &Fault) -> SplitError {
        let line = self.line(fault.at);
        SplitError { line, ..SplitError::new(&self.text, fault) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn read(text: &str) -> Result<Vec<String>, SplitError> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for line in text.split_inclusive('\n') {
            lines.push(line);
            while let Some(read) = lines.statement()? {
                found.push(format!("{}: {}", read.line, read.text));
            }
        }
        lines.end()?;
        Ok(found)
    }

    #[test]
    fn a_text_is_split_as_if_it_were_read_at_once() {
        for text in [
            "select 1;\nselect ';\n'';\n';\n-- ;\nselect 2; select\n3;\n",
            "do $a$ ;\n$$;\n$a;\n$a$;\nselect 1;\n",
            "/* ;\n /* ;\n */ ;\n */ select 1 /* ;\n */;\n",
            "select E'\\';\n' -- ;\n\n '\\';\n' ;\nselect 'a'\n'\\';\n",
            "select \"a;\n\"\"b;\n\" as c; select 1;\n",
            "set standard_conforming_strings = off;\nselect '\\';\n';\nreset all;\nselect '\\';\n",
            "create function f() returns int begin atomic\n select 1;\n select 2;\nend;\nselect (1;\n);\n",
            "\\restrict a\nselect 1;\n\n\\unrestrict a\n",
        ] {
            let whole: Vec<String> = crate::migrations::split::statements(text)
                .unwrap()
                .into_iter()
                .map(|range| format!("{}: {}", text[..range.start].matches('\n').count() + 1, &text[range]))
                .collect();
            assert_eq!(read(text).unwrap(), whole, "{text}");
        }
    }

    #[test]
    fn what_is_not_complete_is_named_by_its_line() {
        for (text, expected) in [
            ("select 1;\nselect 2", "line 2, column 1: the last statement"),
            ("select 1;\n\n do $$ ;\n", "line 3, column 5: a string is opened"),
            ("select 1; select\n (1;\n", "line 2, column 2: a parenthesis"),
            ("select 1;\n\\i a\n", "line 2, column 1: a backslash"),
            ("copy t from stdin; select 1;\n", "line 1, column 19: something stands behind"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn long_statements_cost_their_length_once() {
        let line = "  perform 'it''s'; -- ;\n";
        let lines = |bytes: usize| line.repeat(bytes / line.len());
        let (body, part) = (lines(20 << 20), lines(1 << 20));
        let began = Instant::now();
        for text in [
            format!("create function f() as $f$\n{body}$f$;\n"),
            format!("insert into t values ('{}');\n", part.replace('\'', "''")),
            format!("/*\n{part}*/ select 1;\n"),
            format!("create rule r as on insert to t do (\n{part});\n"),
            "select 1; select\n".repeat(50_000) + "2;",
            "select 1;".repeat(50_000),
        ] {
            assert!(!read(&text).unwrap().is_empty());
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    }
}
