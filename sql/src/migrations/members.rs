//! Statements about the members of an extension that the server lacks: grants, owners and comments, which `pg_dump` and `supabase db dump`
//! write for the functions and tables of an extension, and `create foreign data wrapper` with its functions. Such a statement is skipped only if three conditions are met: the extension's own
//! SQL files create a function or table of this name; the statement names the schema in which the project creates the extension; and the
//! database has no such object when the statement is executed. Therefore a statement about an object of the project is never skipped.

use super::scan::{Backslashes, Scanner};

/// Names of the functions and relations of extensions without a stand-in (SQL in place of a missing extension). A line without indentation
/// names the extension and the kind of its objects; the indented lines after it list the objects.
const MEMBERS: &str = include_str!("members.txt");

/// Schema of an extension if `create extension` names no schema: the first schema of the search path with which migrations and seeds run.
const DEFAULT_SCHEMA: &str = "public";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Function,
    /// Table, view or sequence.
    Relation,
}

impl Kind {
    fn heading(self) -> &'static str {
        match self {
            Self::Function => "functions",
            Self::Relation => "relations",
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Object {
    schema: Option<String>,
    name: String,
}

/// Statement that changes the privileges, the owner or the comment of functions or relations, or that creates a foreign-data wrapper with
/// functions.
#[derive(Debug)]
pub(super) struct Statement<'a> {
    text: &'a str,
    kind: Kind,
    objects: Vec<Object>,
}

impl<'a> Statement<'a> {
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut scanner = Scanner::new(text, Backslashes::Plain);
        let mut next = || {
            let word = text.get(scanner.token().ok()??.range).unwrap_or_default();
            Some(if word.starts_with('"') { word.to_owned() } else { word.to_ascii_lowercase() })
        };
        let verb = next()?;
        if verb == "create" {
            let words: Vec<String> = std::iter::from_fn(next).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            return Some(Self { text, kind: Kind::Function, objects: functions_of_wrapper(&words)? });
        }
        if !matches!(verb.as_str(), "grant" | "revoke" | "alter" | "comment") {
            return None;
        }
        let words: Vec<String> = std::iter::from_fn(next).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let on = words.iter().position(|word| *word == "on");
        let (words, ends): (_, &[&str]) = match (verb.as_str(), on) {
            ("grant", Some(on)) => (words.get(on + 1..)?, &["to"]),
            ("revoke", Some(on)) => (words.get(on + 1..)?, &["from"]),
            ("comment", Some(0)) => (words.get(1..)?, &["is"]),
            ("alter", _) => (words.as_slice(), &["owner", "to"]),
            _ => return None,
        };
        let (kind, words) = match words {
            ["function" | "procedure" | "routine" | "aggregate", rest @ ..] => (Kind::Function, rest),
            ["table" | "view" | "sequence", rest @ ..] | ["materialized", "view", rest @ ..] => (Kind::Relation, rest),
            rest if matches!(verb.as_str(), "grant" | "revoke") => (Kind::Relation, rest),
            _ => return None,
        };
        let (objects, rest) = objects(words, kind)?;
        rest.starts_with(ends).then_some(Self { text, kind, objects })
    }

    /// Returns the extension to which all objects of the statement belong. `skipped` contains pairs of an extension and its
    /// `create extension` statement.
    pub(super) fn extension<'s>(&self, skipped: impl Iterator<Item = (&'s str, &'s str)>) -> Option<&'s str> {
        let mut skipped = skipped;
        let found = skipped.find(|(extension, create)| {
            let schema = schema_of(create);
            let is_there = |object: &Object| object.schema.as_ref().is_none_or(|named| *named == schema);
            self.objects.iter().all(|object| is_there(object) && is_member(extension, self.kind, &object.name))
        });
        found.map(|(extension, _)| extension)
    }

    /// Returns SQL that executes the statement if the database has an object with the name of one of the statement's objects, and otherwise
    /// raises a warning. Only one warning per file is raised for each extension. A setting stores whether the warning was raised;
    /// `reset all` before each file resets this setting.
    pub(super) fn if_there(&self, extension: &str) -> String {
        let (catalog, name, schema) = match self.kind {
            Kind::Function => ("pg_proc", "proname", "pronamespace"),
            Kind::Relation => ("pg_class", "relname", "relnamespace"),
        };
        let is_named = self.objects.iter().map(|object| {
            let in_schema = object
                .schema
                .as_ref()
                .map(|schema| format!(" and s.nspname = {}", dollar_quoted(schema)))
                .unwrap_or_default();
            format!("(o.{name} = {}{in_schema})", dollar_quoted(&object.name))
        });
        let is_named = is_named.collect::<Vec<_>>().join(" or ");
        let first = self.objects.first().map_or("", |object| object.name.as_str());
        let warning = dollar_quoted(&format!(
            "extension {extension} is not installed: statement about its member {first} skipped, and all further ones of this file that \
             change the privileges, owner or comment of its members, or create a foreign-data wrapper with them"
        ));
        let remembered = dollar_quoted(&format!("cloch.warned_of_{extension}"));
        let statement = dollar_quoted(self.text);
        let body = format!(
            "begin
               if exists (select from pg_catalog.{catalog} o join pg_catalog.pg_namespace s on s.oid = o.{schema} where {is_named}) then
                 execute {statement};
               elsif pg_catalog.current_setting({remembered}, true) is distinct from 'yes' then
                 perform pg_catalog.set_config({remembered}, 'yes', false);
                 raise warning using message = {warning};
               end if;
             end"
        );
        format!("do {}", dollar_quoted(&body))
    }
}

/// Returns the functions in `foreign data wrapper NAME [handler FUNCTION] [validator FUNCTION]`; `None` for other statements, and if it has
/// other options or no function.
fn functions_of_wrapper(words: &[&str]) -> Option<Vec<Object>> {
    let ["foreign", "data", "wrapper", name, rest @ ..] = words else { return None };
    identifier(name)?;
    let (mut functions, mut rest) = (Vec::new(), rest);
    while let ["handler" | "validator", function @ ..] = rest {
        let (found, after) = objects(function, Kind::Relation)?;
        functions.extend(found);
        rest = after;
    }
    (matches!(rest, [] | [";"]) && !functions.is_empty()).then_some(functions)
}

/// Parses a list of objects, each with or without a schema and arguments. Returns the objects and the words after the list.
fn objects<'w>(words: &'w [&'w str], kind: Kind) -> Option<(Vec<Object>, &'w [&'w str])> {
    let (mut objects, mut words) = (Vec::new(), words);
    loop {
        let mut parts = Vec::new();
        loop {
            let (first, rest) = words.split_first()?;
            parts.push(identifier(first)?);
            words = rest;
            match words.split_first() {
                Some((&".", rest)) => words = rest,
                _ => break,
            }
        }
        if kind == Kind::Function && words.first() == Some(&"(") {
            words = words.get(arguments(words)?..)?;
        }
        let name = parts.pop()?;
        let schema = parts.pop();
        if !parts.is_empty() {
            return None;
        }
        objects.push(Object { schema, name });
        match words.split_first() {
            Some((&",", rest)) => words = rest,
            _ => return Some((objects, words)),
        }
    }
}

/// Returns the number of words in a list in parentheses, including the parentheses.
fn arguments(words: &[&str]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate() {
        match *word {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn identifier(word: &str) -> Option<String> {
    match word.strip_prefix('"') {
        Some(quoted) => Some(quoted.strip_suffix('"')?.replace("\"\"", "\"")),
        None => word.starts_with(|first: char| first.is_alphabetic() || first == '_').then(|| word.to_owned()),
    }
}

/// Returns the schema in which a `create extension` statement creates the objects of the extension.
fn schema_of(create: &str) -> String {
    let words = super::words(create);
    let named = words.iter().position(|word| word == "schema").and_then(|at| words.get(at + 1));
    named.and_then(|word| identifier(word)).unwrap_or_else(|| DEFAULT_SCHEMA.to_owned())
}

fn is_member(extension: &str, kind: Kind, name: &str) -> bool {
    let heading = [extension, kind.heading()];
    let lines = MEMBERS.lines().skip_while(|line| !line.split(' ').eq(heading)).skip(1);
    lines.take_while(|line| line.starts_with(' ')).flat_map(str::split_whitespace).any(|member| member == name)
}

/// Returns an SQL string literal whose meaning does not depend on `standard_conforming_strings`.
pub(super) fn dollar_quoted(text: &str) -> String {
    let mut tag = "$cloch".to_owned();
    while text.contains(&tag) {
        tag.push('_');
    }
    format!("{tag}${text}{tag}$")
}

#[cfg(test)]
#[path = "members_tests.rs"]
mod tests;
