//! Content negotiation: selects the media type of the response and the builder of the response body.

use super::Planner;
use super::tree::ReadPlan;
use crate::error::ApiError;
use crate::media_type::MediaType;
use crate::request::{Action, Call, Return};
use cloch_sql::schema_cache::{Handler, HandlerTarget, Name};

/// Builder of the response body from the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyMaker {
    /// Builds a JSON array of all rows.
    Json,
    /// Builds a JSON array of objects without keys whose value is null.
    JsonStripped,
    /// Builds a single JSON object.
    Object {
        /// Whether keys with the value null are omitted.
        stripped: bool,
    },
    /// Builds comma-separated values (CSV).
    Csv,
    /// Builds a GeoJSON feature collection.
    GeoJson,
    /// Calls a media type handler: an SQL function of the database.
    Custom(Handler),
    /// Builds no body, because the response has none.
    Nothing,
}

impl Planner<'_> {
    /// Selects the first media type of the `Accept` header in which the rows of `relation` can be returned.
    pub(super) fn negotiate(&self, relation: &Name, read: &ReadPlan) -> Result<(BodyMaker, MediaType), ApiError> {
        let default_select = read.is_default_select();
        let accept = &self.request.accept;
        let Some((maker, media_type)) =
            accept.iter().find_map(|media_type| self.maker(relation, media_type, default_select))
        else {
            let accepted: Vec<String> = accept.iter().map(MediaType::to_mime).collect();
            return Err(ApiError::media_type(&accepted));
        };
        let makes_nothing = match &self.request.action {
            Action::Mutate { .. } => self.request.preferences.representation != Some(Return::Representation),
            Action::Read { headers_only, .. } => *headers_only,
            Action::Call { call, .. } => *call == (Call::Read { headers_only: true }),
            _ => false,
        };
        Ok((if makes_nothing { BodyMaker::Nothing } else { maker }, media_type))
    }

    fn maker(&self, relation: &Name, media_type: &MediaType, default_select: bool) -> Option<(BodyMaker, MediaType)> {
        let asked = media_type.clone();
        match media_type {
            MediaType::Object { stripped } => Some((BodyMaker::Object { stripped: *stripped }, asked)),
            MediaType::ArrayStripped => Some((BodyMaker::JsonStripped, asked)),
            MediaType::Plan { .. } if !self.settings.plan_enabled => None,
            MediaType::Plan { of, .. } => match of.as_ref() {
                MediaType::Object { stripped } => Some((BodyMaker::Object { stripped: *stripped }, asked)),
                MediaType::ArrayStripped => Some((BodyMaker::JsonStripped, asked)),
                of => self.overridable(relation, of, default_select).map(|(maker, _)| (maker, asked)),
            },
            _ => self.overridable(relation, media_type, default_select),
        }
    }

    /// Returns the builder of the response body for a media type: a media type handler of the database (an SQL function), or else the
    /// built-in builder. Returns `None` if neither exists.
    fn overridable(
        &self,
        relation: &Name,
        media_type: &MediaType,
        default_select: bool,
    ) -> Option<(BodyMaker, MediaType)> {
        let custom = |target: HandlerTarget, mime: String| {
            let handler = self.schema_cache.handlers.get(&(target, mime))?;
            Some((BodyMaker::Custom(handler.clone()), MediaType::parse(&handler.content_type)))
        };
        if !self.schema_cache.handlers.is_empty() {
            let mime = media_type.to_mime().to_lowercase();
            let one = HandlerTarget::One(relation.clone());
            let own = if default_select {
                custom(one.clone(), "*/*".to_owned()).or_else(|| custom(one, mime.clone()))
            } else {
                None
            };
            if let Some(found) = own.or_else(|| custom(HandlerTarget::Any, mime)) {
                return Some(found);
            }
        }
        match media_type {
            MediaType::Any | MediaType::Json => Some((BodyMaker::Json, MediaType::Json)),
            MediaType::Csv => Some((BodyMaker::Csv, MediaType::Csv)),
            MediaType::GeoJson => Some((BodyMaker::GeoJson, MediaType::GeoJson)),
            _ => None,
        }
    }
}
