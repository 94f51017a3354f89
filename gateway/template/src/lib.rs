//! Go's template language: `text/template`, and `html/template`, which escapes each value for its place. Mails of Supabase projects are
//! written in it.
//!
//! What Go would refuse is refused, when the template is read as far as Go does so. Values are those of JSON. Not supported, and refused:
//! complex and hexadecimal floating-point constants, strings that are not UTF-8, the verbs `%p`, and `%b` and `%x` of floating-point numbers.

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

/// Why a template cannot be read or carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Error {
    /// From 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Error {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As they are (`text/template`).
    Text,
    /// Escaped for their place in HTML (`html/template`).
    Html,
}

/// A template, with those that it defines.
#[derive(Clone, Debug)]
pub struct Template {
    trees: BTreeMap<String, List>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// The first mistake, and in HTML the first value at a place where no escaper makes it safe.
    pub fn parse(text: &str, mode: Mode) -> Result<Self, Error> {
        let trees = parse::parse(text)?;
        let trees = match mode {
            Mode::Text => trees,
            Mode::Html => html::escape(trees)?,
        };
        Ok(Self { trees })
    }

    /// Writes the template with these values.
    ///
    /// # Errors
    /// What these values do not allow.
    pub fn render(&self, values: &Map<String, Json>) -> Result<String, Error> {
        let fields = values.iter().map(|(name, value)| (name.clone(), Value::of(value))).collect();
        exec::run(&self.trees, Value::Map(Rc::new(fields)))
    }
}
