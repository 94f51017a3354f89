//! Rewrites statements about functions of pgmq (Supabase Queues) that name a signature which the database's pgmq lacks. Hosted projects
//! have pgmq 1.4 or 1.5. Version 1.5 added an argument with a default to `pgmq.read` and `pgmq.read_with_poll`. In some cases version 1.5
//! has two functions, but the stand-in (SQL in place of the extension) has one function with a default. A rewritten statement applies to
//! the function that PostgreSQL runs for a call with the named argument types. A second function with the missing signature would be wrong:
//! a revoke from the existing function would not apply to it, or it would lack the grants of the existing function.

use std::ops::Range;

use super::scan::{Backslashes, Kind, Scanner};

const SCHEMA: &str = "pgmq";
/// Function names and argument types of signatures that exist in only some versions. In the other versions, the same function has one more
/// argument at the end; the last element is its type.
const SIGNATURES: [(&str, &[&str], &str); 5] = [
    ("read", &["text", "integer", "integer"], "jsonb"),
    ("read_with_poll", &["text", "integer", "integer", "integer", "integer"], "jsonb"),
    ("send", &["text", "jsonb"], "integer"),
    ("send", &["text", "jsonb", "jsonb"], "integer"),
    ("send_batch", &["text", "jsonb[]"], "integer"),
];

/// Returns SQL that executes the statement with the signatures that the database has at that time. Returns `None` if the statement names no
/// signature that differs between versions.
pub(super) fn with_existing_signatures(statement: &str) -> Option<String> {
    let functions: Vec<Function> = functions(statement)?.into_iter().filter_map(Function::differing).collect();
    if functions.is_empty() {
        return None;
    }
    let (mut parts, mut from) = (Vec::new(), 0);
    for function in functions {
        parts.push(super::members::dollar_quoted(statement.get(from..function.end_of_arguments)?));
        let (named, other) = (function.signature(None), function.signature(Some(function.added)));
        parts.push(format!(
            "case when pg_catalog.to_regprocedure('{named}') is null and pg_catalog.to_regprocedure('{other}') is not null \
             then ', {}' else '' end",
            function.added
        ));
        from = function.end_of_arguments;
    }
    parts.push(super::members::dollar_quoted(statement.get(from..)?));
    Some(format!("do {}", super::members::dollar_quoted(&format!("begin execute {}; end", parts.join(" || ")))))
}

/// A function that a statement names with its signature. The last argument ends at byte `end_of_arguments` of the statement.
struct Function {
    name: String,
    types: Vec<String>,
    end_of_arguments: usize,
    added: &'static str,
}

impl Function {
    fn differing(self) -> Option<Self> {
        let (_, _, added) =
            SIGNATURES.into_iter().find(|(name, types, _)| *name == self.name && self.types == *types)?;
        Some(Self { added, ..self })
    }

    fn signature(&self, added: Option<&str>) -> String {
        let types: Vec<&str> = self.types.iter().map(String::as_str).chain(added).collect();
        format!("{SCHEMA}.{}({})", self.name, types.join(","))
    }
}

/// A token of a statement. `text` is a word, a quoted identifier without quotes, or a symbol.
struct Token {
    text: String,
    range: Range<usize>,
}

/// Returns the functions of pgmq that a `grant`, `revoke`, `comment` or `alter` statement names with their arguments. Returns `None` for
/// all other statements.
fn functions(statement: &str) -> Option<Vec<Function>> {
    let mut scanner = Scanner::new(statement, Backslashes::Plain);
    let mut next = || {
        let token = scanner.token().ok()??;
        let text = statement.get(token.range.clone())?;
        let text = match (token.kind, text.strip_prefix('"').and_then(|text| text.strip_suffix('"'))) {
            (Kind::Value, Some(quoted)) => quoted.replace("\"\"", "\""),
            _ => text.to_ascii_lowercase(),
        };
        Some(Token { text, range: token.range })
    };
    match next()?.text.as_str() {
        "grant" | "revoke" => while next()?.text != "on" {},
        "comment" => {
            next().filter(|word| word.text == "on")?;
        }
        "alter" => {}
        _ => return None,
    }
    next().filter(|word| matches!(word.text.as_str(), "function" | "routine"))?;
    let mut functions = Vec::new();
    loop {
        let schema = next()?.text;
        next().filter(|dot| dot.text == ".")?;
        let name = next()?.text;
        let mut behind = next()?;
        if behind.text == "(" {
            let (types, end_of_arguments) = arguments(&mut next)?;
            if schema == SCHEMA {
                functions.push(Function { name, types, end_of_arguments, added: "" });
            }
            behind = next()?;
        }
        if behind.text != "," {
            return Some(functions);
        }
    }
}

/// Parses a list of arguments, each with or without the argument's name. Returns the types, and the byte offset after the last argument.
fn arguments(next: &mut impl FnMut() -> Option<Token>) -> Option<(Vec<String>, usize)> {
    let (mut types, mut words, mut end) = (Vec::new(), Vec::<String>::new(), 0);
    loop {
        let token = next()?;
        match token.text.as_str() {
            "[" | "]" => words.last_mut()?.push_str(&token.text),
            "," | ")" => {
                types.extend(words.pop().map(|name| match name.as_str() {
                    "int" | "int4" => "integer".to_owned(),
                    _ => name,
                }));
                words.clear();
                if token.text == ")" {
                    return Some((types, end));
                }
            }
            _ => words.push(token.text),
        }
        end = token.range.end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(statement: &str) -> Vec<String> {
        let functions = functions(statement).unwrap_or_default().into_iter().filter_map(Function::differing);
        functions.map(|function| function.signature(Some(function.added))).collect()
    }

    #[test]
    fn signatures_of_other_versions_are_found() {
        for (statement, expected) in [
            (
                "grant execute on function pgmq.read(text, integer, integer) to a",
                vec!["pgmq.read(text,integer,integer,jsonb)"],
            ),
            (
                "GRANT ALL ON FUNCTION \"pgmq\".\"read\"(\"queue_name\" \"text\", \"vt\" integer, \"qty\" integer) TO \"a\";",
                vec!["pgmq.read(text,integer,integer,jsonb)"],
            ),
            (
                "revoke all on function pgmq.pop(text), PGMQ.Send(text, jsonb), pgmq.send_batch(queue_name text, msgs jsonb[]) from public",
                vec!["pgmq.send(text,jsonb,integer)", "pgmq.send_batch(text,jsonb[],integer)"],
            ),
            (
                "alter function pgmq.send(text, jsonb, jsonb) set search_path = ''",
                vec!["pgmq.send(text,jsonb,jsonb,integer)"],
            ),
            (
                "comment on function pgmq.read_with_poll(text, int, int4, integer, int) is 'x'",
                vec!["pgmq.read_with_poll(text,integer,integer,integer,integer,jsonb)"],
            ),
        ] {
            assert_eq!(named(statement), expected, "{statement}");
            assert!(with_existing_signatures(statement).is_some(), "{statement}");
        }
    }

    #[test]
    fn other_statements_are_unchanged() {
        for statement in [
            "grant execute on function pgmq.read(text, integer, integer, jsonb) to a",
            "grant execute on function public.read(text, integer, integer) to a",
            "grant execute on function read(text, integer, integer) to a",
            "grant execute on function pgmq.read to a",
            "grant execute on all functions in schema pgmq to a",
            "grant select on pgmq.meta to a",
            "create function pgmq.read(text, integer, integer) returns int return 1",
            "drop function pgmq.read(text, integer, integer)",
            "select pgmq.read('a', 1, 1)",
            "comment on table pgmq.meta is 'grant execute on function pgmq.read(text, integer, integer) to a'",
        ] {
            assert_eq!(with_existing_signatures(statement), None, "{statement}");
        }
    }
}
