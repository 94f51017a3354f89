//! Go's template language: `text/template`, and `html/template`, which escapes each inserted value for its position in the HTML. The mail
//! templates of Supabase projects use this language.
//!
//! A template that Go refuses is refused here too. If Go refuses it during parsing, this crate also refuses it during parsing, otherwise
//! during rendering. The data are JSON values. Some templates that Go accepts are refused: those with complex or hexadecimal floating-point
//! constants, strings that are not UTF-8, the verb `%p`, or the verbs `%b` and `%x` for floating-point numbers.

mod exec;
mod float;
mod funcs;
mod html;
mod lex;
mod literal;
mod node;
mod parse;
mod print;
mod quote;
mod value;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value as Json};

use node::List;
use value::Value;

/// Error: a template cannot be parsed or executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Error {
    /// Line number of the error in the template, which begins at 1. Zero if the line is unknown.
    pub line: usize,
    /// Column of the error in characters, which begins at 1. Zero if the column is unknown.
    pub column: usize,
    /// Description of the error.
    pub message: String,
}

impl Error {
    pub(crate) fn new(at: Position, message: impl Into<String>) -> Self {
        Self { line: at.line, column: at.column, message: message.into() }
    }
}

/// Position in a template: line and column, which begin at 1. Zero for an unknown number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Position {
    /// Returns a line whose column is unknown.
    pub(crate) const fn line(line: usize) -> Self {
        Self { line, column: 0 }
    }
}

/// How values are inserted into the output of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Values are inserted unchanged (`text/template`).
    Text,
    /// Values are escaped for their position in the HTML (`html/template`).
    Html,
}

/// A parsed template, with the named templates that its text defines.
#[derive(Clone, Debug)]
pub struct Template {
    trees: BTreeMap<String, List>,
}

impl Template {
    /// Parses a template and all named templates that its text defines.
    ///
    /// # Errors
    /// Returns the first syntax error. In mode [`Mode::Html`], also returns an error for a value at a position where no escaper makes the
    /// value safe.
    pub fn parse(text: &str, mode: Mode) -> Result<Self, Error> {
        let trees = parse::parse(text)?;
        let trees = match mode {
            Mode::Text => trees,
            Mode::Html => html::escape(trees)?,
        };
        Ok(Self { trees })
    }

    /// Renders the template with the variables in `values`.
    ///
    /// # Errors
    /// Returns an error if the template cannot be executed with these values or exceeds a limit of time, nesting or output size.
    pub fn render(&self, values: &Map<String, Json>) -> Result<String, Error> {
        let fields = values.iter().map(|(name, value)| (name.clone(), Value::of(value))).collect();
        exec::run(&self.trees, Value::Map(Rc::new(fields)))
    }
}
