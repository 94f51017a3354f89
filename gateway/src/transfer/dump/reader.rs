//! Reads a dump of any size as a stream: statements, and after each `COPY … FROM stdin` the rows of the table.

use cloch_sql::migrations::split::{Lines, Read, SplitError};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

use super::rules::quoted;

/// Maximum sizes of the parts of a dump.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Maximum size in bytes of one statement, and of a line outside of rows. The largest statements in real dumps are functions with tables
    /// of constants.
    statement: usize,
    /// Maximum size of one row in bytes. PostgreSQL does not accept longer ones.
    row: usize,
}

const LIMITS: Limits = Limits { statement: 256 << 20, row: 1 << 30 };
const LARGE_STATEMENT: &str = "a statement is larger than 256 MB";
const LARGE_ROW: &str = "a line is larger than 1 GB, which no row is that PostgreSQL reads";

/// A statement of a dump, or the header of a `COPY` statement whose rows follow.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A statement, without its semicolon.
    Statement {
        text: String,
        /// Line number of the statement's beginning, from 1.
        line: usize,
    },
    /// The header of a `COPY` statement. [`DumpReader::row`] returns the rows that follow.
    Copy(CopyHeader),
}

/// Parsed header `COPY "schema"."table" ("column", …) FROM stdin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CopyHeader {
    pub schema: String,
    pub table: String,
    /// Names of the table's columns, in the order of the fields in a row.
    pub columns: Vec<String>,
}

impl CopyHeader {
    /// Returns the table as `schema.table`. The lists of tables in `names` have the same form.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.schema, self.table)
    }

    pub(crate) fn statement(&self, columns: &[String]) -> String {
        let columns: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        let columns = if self.columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
        format!("COPY {}.{}{columns} FROM stdin", quoted(&self.schema), quoted(&self.table))
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The text cannot be split into statements.
    #[error(transparent)]
    Text(#[from] SplitError),
    /// The file ends in the middle of a statement.
    #[error("the file ends within a statement, it is not complete: {0}")]
    CutOff(SplitError),
    /// The content of the file does not have the form that pg_dump writes.
    #[error("line {line}: {message}")]
    Content {
        /// Line number, from 1.
        line: usize,
        message: String,
    },
}

pub(crate) struct DumpReader<R> {
    input: R,
    line_number: usize,
    line: Vec<u8>,
    lines: Lines,
    limits: Limits,
}

impl<R: AsyncBufRead + Unpin> DumpReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, line_number: 0, line: Vec::new(), lines: Lines::default(), limits: LIMITS }
    }

    /// Reads the next line. `false` at the end of the file. Reads at most `most` bytes. If the line is longer, fails with `message`.
    async fn next_line(&mut self, most: usize, message: &str) -> Result<bool, ReadError> {
        self.line.clear();
        self.line_number += 1;
        let read = (&mut self.input).take(most as u64 + 1).read_until(b'\n', &mut self.line).await?;
        match read > most {
            true => Err(self.refused(message)),
            false => Ok(read > 0),
        }
    }

    fn refused(&self, message: impl Into<String>) -> ReadError {
        ReadError::Content { line: self.line_number, message: message.into() }
    }

    /// Returns the next statement or the next COPY header; `None` at the end of the file.
    pub(crate) async fn next(&mut self) -> Result<Option<Piece>, ReadError> {
        loop {
            if let Some(Read { text, line, takes_rows }) = self.lines.statement()? {
                return match takes_rows {
                    true => Ok(Some(Piece::Copy(copy_header(&text).ok_or_else(|| unknown_copy(line))?))),
                    false => Ok(Some(Piece::Statement { text, line })),
                };
            }
            if !self.next_line(self.limits.statement, LARGE_STATEMENT).await? {
                std::mem::take(&mut self.lines).end().map_err(ReadError::CutOff)?;
                return Ok(None);
            }
            let line = std::str::from_utf8(&self.line).map_err(|_| self.refused("is not UTF-8"))?;
            self.lines.push(line);
            if self.lines.pending() > self.limits.statement {
                return Err(self.refused(LARGE_STATEMENT));
            }
        }
    }

    /// Returns the next row, including its line break, after a [`Piece::Copy`]. Returns `None` after the last row.
    pub(crate) async fn row(&mut self) -> Result<Option<&[u8]>, ReadError> {
        if !self.next_line(self.limits.row, LARGE_ROW).await? {
            return Err(self.refused("the file ends within the rows of a table: it is not complete"));
        }
        self.lines.skip_line();
        match self.line.as_slice() {
            b"\\.\n" | b"\\.\r\n" | b"\\." => Ok(None),
            row => Ok(Some(row)),
        }
    }
}

/// Parses a COPY header in pg_dump's form: `COPY schema.table (column, …) FROM stdin`. If the table has no columns, the header has no column
/// list. `None` for other texts.
fn copy_header(statement: &str) -> Option<CopyHeader> {
    let rest = statement.strip_prefix("COPY ")?.trim_end().strip_suffix("FROM stdin")?;
    let words = super::tokens::tokens_of_all(rest);
    let [schema, dot, table, list @ ..] = words.as_slice() else { return None };
    let columns = match list {
        [] => Vec::new(),
        [open, columns @ .., close] if open == "(" && close == ")" => {
            columns.split(|word| word == ",").map(only).collect::<Option<_>>()?
        }
        _ => return None,
    };
    (dot == ".").then(|| CopyHeader { schema: schema.clone(), table: table.clone(), columns })
}

fn only(column: &[String]) -> Option<String> {
    match column {
        [name] => Some(name.clone()),
        _ => None,
    }
}

/// Returns the error for a COPY header that cannot be parsed. The load must stop at this error, because the rows that follow would otherwise
/// be run as statements.
fn unknown_copy(line: usize) -> ReadError {
    let message =
        "rows follow a COPY that is not in pg_dump's form, which is COPY schema.table (column, …) FROM stdin;";
    ReadError::Content { line, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn pieces(text: &str) -> Result<Vec<String>, ReadError> {
        let mut reader = DumpReader::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some(piece) = reader.next().await? {
            match piece {
                Piece::Statement { text, line } => found.push(format!("{line}: {text}")),
                Piece::Copy(header) => {
                    found.push(format!("{} {:?}", header.name(), header.columns));
                    while let Some(row) = reader.row().await? {
                        found.push(String::from_utf8_lossy(row).into_owned());
                    }
                }
            }
        }
        Ok(found)
    }

    /// Reads a dump with lower limits: 100 bytes for a statement, 300 for a row. Returns the error and the number of bytes that were read.
    async fn limited(text: &[u8]) -> (Option<String>, usize) {
        let mut rest = text;
        let mut reader = DumpReader::new(&mut rest);
        reader.limits = Limits { statement: 100, row: 300 };
        let outcome = async {
            while let Some(piece) = reader.next().await? {
                while matches!(piece, Piece::Copy(_)) && reader.row().await?.is_some() {}
            }
            Ok::<_, ReadError>(())
        };
        let error = outcome.await.err().map(|error| error.to_string());
        (error, text.len() - rest.len())
    }

    #[tokio::test]
    async fn a_statement_and_a_row_have_a_maximum_size() {
        assert_eq!((LIMITS.statement, LIMITS.row), (256 << 20, 1 << 30));
        let value = |length: usize| "x".repeat(length);
        let row = |length| format!("COPY a.b (c) FROM stdin;\n{}\n\\.\n", value(length));
        for text in [format!("select '{}';\n", value(80)), row(299), format!("select '{}';\n", value(9)).repeat(100)] {
            assert_eq!(limited(text.as_bytes()).await, (None, text.len()));
        }
        for (text, message) in [
            (format!("select '{}';\n", value(1000)), LARGE_STATEMENT),
            (format!("select '{}", format!("{}\n", value(50)).repeat(100)), LARGE_STATEMENT),
            (format!("select '{}", "\n".repeat(1000)), LARGE_STATEMENT),
            (format!("-- {}\n", value(1000)), LARGE_STATEMENT),
            (row(300), LARGE_ROW),
            (row(5000), LARGE_ROW),
        ] {
            let (error, read) = limited(text.as_bytes()).await;
            assert!(error.as_ref().is_some_and(|error| error.contains(message)), "{text}: {error:?}");
            // The reader stops at the limit and reads no further byte of the statement or row.
            assert!(read <= 400, "{text}: {read} bytes were read");
        }
    }

    #[tokio::test]
    async fn refuses_what_is_not_whole() {
        for text in ["select 1", "COPY \"a\".\"b\" (\"c\") FROM stdin;\n1\n", "create function f() as $$ select 1;\n"] {
            assert!(pieces(text).await.unwrap_err().to_string().contains("not complete"), "{text}");
        }
        assert!(pieces("\\! rm -rf /\n").await.is_err());
        assert!(pieces("\\i other.sql\n").await.is_err());
    }

    #[tokio::test]
    async fn rows_are_never_read_as_statements() {
        for copy in [
            "copy a.b (c) from stdin;",
            "COPY b (c) FROM stdin;",
            "COPY a.b (c) FROM stdin WITH (FORMAT csv);",
            "COPY a.b (c) FROM STDIN;",
            "COPY a.b (c, ) FROM stdin;",
            "COPY a.b (c) FROM stdin; select 1;",
        ] {
            let error = pieces(&format!("{copy}\ndrop table a.b;\n\\.\n")).await.unwrap_err().to_string();
            assert!(error.starts_with("line 1"), "{copy}: {error}");
        }
        let without_columns = pieces("COPY a.b  FROM stdin;\n\n\n\\.\nselect 1;\n").await.unwrap();
        assert_eq!(without_columns, ["a.b []", "\n", "\n", "5: select 1"]);
        let header = CopyHeader { schema: "a".into(), table: "b".into(), columns: Vec::new() };
        assert_eq!(header.statement(&[]), "COPY \"a\".\"b\" FROM stdin");
    }

    #[tokio::test]
    async fn statements_of_one_line_are_decided_about_one_by_one() {
        assert_eq!(
            pieces("select 1; create role a superuser; -- b;\n").await.unwrap(),
            ["1: select 1", "1: create role a superuser"]
        );
    }

    #[tokio::test]
    async fn reads_statements_and_rows() {
        let text = "\\restrict abc\n-- PostgreSQL dump\n\nSET a = 1;\ncreate function f() as $$\n  select 1;\n$$;\n\
                    COPY \"pub\"\"lic\".\"t\" (\"Id\", \"b c\") FROM stdin;\n1\tx;\n\\\\restrict\n\\.\n\nselect 2;\n\\unrestrict abc\n";
        assert_eq!(
            pieces(text).await.unwrap(),
            [
                "4: SET a = 1",
                "5: create function f() as $$\n  select 1;\n$$",
                "pub\"lic.t [\"Id\", \"b c\"]",
                "1\tx;\n",
                "\\\\restrict\n",
                "select 2".replace("select", "13: select").as_str(),
            ]
        );
    }
}
