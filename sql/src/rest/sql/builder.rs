//! A builder for SQL text with bound parameters. Identifiers are quoted here and nowhere else; values never become part of the text.

use std::fmt::Write;

use bytes::Bytes;

use crate::client::Param;
use crate::schema_cache::Name;

/// SQL text and its parameters `$1`, `$2`, …
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sql {
    /// The text.
    pub text: String,
    /// The parameters.
    pub params: Vec<Param>,
    /// Whether a name was empty, which cannot be expressed in SQL.
    pub has_empty_name: bool,
    /// Number of columns at the end of the result that have a type and no value.
    pub hidden_columns: usize,
}

impl Sql {
    /// With the capacity that most statements need.
    pub(super) fn with_room() -> Self {
        Self { text: String::with_capacity(512), params: Vec::with_capacity(16), ..Self::default() }
    }

    /// Fixed text.
    pub(super) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// A quoted identifier.
    pub(super) fn ident(&mut self, name: &str) -> &mut Self {
        self.has_empty_name |= name.is_empty() || name.starts_with('\0');
        self.text.push('"');
        // A name contains no NUL, so the text is cut there.
        for c in name.chars().take_while(|&c| c != '\0') {
            if c == '"' {
                self.text.push('"');
            }
            self.text.push(c);
        }
        self.text.push('"');
        self
    }

    /// A name with its schema, if it has one.
    pub(super) fn name(&mut self, name: &Name) -> &mut Self {
        if !name.schema.is_empty() {
            self.ident(&name.schema).push(".");
        }
        self.ident(&name.name)
    }

    /// A column of a relation; `*` for all.
    pub(super) fn column(&mut self, relation: &Name, column: &str) -> &mut Self {
        self.name(relation).push(".");
        if column == "*" { self.push("*") } else { self.ident(column) }
    }

    /// A type name as a user writes it. Names that are part of SQL's grammar stay unquoted, since they are not names in pg_type (there is a
    /// type `int4`, but no `"int"`); all others are converted to lower case and quoted.
    pub(super) fn type_name(&mut self, name: &str) -> &mut Self {
        const GRAMMAR: [&str; 26] = [
            "bigint",
            "bit",
            "bit varying",
            "boolean",
            "char",
            "char varying",
            "character",
            "character varying",
            "dec",
            "decimal",
            "double precision",
            "float",
            "int",
            "integer",
            "interval",
            "nchar",
            "national character",
            "numeric",
            "real",
            "smallint",
            "time",
            "time with time zone",
            "time without time zone",
            "timestamp",
            "timestamp with time zone",
            "timestamp without time zone",
        ];
        let lower = name.to_lowercase();
        if GRAMMAR.contains(&lower.as_str()) { self.push(&lower) } else { self.ident(&lower) }
    }

    /// A text literal; used for names only.
    pub(super) fn literal(&mut self, text: &str) -> &mut Self {
        let backslash = text.contains('\\');
        self.text.push_str(if backslash { "E'" } else { "'" });
        for c in text.chars().take_while(|&c| c != '\0') {
            if c == '\'' || c == '\\' {
                self.text.push(c);
            }
            self.text.push(c);
        }
        self.text.push('\'');
        self
    }

    /// A parameter whose type PostgreSQL infers.
    pub(super) fn bind(&mut self, value: impl Into<Bytes>) -> &mut Self {
        self.param(Param::unknown(value))
    }

    /// A parameter.
    pub(super) fn param(&mut self, param: Param) -> &mut Self {
        self.params.push(param);
        // Writing to a `String` cannot fail.
        let _ = write!(self.text, "${}", self.params.len());
        self
    }

    /// Appends items with a separator.
    pub(super) fn list<T>(
        &mut self,
        separator: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) -> &mut Self {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.text.push_str(separator);
            }
            write(self, item);
        }
        self
    }
}

/// A quoted identifier, for statements built elsewhere.
#[must_use]
pub fn quoted(name: &str) -> String {
    ident_list([name])
}

/// A list of quoted identifiers, as `search_path` takes it.
pub(super) fn ident_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut sql = Sql::default();
    sql.list(", ", names, |sql, name| {
        sql.ident(name);
    });
    sql.text
}
