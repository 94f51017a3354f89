//! Limits on the size of a single request. PostgreSQL plans a statement before it checks the caller's privileges, and the time and memory
//! for planning grow with the size of the statement. The size of a request is therefore checked before PostgreSQL receives the statement.
//!
//! Each limit is many times larger than typical requests require. For a request at one of the limits, PostgreSQL 15 needs about 15
//! milliseconds and 1.5 MB to plan the statement (tables of five columns with one policy each).

use http::{HeaderMap, HeaderName};

use super::model::{Filter, LogicTree, Operation, SelectItem};
use super::query::Query;
use crate::error::ApiError;

/// Maximum number of embedded relations in a request, including embeds inside embeds.
const MAX_EMBEDS: usize = 50;
/// Maximum number of `select` items in a request, including items of embeds. The value equals the maximum number of columns of a PostgreSQL
/// table.
const MAX_SELECT_ITEMS: usize = 1_600;
/// Maximum number of conditions in a request: filters, and conditions inside `and` and `or`.
const MAX_CONDITIONS: usize = 1_000;
/// Maximum number of values in all `in.(…)` lists of a request together. Each list is bound as one array.
const MAX_LIST_VALUES: usize = 20_000;
/// Maximum number of `order` terms in a request, including terms of embeds.
const MAX_ORDER_TERMS: usize = 100;
/// Maximum number of columns in `columns` or in a row of the body. The value equals the maximum number of columns of a PostgreSQL table.
pub(super) const MAX_COLUMNS: usize = 1_600;
/// Maximum number of columns in `on_conflict`. The value equals the maximum number of columns of a PostgreSQL index.
const MAX_CONFLICT_COLUMNS: usize = 32;
/// Maximum number of arguments of a function call. Each value of a variadic argument counts.
const MAX_ARGUMENTS: usize = 10_000;
/// Maximum nesting depth of a JSON body, because PostgreSQL's JSON parser is recursive.
const MAX_JSON_DEPTH: usize = 512;
/// Maximum number of entries in the `Prefer` header or the `Accept` header.
const MAX_HEADER_ENTRIES: usize = 100;
/// Maximum length of a statement in bytes. The statement of a write contains the name of each column up to five times.
const MAX_STATEMENT_BYTES: usize = 512 * 1024;

/// Checks a parsed query string against all limits.
pub(super) fn check_query(query: &Query) -> Result<(), ApiError> {
    let mut selected = Selected::default();
    selected.add(&query.select);
    let mut conditions = Conditions::default();
    query.filters.iter().for_each(|(_, filter)| conditions.add(filter));
    query.logic.iter().for_each(|(_, tree)| conditions.add_tree(tree));
    at_most(MAX_EMBEDS, selected.embeds, "embedded relations")?;
    at_most(MAX_SELECT_ITEMS, selected.items, "items of select")?;
    at_most(MAX_CONDITIONS, conditions.count, "conditions")?;
    at_most(MAX_LIST_VALUES, conditions.list_values, "values in lists")?;
    at_most(MAX_ORDER_TERMS, query.order.iter().map(|(_, terms)| terms.len()).sum(), "terms of order")?;
    at_most(MAX_COLUMNS, query.columns.as_ref().map_or(0, |columns| columns.len()), "columns")?;
    at_most(MAX_CONFLICT_COLUMNS, query.on_conflict.as_ref().map_or(0, Vec::len), "columns of on_conflict")?;
    at_most(MAX_ARGUMENTS, query.arguments.len(), "arguments")
}

/// Checks the number of embeds in a `select` text before it is parsed, because parsing would be the most expensive part of rejecting the
/// request.
pub(super) fn check_select_text(select: &str) -> Result<(), ApiError> {
    let (mut embeds, mut is_quoted) = (0, false);
    let mut bytes = select.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\\' if is_quoted => _ = bytes.next(),
            // Empty parentheses belong to an aggregate (`amount.sum()`), not to an embed.
            b'(' if !is_quoted && bytes.peek() != Some(&b')') => embeds += 1,
            _ => {}
        }
    }
    at_most(MAX_EMBEDS, embeds, "embedded relations")
}

/// Checks the number of entries in the `Prefer` and `Accept` headers.
pub(super) fn check_headers(headers: &HeaderMap) -> Result<(), ApiError> {
    for (name, entries) in
        [(HeaderName::from_static("prefer"), "preferences"), (http::header::ACCEPT, "accepted media types")]
    {
        let count = |value: &http::HeaderValue| 1 + value.as_bytes().iter().filter(|&&byte| byte == b',').count();
        at_most(MAX_HEADER_ENTRIES, headers.get_all(name).iter().map(count).sum(), entries)?;
    }
    Ok(())
}

/// Checks the number of columns in the rows of a request body.
pub(super) fn check_columns(count: usize) -> Result<(), ApiError> {
    at_most(MAX_COLUMNS, count, "columns")
}

/// Checks the number of fields in a form body, which are the arguments of a function call.
pub(super) fn check_arguments(count: usize) -> Result<(), ApiError> {
    at_most(MAX_ARGUMENTS, count, "arguments")
}

/// Checks the nesting depth of a JSON text. Does not validate the JSON.
pub(super) fn check_json_depth(json: &[u8]) -> Result<(), ApiError> {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => _ = bytes.next(),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    at_most(MAX_JSON_DEPTH, deepest, "levels of JSON")
}

pub(crate) fn check_statement(text: &str) -> Result<(), ApiError> {
    at_most(MAX_STATEMENT_BYTES, text.len(), "bytes of SQL")
}

fn at_most(most: usize, count: usize, what: &str) -> Result<(), ApiError> {
    if count <= most { Ok(()) } else { Err(ApiError::too_much(most, count, what)) }
}

#[derive(Default)]
struct Selected {
    embeds: usize,
    items: usize,
}

impl Selected {
    /// Counts the `select` items recursively. The parser has already limited the nesting depth.
    fn add(&mut self, items: &[SelectItem]) {
        self.items += items.len();
        for item in items {
            if let SelectItem::Relation(relation) = item {
                self.embeds += 1;
                self.add(&relation.items);
            }
        }
    }
}

#[derive(Default)]
struct Conditions {
    count: usize,
    list_values: usize,
}

impl Conditions {
    fn add(&mut self, filter: &Filter) {
        self.count += 1;
        if let Operation::In(values) = &filter.operation {
            self.list_values += values.len();
        }
    }

    /// Counts the conditions recursively. The parser has already limited the nesting depth.
    fn add_tree(&mut self, tree: &LogicTree) {
        match tree {
            LogicTree::Filter(filter) => self.add(filter),
            LogicTree::Group { items, .. } => items.iter().for_each(|item| self.add_tree(item)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a query with `bound` items is accepted, and returns the error details of a query with `bound + 1` items.
    fn at_bound(bound: usize, query: impl Fn(usize) -> String) -> String {
        assert!(Query::parse(&query(bound), true).is_ok());
        let error = Query::parse(&query(bound + 1), true).unwrap_err();
        assert_eq!((error.status().as_u16(), error.code()), (400, "PGRST190"));
        serde_json::from_str::<serde_json::Value>(&error.body()).unwrap()["details"].as_str().unwrap().to_owned()
    }

    fn list(count: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
        (0..count).map(item).collect::<Vec<_>>().join(separator)
    }

    #[test]
    fn embeds_are_counted_before_they_are_parsed() {
        // The last parenthesis is missing, so that a `select` with an allowed number of embeds fails with a syntax error.
        let code = |select: String| Query::parse(&format!("select={select},a(b"), false).unwrap_err().code().to_owned();
        assert_eq!(code(list(MAX_EMBEDS, ",", |_| "a(b)".into())), "PGRST190");
        assert_eq!(code(list(MAX_EMBEDS - 1, ",", |_| "a(b)".into())), "PGRST100");
        assert_eq!(code(list(MAX_EMBEDS, ",", |_| "a.sum()".into())), "PGRST100", "an aggregate is none");
        assert_eq!(code(list(MAX_EMBEDS, ",", |_| r#""a\"(b""#.into())), "PGRST100", "nor is what is quoted");
    }

    #[test]
    fn what_a_request_asks_for_has_bounds() {
        assert_eq!(
            at_bound(MAX_EMBEDS, |n| format!("select={}", list(n, ",", |i| format!("y{i}:schools(id)")))),
            "51 embedded relations; a request may have 50"
        );
        // The embeds are distributed over two nesting levels.
        let nested = |n: usize| {
            format!("select={},b({})", list(n / 2, ",", |_| "a(x)".into()), list(n - n / 2 - 1, ",", |_| "c(x)".into()))
        };
        at_bound(MAX_EMBEDS, nested);
        at_bound(MAX_SELECT_ITEMS, |n| format!("select={}", list(n, ",", |i| format!("c{i}"))));
        at_bound(MAX_CONDITIONS, |n| list(n, "&", |i| format!("id=eq.{i}")));
        at_bound(MAX_CONDITIONS, |n| format!("or=({})&id=eq.1", list(n - 1, ",", |i| format!("and(id.eq.{i})"))));
        at_bound(MAX_CONDITIONS, |n| format!("a.or=({})", list(n, ",", |i| format!("id.eq.{i}"))));
        at_bound(MAX_LIST_VALUES, |n| {
            format!("id=in.({})&or=(id.not.in.(1,2),a.eq.1)", list(n - 2, ",", |i| i.to_string()))
        });
        at_bound(MAX_ORDER_TERMS, |n| format!("order=id&a.order={}", list(n - 1, ",", |i| format!("c{i}.desc"))));
        at_bound(MAX_COLUMNS, |n| format!("columns={}", list(n, ",", |i| format!("c{i}"))));
        at_bound(MAX_CONFLICT_COLUMNS, |n| format!("on_conflict={}", list(n, ",", |i| format!("c{i}"))));
        at_bound(MAX_ARGUMENTS, |n| list(n, "&", |_| "a=1".into()));
    }

    #[test]
    fn headers_have_bounds() {
        for name in ["prefer", "accept"] {
            let headers = |count: usize| {
                let mut headers = HeaderMap::new();
                for values in [count / 2, count - count / 2] {
                    let name = HeaderName::from_static(name);
                    headers.append(name, list(values, ",", |i| format!("a/{i}")).parse().unwrap());
                }
                headers
            };
            assert!(check_headers(&headers(MAX_HEADER_ENTRIES)).is_ok());
            assert_eq!(check_headers(&headers(MAX_HEADER_ENTRIES + 1)).unwrap_err().code(), "PGRST190");
        }
    }
}
