//! Parses the query string of a REST request.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::fields::tree_path;
use super::filters::{logic_path, logic_tree, operation, whole_value};
use super::limits;
use super::model::{Filter, LogicTree, OrderTerm, SelectItem};
use super::parser::{Parsed, Parser, parse};
use super::range::{Range, number};
use super::selects::{columns, order, select};
use crate::error::ApiError;

/// Characters that are not percent-encoded in the `Content-Location` header.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Names of the embeds on the path from the root relation to an embedded relation; empty for the root relation.
pub type EmbedPath = Vec<String>;

/// A parsed query string.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Canonical query string for the `Content-Location` header: the parameters, sorted by name and percent-encoded again.
    pub canonical: String,
    /// Arguments of a function that is called by GET.
    pub arguments: Vec<(String, String)>,
    /// Ranges of rows by parameter name, such as `limit` or `child.limit`. The map is sorted, because the order of the parameters
    /// determines the order of keys in the response.
    pub ranges: BTreeMap<String, Range>,
    /// Terms of `order`, each list with the path of its embed.
    pub order: Vec<(EmbedPath, Vec<OrderTerm>)>,
    /// Trees of `and` and `or` conditions, each with the path of its embed.
    pub logic: Vec<(EmbedPath, LogicTree)>,
    /// Names in the `columns` parameter; `None` if the parameter is absent.
    pub columns: Option<BTreeSet<String>>,
    /// Items of the `select` parameter.
    pub select: Vec<SelectItem>,
    /// Filters, each with the path of its embed.
    pub filters: Vec<(EmbedPath, Filter)>,
    /// Parameter names of the filters, as given in the request.
    pub filter_fields: BTreeSet<String>,
    /// Columns in the `on_conflict` parameter; `None` if the parameter is absent.
    pub on_conflict: Option<Vec<String>>,
}

impl Query {
    /// Parses a raw query string. In a function call by GET, a value without an operator is an argument.
    ///
    /// # Errors
    /// PGRST100 for the first parameter that cannot be parsed; PGRST190 if a limit is exceeded.
    pub fn parse(raw: &str, is_call_by_get: bool) -> Result<Self, ApiError> {
        let pairs = pairs(raw)?;
        let given = || pairs.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_deref()?)));
        let first = |name: &str| {
            let (_, value) = pairs.iter().find(|(key, _)| key == name)?;
            value.as_deref()
        };
        let mut query = Self { canonical: canonical(&pairs), ranges: ranges(given()), ..Self::default() };
        for (key, value) in given().filter(|(key, _)| last_word(key) == "order") {
            let (path, _) = tree(key)?;
            query.order.push((path, read("order", value, value, order)?));
        }
        for (key, value) in given().filter(|(key, _)| matches!(last_word(key), "and" | "or")) {
            let (path, operator) = read("logic path", key, key, logic_path)?;
            query.logic.push((path, read("logic tree", value, &format!("{operator}{value}"), logic_tree)?));
        }
        if let Some(value) = first("columns") {
            query.columns = Some(read("columns parameter", value, value, columns)?.into_iter().collect());
        }
        let value = first("select").unwrap_or("*");
        limits::check_select_text(value)?;
        query.select = read("select parameter", value, value, select)?;
        for (key, value) in given().filter(|(key, _)| is_filter(key)) {
            query.filter(key, value, is_call_by_get)?;
        }
        if let Some(value) = first("on_conflict") {
            query.on_conflict = Some(read("on_conflict parameter", value, value, columns)?);
        }
        limits::check_query(&query)?;
        Ok(query)
    }

    fn filter(&mut self, key: &str, value: &str, is_call_by_get: bool) -> Result<(), ApiError> {
        let (path, field) = tree(key)?;
        let found = read("filter", value, value, |p| {
            let with_operator = |p: &mut Parser<'_>| operation(p, whole_value).map(Some);
            if is_call_by_get { p.either(with_operator, |_| Ok(None)) } else { with_operator(p) }
        })?;
        self.filter_fields.insert(key.to_owned());
        match found {
            Some((negated, operation)) => self.filters.push((path, Filter { field, negated, operation })),
            None => self.arguments.push((field.name, value.to_owned())),
        }
        Ok(())
    }

    /// Returns the filters on the root relation.
    pub fn root_filters(&self) -> impl Iterator<Item = &Filter> {
        self.filters.iter().filter(|(path, _)| path.is_empty()).map(|(_, filter)| filter)
    }
}

fn tree(key: &str) -> Result<(EmbedPath, super::model::Field), ApiError> {
    read("tree path", key, key, tree_path)
}

/// Returns the path of the embed that a `limit` parameter such as `child.limit` refers to.
///
/// # Errors
/// PGRST100 if the parameter's name cannot be parsed.
pub fn range_path(key: &str) -> Result<EmbedPath, ApiError> {
    tree(key).map(|(path, _)| path)
}

fn read<T>(what: &str, shown: &str, text: &str, parser: impl Fn(&mut Parser<'_>) -> Parsed<T>) -> Result<T, ApiError> {
    parse(text, parser).map_err(|error| {
        let message = format!("\"failed to parse {what} ({shown})\" (line {}, column {})", error.line, error.column);
        ApiError::query(message, error.details)
    })
}

type Pair = (String, Option<String>);

fn pairs(raw: &str) -> Result<Vec<Pair>, ApiError> {
    let decode = |text: &str| {
        let spaced = text.replace('+', " ");
        let decoded = percent_decode_str(&spaced).decode_utf8().map(|text| text.into_owned());
        decoded.map_err(|_| {
            let message = "\"failed to parse query string\" (line 1, column 1)";
            ApiError::query(message.to_owned(), "the percent-encoded bytes are not UTF-8".to_owned())
        })
    };
    let raw = raw.strip_suffix(['&', ';']).unwrap_or(raw);
    let pieces = raw.split(['&', ';']).filter(|_| !raw.is_empty());
    let pair = |piece: &str| match piece.split_once('=') {
        Some((key, value)) => Ok((decode(key)?, Some(decode(value)?))),
        None => Ok((decode(piece)?, None)),
    };
    pieces.map(pair).collect()
}

fn last_word(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

fn is_filter(key: &str) -> bool {
    !matches!(last_word(key), "order" | "limit" | "offset" | "and" | "or")
        && !matches!(key, "select" | "columns" | "on_conflict")
}

/// Combines the last `limit` and the last `offset` of each relation to a range of rows. An invalid limit counts as 0 if the relation has an
/// offset.
fn ranges<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeMap<String, Range> {
    let mut limits: BTreeMap<String, (Option<Option<i128>>, Option<i128>)> = BTreeMap::new();
    for (key, value) in pairs {
        match last_word(key) {
            "limit" => limits.entry(key.to_owned()).or_default().0 = Some(number(value)),
            "offset" => {
                let key = format!("{}limit", key.strip_suffix("offset").unwrap_or_default());
                limits.entry(key).or_default().1 = Some(number(value).unwrap_or(0));
            }
            _ => {}
        }
    }
    let range = |limit: Option<Option<i128>>, offset: Option<i128>| match (limit, offset) {
        (Some(limit), Some(offset)) => Range::limited(offset, limit.unwrap_or(0)),
        (Some(Some(limit)), None) => Range::limited(0, limit),
        (_, offset) => Range::from(offset.unwrap_or(0)),
    };
    limits.into_iter().map(|(key, (limit, offset))| (key, range(limit, offset))).collect()
}

fn canonical(pairs: &[Pair]) -> String {
    let mut sorted: Vec<&Pair> = pairs.iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let encode = |text: &str| utf8_percent_encode(text, UNRESERVED).to_string();
    let mut canonical = String::new();
    for same in sorted.chunk_by(|a, b| a.0 == b.0) {
        let values = same.iter().map(|(_, value)| encode(value.as_deref().unwrap_or_default()));
        let key = same.first().map(|(key, _)| encode(key)).unwrap_or_default();
        if !canonical.is_empty() {
            canonical.push('&');
        }
        canonical.push_str(&format!("{key}={}", values.collect::<Vec<_>>().join(",")));
    }
    canonical
}
