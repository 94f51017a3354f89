//! Builds SQL text with bound parameters. Only this module quotes identifiers. Values never become part of the text.

use std::fmt::Write;

use bytes::Bytes;

use cloch_sql::client::Param;
use cloch_sql::schema_cache::Name;

/// SQL text with its parameters `$1`, `$2`, …
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sql {
    /// Text of the SQL statement.
    pub text: String,
    /// Values of the statement's parameters, in order.
    pub params: Vec<Param>,
    /// Whether an identifier was empty, which SQL does not allow.
    pub has_empty_name: bool,
    /// Number of columns at the end of the result that are always NULL. They are part of the result so that PostgreSQL rejects the prepared
    /// statement if the types of these columns have changed (`column_types.rs`).
    pub hidden_columns: usize,
}

impl Sql {
    /// Creates an empty statement with the capacity that most statements need.
    pub(super) fn with_room() -> Self {
        Self { text: String::with_capacity(512), params: Vec::with_capacity(16), ..Self::default() }
    }

    /// Appends fixed SQL text.
    pub(super) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Appends a quoted identifier.
    pub(super) fn ident(&mut self, name: &str) -> &mut Self {
        self.has_empty_name |= name.is_empty() || name.starts_with('\0');
        self.text.push('"');
        // An identifier must not contain NUL, so the name is cut at the first NUL.
        for c in name.chars().take_while(|&c| c != '\0') {
            if c == '"' {
                self.text.push('"');
            }
            self.text.push(c);
        }
        self.text.push('"');
        self
    }

    /// Appends a quoted name of a relation, function or type, with its schema if it has one.
    pub(super) fn name(&mut self, name: &Name) -> &mut Self {
        if !name.schema.is_empty() {
            self.ident(&name.schema).push(".");
        }
        self.ident(&name.name)
    }

    /// Appends a qualified column, or `*` for all columns.
    pub(super) fn column(&mut self, relation: &Name, column: &str) -> &mut Self {
        self.name(relation).push(".");
        if column == "*" { self.push("*") } else { self.ident(column) }
    }

    /// Appends a type name as written by a user. Type names that are keywords of SQL's grammar are not quoted, because pg_type does not
    /// contain these names: a type `int4` exists, but not `"int"`. Other names are converted to lower case and quoted.
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

    /// Appends a text literal. Only names may become literals; values are bound parameters.
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

    /// Appends a parameter whose type PostgreSQL infers from the statement.
    pub(super) fn bind(&mut self, value: impl Into<Bytes>) -> &mut Self {
        self.param(Param::unknown(value))
    }

    /// Appends a parameter with an explicit type or format.
    pub(super) fn param(&mut self, param: Param) -> &mut Self {
        self.params.push(param);
        // Writing to a `String` cannot fail.
        let _ = write!(self.text, "${}", self.params.len());
        self
    }

    /// Appends items with a separator between them.
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

/// Returns a quoted identifier, for SQL statements that other modules build.
#[must_use]
pub fn quoted(name: &str) -> String {
    ident_list([name])
}

/// Returns a list of quoted identifiers in the format of `search_path`.
pub(super) fn ident_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut sql = Sql::default();
    sql.list(", ", names, |sql, name| {
        sql.ident(name);
    });
    sql.text
}
