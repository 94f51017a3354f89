//! Reads a dump piece by piece, however large it is: statements, and the rows that follow a `COPY … FROM stdin`.

use cloch_sql::migrations::split;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

use super::rules::quoted;

/// Bytes of one statement at most; the largest that real dumps hold are tables of constants in functions.
const MAX_STATEMENT_BYTES: usize = 256 << 20;

/// Bytes of one line at most: PostgreSQL reads no longer row.
const MAX_LINE_BYTES: u64 = 1 << 30;

/// One piece of a dump.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A statement, without its semicolon.
    Statement {
        /// Its text.
        text: String,
        /// The line on which it begins, from 1.
        line: usize,
    },
    /// Rows follow, which [`DumpReader::row`] returns.
    Copy(CopyHeader),
}

/// `COPY "schema"."table" ("column", …) FROM stdin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CopyHeader {
    /// The table's schema.
    pub schema: String,
    /// The table's name.
    pub table: String,
    /// Its columns in the order of the fields.
    pub columns: Vec<String>,
}

impl CopyHeader {
    /// `schema.table`, as the lists of tables have it.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.schema, self.table)
    }

    /// The statement that copies rows with these columns.
    pub(crate) fn statement(&self, columns: &[String]) -> String {
        let columns: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        format!("COPY {}.{} ({}) FROM stdin", quoted(&self.schema), quoted(&self.table), columns.join(", "))
    }
}

/// Why a dump cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file is not the text of a dump.
    #[error("line {line}: {message}")]
    Content {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

/// Reads a dump.
pub(crate) struct DumpReader<R> {
    input: R,
    line_number: usize,
    line: Vec<u8>,
}

impl<R: AsyncBufRead + Unpin> DumpReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, line_number: 0, line: Vec::new() }
    }

    async fn next_line(&mut self) -> Result<bool, ReadError> {
        self.line.clear();
        self.line_number += 1;
        let read = (&mut self.input).take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut self.line).await?;
        match read as u64 > MAX_LINE_BYTES {
            true => Err(self.refused("a line is larger than 1 GB, which no row is that PostgreSQL reads")),
            false => Ok(read > 0),
        }
    }

    fn refused(&self, message: impl Into<String>) -> ReadError {
        ReadError::Content { line: self.line_number, message: message.into() }
    }

    /// The next piece; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Piece>, ReadError> {
        let mut text = String::new();
        let mut begun = 0;
        while self.next_line().await? {
            let line = std::str::from_utf8(&self.line).map_err(|_| self.refused("is not UTF-8"))?;
            let is_empty = text.is_empty();
            // psql's own commands that pg_dump writes since August 2025: they fence the dump against commands in the data.
            if is_empty && (line.starts_with("\\restrict") || line.starts_with("\\unrestrict")) {
                continue;
            }
            if is_empty && line.starts_with('\\') {
                return Err(self.refused("is a command of psql; only SQL and COPY are read"));
            }
            if is_empty && (line.trim().is_empty() || line.starts_with("--")) {
                continue;
            }
            if is_empty {
                begun = self.line_number;
            }
            text.push_str(line);
            if text.len() > MAX_STATEMENT_BYTES {
                return Err(self.refused("a statement is larger than 256 MB"));
            }
            if line.trim_end().ends_with(';')
                && let Some(statement) = split::complete(&text).and_then(|end| text.get(..end))
            {
                return Ok(Some(match copy_header(statement) {
                    Some(header) => Piece::Copy(header),
                    None => Piece::Statement { text: statement.to_owned(), line: begun },
                }));
            }
        }
        match split::statements(&text).as_deref() {
            Ok([]) => Ok(None),
            Ok(_) | Err(_) => Err(self.refused("the file ends within a statement: it is not complete")),
        }
    }

    /// The next row of the table that [`Piece::Copy`] named, with its line break; none after the last.
    pub(crate) async fn row(&mut self) -> Result<Option<&[u8]>, ReadError> {
        if !self.next_line().await? {
            return Err(self.refused("the file ends within the rows of a table: it is not complete"));
        }
        match self.line.as_slice() {
            b"\\.\n" | b"\\.\r\n" | b"\\." => Ok(None),
            row => Ok(Some(row)),
        }
    }
}

/// The header of rows, in the form that pg_dump writes.
fn copy_header(statement: &str) -> Option<CopyHeader> {
    let rest = statement.strip_prefix("COPY ")?.trim_end().strip_suffix("FROM stdin")?;
    let words = super::tokens::tokens_of_all(rest);
    let mut words = words.into_iter();
    let schema = words.next()?;
    (words.next()? == ".").then_some(())?;
    let table = words.next()?;
    let columns = words.filter(|word| !matches!(word.as_str(), "(" | ")" | ","));
    Some(CopyHeader { schema, table, columns: columns.collect() })
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

    #[tokio::test]
    async fn refuses_what_is_not_whole() {
        for text in ["select 1", "COPY \"a\".\"b\" (\"c\") FROM stdin;\n1\n", "create function f() as $$ select 1;\n"] {
            assert!(pieces(text).await.unwrap_err().to_string().contains("not complete"), "{text}");
        }
        assert!(pieces("\\! rm -rf /\n").await.is_err());
        assert!(pieces("\\i other.sql\n").await.is_err());
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
