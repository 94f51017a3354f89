//! Converts an API request into a [`Question`]. `cloch why` and the dashboard answer it: they explain which privileges and policies allow
//! or refuse the request.

use bytes::Bytes;
use cloch_rest::Settings;
use cloch_rest::why::{Command, Question, WhyError};
use cloch_sql::Caller;
use cloch_sql::client::Connection;
use cloch_sql::schema_cache::load;
use http::Request;

use crate::config::Config;

/// API request that an operator wants to have explained, or an action on a private channel of Realtime.
#[derive(Clone, Debug)]
pub struct AskedRequest<'a> {
    /// HTTP method: `GET`, `POST`, `PATCH`, `PUT` or `DELETE`. For a Realtime channel, `JOIN` or `SEND`.
    pub method: &'a str,
    /// Path with query: `/rest/v1/table?…` or `/storage/v1/object/bucket/path`. For a Realtime channel, its topic.
    pub target: &'a str,
    /// Body of the request, as JSON.
    pub body: Option<&'a str>,
    /// Whether the response to a write contains the written rows (`Prefer: return=representation`).
    pub returning: bool,
    /// For a request to the table REST API: the schema that the request selects (`Accept-Profile`, `Content-Profile`); `None` for the first
    /// exposed schema.
    pub schema: Option<&'a str>,
    /// For a Realtime channel: the kind of message, `broadcast` or `presence`.
    pub extension: &'a str,
}

impl AskedRequest<'_> {
    /// Converts the request into a [`Question`] about the privileges and policies that allow or refuse the request.
    pub async fn question(
        &self,
        config: &Config,
        caller: Caller,
        connection: &mut Connection,
    ) -> Result<Question, WhyError> {
        let refused = |message: &str| WhyError::Request(message.to_owned());
        let method = self.method.to_ascii_uppercase();
        if let "JOIN" | "SEND" = method.as_str() {
            let command = if method == "JOIN" { Command::Select } else { Command::Insert };
            return Ok(Question::of_channel(caller, command, self.target, self.extension));
        }
        if let Some(path) = self.target.strip_prefix("/storage/v1/object/") {
            let command = match method.as_str() {
                "GET" | "HEAD" => Command::Select,
                "POST" => Command::Insert,
                "PUT" => Command::Update,
                "DELETE" => Command::Delete,
                _ => return Err(refused(&format!("storage has no {method}: GET, POST, PUT or DELETE"))),
            };
            let path = path.split('?').next().unwrap_or_default();
            let path = path.strip_prefix("authenticated/").unwrap_or(path);
            let path = percent_encoding::percent_decode_str(path).decode_utf8();
            let path = path.map_err(|_| refused("the path is no UTF-8"))?;
            let object = path.split_once('/');
            let (bucket, name) = object.ok_or_else(|| refused("name the object: /storage/v1/object/BUCKET/PATH"))?;
            return Ok(Question::of_object(caller, command, bucket, name));
        }
        let Some(target) = self.target.strip_prefix("/rest/v1") else {
            return Err(refused(
                "the path begins with /rest/v1/ or /storage/v1/object/; for a channel, say JOIN or SEND and its topic",
            ));
        };
        let api = &config.file.api;
        let settings = Settings {
            schemas: api.schemas.clone(),
            extra_search_path: api.extra_search_path.clone(),
            ..Settings::default()
        };
        let schema_cache = load(connection, &settings.scope(), None).await?;
        let mut request = Request::builder().method(method.as_str()).uri(target);
        if self.returning {
            request = request.header("prefer", "return=representation");
        }
        if let Some(schema) = self.schema {
            request = request.header("accept-profile", schema).header("content-profile", schema);
        }
        let request = request.body(Bytes::from(self.body.unwrap_or_default().to_owned()));
        let request = request.map_err(|error| refused(&error.to_string()))?;
        Question::of_rest(caller, request, &schema_cache, &settings)
    }
}
