//! One endpoint: what the table of routes, the guard and the OpenAPI file are made of.

use axum::routing::{MethodFilter, MethodRouter};
use serde::{Deserialize, Serialize};

use super::DashboardState;

/// What an operator may do. Each role may do what those before it may.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize, sqlx::Type)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub(crate) enum Role {
    /// Reads what is no secret.
    Viewer,
    /// Changes the project.
    Developer,
    /// Reads keys, and decides who is an operator.
    Owner,
}

/// Who may use an endpoint.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Access {
    /// Whoever reaches the server: signing in.
    Anyone,
    /// Operators with at least this role.
    From(Role),
}

impl Access {
    pub(super) const VIEWER: Self = Self::From(Role::Viewer);
    pub(super) const DEVELOPER: Self = Self::From(Role::Developer);
    pub(super) const OWNER: Self = Self::From(Role::Owner);
}

/// The largest body of a request, in bytes, unless its route says otherwise.
const BODY_BYTES: usize = 1 << 20;

/// An endpoint.
pub(super) struct Route {
    pub(super) method: Method,
    /// Below `/_/api`, as axum writes it.
    pub(super) path: &'static str,
    /// What the audit calls it: the area, a dot, and a verb.
    pub(super) name: &'static str,
    /// What it does, for the OpenAPI file.
    pub(super) summary: &'static str,
    pub(super) access: Access,
    /// Whether it is recorded although it only reads.
    is_audited: bool,
    /// Whether it changes nothing although it is no GET; then it is recorded only where it is `audited`.
    pub(super) is_harmless: bool,
    /// Bytes of the body; `None` where the endpoint has limits of its own, for files.
    pub(super) body_bytes: Option<usize>,
    pub(super) handler: fn(MethodFilter) -> MethodRouter<DashboardState>,
}

/// The methods in use.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub(super) fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Patch => MethodFilter::PATCH,
            Self::Delete => MethodFilter::DELETE,
        }
    }

    /// As OpenAPI writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Put => "put",
            Self::Patch => "patch",
            Self::Delete => "delete",
        }
    }
}

impl Route {
    /// An endpoint that is recorded unless it is a GET.
    pub(super) const fn new(
        method: Method,
        path: &'static str,
        name: &'static str,
        summary: &'static str,
        access: Access,
        handler: fn(MethodFilter) -> MethodRouter<DashboardState>,
    ) -> Self {
        let body_bytes = Some(BODY_BYTES);
        Self { method, path, name, summary, access, is_audited: false, is_harmless: false, body_bytes, handler }
    }

    /// It reads personal data or secrets, and is recorded.
    pub(super) const fn audited(mut self) -> Self {
        self.is_audited = true;
        self
    }

    /// It is no GET because its question needs a body, and changes nothing.
    pub(super) const fn harmless(mut self) -> Self {
        self.is_harmless = true;
        self
    }

    /// Its body may have more bytes than usual.
    pub(super) const fn body(mut self, bytes: usize) -> Self {
        self.body_bytes = Some(bytes);
        self
    }

    /// It takes or sends files of any size, and has limits of its own.
    pub(super) const fn file(mut self) -> Self {
        self.body_bytes = None;
        self
    }

    /// Whether a request must have the session's CSRF token.
    pub(super) fn needs_csrf_token(&self) -> bool {
        self.method != Method::Get && self.access != Access::Anyone
    }

    /// Whether a request is a row of the audit. Endpoints for anyone record what they do themselves.
    pub(super) fn is_recorded(&self) -> bool {
        self.access != Access::Anyone && (self.is_audited || (self.method != Method::Get && !self.is_harmless))
    }
}
