//! Selectors of the parts to extract from a backup: a file, a bucket, a table or rows.

use std::fmt;
use std::str::FromStr;

use crate::error::BackupError;

/// A part of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Only {
    /// `file:BUCKET/NAME`: one file.
    File {
        /// Bucket that contains the file.
        bucket: String,
        /// Name of the file in the bucket.
        name: String,
    },
    /// `bucket:BUCKET`: all files of a bucket.
    Bucket(String),
    /// `table:SCHEMA.TABLE`: all rows of a table.
    Table {
        /// Schema of the table.
        schema: String,
        /// Name of the table.
        table: String,
    },
    /// `row:SCHEMA.TABLE:COLUMN=VALUE`: the rows of a table with a value in a column.
    Row {
        /// Schema of the table.
        schema: String,
        /// Name of the table.
        table: String,
        /// Column that selects the rows.
        column: String,
        /// Value of the column in PostgreSQL's text form.
        value: String,
    },
}

impl Only {
    /// Whether the selector includes the object `path` (`bucket/name`).
    pub(super) fn has_object(&self, path: &str) -> bool {
        match (self, path.split_once('/')) {
            (Self::File { bucket, name }, Some(own)) => own == (bucket.as_str(), name.as_str()),
            (Self::Bucket(bucket), Some((own, _))) => own == bucket,
            _ => false,
        }
    }
}

impl FromStr for Only {
    type Err = BackupError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| {
            BackupError::Refused(format!(
                "{text:?} is none of file:BUCKET/NAME, bucket:BUCKET, table:SCHEMA.TABLE and row:SCHEMA.TABLE:COLUMN=VALUE"
            ))
        })
    }
}

fn parse(text: &str) -> Option<Only> {
    let (kind, rest) = text.split_once(':')?;
    let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let relation = |text: &str| match text.split_once('.') {
        Some((schema, table)) => Some((filled(schema)?, filled(table)?)),
        None => Some(("public".to_owned(), filled(text)?)),
    };
    match kind {
        "file" => {
            let (bucket, name) = rest.split_once('/')?;
            Some(Only::File { bucket: filled(bucket)?, name: filled(name)? })
        }
        "bucket" => Some(Only::Bucket(filled(rest).filter(|name| !name.contains('/'))?)),
        "table" => relation(rest).map(|(schema, table)| Only::Table { schema, table }),
        "row" => {
            let (name, condition) = rest.split_once(':')?;
            let (column, value) = condition.split_once('=')?;
            let (schema, table) = relation(name)?;
            Some(Only::Row { schema, table, column: filled(column)?, value: value.to_owned() })
        }
        _ => None,
    }
}

impl fmt::Display for Only {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { bucket, name } => write!(f, "the file {bucket}/{name}"),
            Self::Bucket(bucket) => write!(f, "a file in the bucket {bucket}"),
            Self::Table { schema, table } => write!(f, "the table {schema}.{table}"),
            Self::Row { schema, table, column, value } => {
                write!(f, "a row of {schema}.{table} with {column} = {value}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_named_is_taken() {
        for text in [
            "",
            "public.notes",
            "file:photos",
            "file:/a",
            "bucket:",
            "bucket:a/b",
            "table:",
            "row:notes",
            "row:notes:id",
            "rows:a:b=c",
        ] {
            assert!(text.parse::<Only>().is_err(), "{text}");
        }
        let file = "file:photos/a/b:c.jpg".parse::<Only>().ok();
        assert_eq!(file, Some(Only::File { bucket: "photos".into(), name: "a/b:c.jpg".into() }));
        let row = "row:notes:body=a=b:c".parse::<Only>().ok();
        let (schema, table, column, value) = ("public".into(), "notes".into(), "body".into(), "a=b:c".into());
        assert_eq!(row, Some(Only::Row { schema, table, column, value }));
        assert!(
            Only::Bucket("photos".into()).has_object("photos/a")
                && !Only::Bucket("photo".into()).has_object("photos/a")
        );
    }
}
