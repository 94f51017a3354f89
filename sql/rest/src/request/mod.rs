//! First stage of a REST request: parses the HTTP request into a typed value, without the schema cache.

mod csv;
mod fields;
mod filters;
mod json_text;
mod limits;
pub mod model;
mod parser;
mod payload;
mod prefer;
mod query;
mod range;
mod selects;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, header};
use percent_encoding::percent_decode_str;

pub(crate) use limits::check_statement;
pub use payload::{Payload, Reading};
pub(crate) use prefer::names_timezone;
pub use prefer::{Count, Handling, Missing, Preferences, Resolution, Return, Transaction};
pub use query::{EmbedPath, Query, range_path};
pub use range::Range;

use super::Settings;
use super::error::ApiError;
use super::media_type::{MediaType, parse_accept};
use cloch_sql::schema_cache::Name;

/// Kind of change to a relation's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in SQL")]
pub enum Mutation {
    Insert,
    Update,
    /// PUT: inserts or updates one row, identified by its primary key.
    Upsert,
    Delete,
}

/// HTTP method of a function call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// GET or HEAD: arguments are in the query string.
    Read {
        /// Whether the method is HEAD: the response has no body.
        headers_only: bool,
    },
    /// POST: arguments are in the body.
    Post,
}

/// Action that a request's method and path select. The variants are named by method and resource.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is its method and resource")]
pub enum Action {
    Read { relation: Name, headers_only: bool },
    Mutate { relation: Name, mutation: Mutation },
    Call { function: Name, call: Call },
    Describe,
    RelationOptions(Name),
    FunctionOptions(Name),
    RootOptions,
}

/// A parsed request.
#[derive(Debug, Clone)]
pub struct ApiRequest {
    /// Action that the method and path select.
    pub action: Action,
    /// Schema that contains the relation or function.
    pub schema: String,
    /// Whether the response contains a `Content-Profile` header with the schema's name.
    pub names_schema: bool,
    /// Parsed query string.
    pub query: Query,
    /// Requested range of rows of the root relation.
    pub range: Range,
    /// Parsed body; `None` for methods without a body.
    pub payload: Option<Payload>,
    /// Names of the columns that a write sets, or of the arguments of a function call.
    pub columns: BTreeSet<String>,
    /// Preferences from the `Prefer` headers.
    pub preferences: Preferences,
    /// Media types of the `Accept` header, in order of preference.
    pub accept: Vec<MediaType>,
    /// Media type of the body.
    pub content_type: MediaType,
}

/// Action and schema of a request, determined before the body is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    action: Action,
    schema: String,
    names_schema: bool,
}

impl Target {
    /// Determines the action and schema from the method, path and profile headers.
    ///
    /// # Errors
    /// PGRST125 for an unknown path, PGRST126 if the OpenAPI description is disabled, PGRST106 for an unknown schema, PGRST101 or PGRST117
    /// for a method that is not allowed.
    pub fn find(parts: &Parts, settings: &Settings) -> Result<Self, ApiError> {
        let resource = Resource::find(parts.uri.path(), settings)?;
        let method = parts.method.as_str();
        let (schema, names_schema) = schema(&parts.headers, method, settings)?;
        let name = |name: String| Name::new(&schema, name);
        let call = |call| move |name| Action::Call { function: name, call };
        let action = match (resource, method) {
            (Resource::Function(f), "GET") => call(Call::Read { headers_only: false })(name(f)),
            (Resource::Function(f), "HEAD") => call(Call::Read { headers_only: true })(name(f)),
            (Resource::Function(f), "POST") => call(Call::Post)(name(f)),
            (Resource::Function(f), "OPTIONS") => Action::FunctionOptions(name(f)),
            (Resource::Function(_), _) => return Err(ApiError::call_method(method)),
            (Resource::Relation(r), "GET") => Action::Read { relation: name(r), headers_only: false },
            (Resource::Relation(r), "HEAD") => Action::Read { relation: name(r), headers_only: true },
            (Resource::Relation(r), "POST") => Action::Mutate { relation: name(r), mutation: Mutation::Insert },
            (Resource::Relation(r), "PUT") => Action::Mutate { relation: name(r), mutation: Mutation::Upsert },
            (Resource::Relation(r), "PATCH") => Action::Mutate { relation: name(r), mutation: Mutation::Update },
            (Resource::Relation(r), "DELETE") => Action::Mutate { relation: name(r), mutation: Mutation::Delete },
            (Resource::Relation(r), "OPTIONS") => Action::RelationOptions(name(r)),
            (Resource::Root, "GET" | "HEAD") => Action::Describe,
            (Resource::Root, "OPTIONS") => Action::RootOptions,
            _ => return Err(ApiError::method(method)),
        };
        Ok(Self { action, schema, names_schema })
    }

    /// Returns the action that the method and path select.
    #[must_use]
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// Whether the request's body must be read: for POST, PUT and PATCH.
    #[must_use]
    pub fn has_body(&self) -> bool {
        match &self.action {
            Action::Mutate { mutation, .. } => *mutation != Mutation::Delete,
            Action::Call { call, .. } => *call == Call::Post,
            _ => false,
        }
    }

    /// Parses the query string, headers and body.
    ///
    /// # Errors
    /// PGRST100 for an invalid query string, PGRST102 for an invalid body, PGRST103 or PGRST114 for an invalid range, PGRST190 for an
    /// exceeded limit.
    pub fn request(
        self,
        parts: &Parts,
        body: Bytes,
        settings: &Settings,
        timezones: &HashSet<String>,
    ) -> Result<ApiRequest, ApiError> {
        let is_call_by_get =
            matches!(self.action, Action::Call { call: Call::Read { .. }, .. } | Action::FunctionOptions(_));
        limits::check_headers(&parts.headers)?;
        // Only a function call reads arguments from the query string. OPTIONS on a function requires only the function's name.
        let is_call_by_get = is_call_by_get && !matches!(self.action, Action::FunctionOptions(_));
        let mut query = Query::parse(parts.uri.query().unwrap_or_default(), is_call_by_get)?;
        let range = root_range(parts, &mut query)?;
        let text = |name: header::HeaderName| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let content_type = text(header::CONTENT_TYPE).map_or(MediaType::Json, MediaType::parse);
        let named_columns = match self.action {
            Action::Mutate { mutation: Mutation::Insert | Mutation::Update, .. }
            | Action::Call { call: Call::Post, .. } => query.columns.clone(),
            _ => None,
        };
        let payload = if self.has_body() {
            let reading =
                Reading { is_call: matches!(self.action, Action::Call { .. }), has_columns: named_columns.is_some() };
            Some(Payload::read(body, &content_type, reading)?)
        } else {
            None
        };
        let columns = match (&payload, named_columns) {
            (Some(Payload::Unchecked(_)), Some(columns)) => columns,
            (Some(payload), _) => payload.keys(),
            (None, _) => BTreeSet::new(),
        };
        Ok(ApiRequest {
            action: self.action,
            schema: self.schema,
            names_schema: self.names_schema,
            query,
            range,
            payload,
            columns,
            preferences: Preferences::read(&parts.headers, settings.tx_end.allows_override(), timezones),
            accept: match parts.headers.get(header::ACCEPT) {
                Some(accept) => parse_accept(&String::from_utf8_lossy(accept.as_bytes())),
                None => vec![MediaType::Any],
            },
            content_type,
        })
    }
}

enum Resource {
    Root,
    Relation(String),
    Function(String),
}

impl Resource {
    fn find(path: &str, settings: &Settings) -> Result<Self, ApiError> {
        let decode = |segment: &str| percent_decode_str(segment).decode_utf8().map(|text| text.into_owned());
        let segments: Result<Vec<String>, _> = path.strip_prefix('/').unwrap_or(path).split('/').map(decode).collect();
        match segments.map_err(|_| ApiError::path())?.as_slice() {
            [root] if root.is_empty() => match &settings.root_spec {
                _ if settings.openapi_mode == super::OpenApiMode::Disabled => Err(ApiError::openapi_disabled()),
                Some(function) => Ok(Self::Function(function.name.clone())),
                None => Ok(Self::Root),
            },
            [relation] => Ok(Self::Relation(relation.clone())),
            [rpc, function] if rpc == "rpc" => Ok(Self::Function(function.clone())),
            _ => Err(ApiError::path()),
        }
    }
}

fn schema(headers: &HeaderMap, method: &str, settings: &Settings) -> Result<(String, bool), ApiError> {
    let header =
        if matches!(method, "DELETE" | "PATCH" | "POST" | "PUT") { "content-profile" } else { "accept-profile" };
    match headers.get(header).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()) {
        Some(schema) if settings.schemas.contains(&schema) => Ok((schema, true)),
        Some(schema) => Err(ApiError::schema(&schema, &settings.schemas)),
        None => Ok((settings.schemas.first().cloned().unwrap_or_default(), settings.schemas.len() != 1)),
    }
}

/// Returns the requested range of rows of the root relation: the intersection of `limit`, `offset` and the `Range` header. Also stores the
/// range in `query.ranges`.
fn root_range(parts: &Parts, query: &mut Query) -> Result<Range, ApiError> {
    let header = match parts.headers.get(header::RANGE) {
        Some(value) if parts.method == http::Method::GET => value.to_str().map_or(Range::ALL, Range::from_header),
        _ => Range::ALL,
    };
    let limit = query.ranges.get("limit").copied().unwrap_or(Range::ALL);
    let range = limit.or_none(header.intersection(limit));
    query.ranges.insert("limit".to_owned(), range);
    if range.is_empty() && !limit.is_limit_zero() {
        return Err(if header.is_empty() { ApiError::range_order() } else { ApiError::negative_limit() });
    }
    if parts.method == http::Method::PUT && range != Range::ALL {
        return Err(ApiError::put_range());
    }
    Ok(range)
}

/// Returns the cookies of a request by name. Values are not decoded.
#[must_use]
pub fn cookies(headers: &HeaderMap) -> BTreeMap<String, String> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| std::str::from_utf8(value.as_bytes()).ok());
    let pair = |piece: &str| {
        let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
        (name.trim_start().to_owned(), value.to_owned())
    };
    values.flat_map(|value| value.split(';')).filter(|piece| !piece.trim().is_empty()).map(pair).collect()
}
