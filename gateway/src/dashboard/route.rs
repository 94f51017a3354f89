//! Definition of an endpoint of the dashboard's API, used by the route table, the guard and the OpenAPI file.

use axum::routing::{MethodFilter, MethodRouter};
use serde::{Deserialize, Serialize};

use super::DashboardState;

/// Role of an operator, in ascending order. Each role has the rights of all lower roles as well.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize, sqlx::Type)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub(crate) enum Role {
    /// Role that reads everything except secrets.
    Viewer,
    /// Role that also changes the project.
    Developer,
    /// Role that also reads keys and manages operators.
    Owner,
}

/// Who may use an endpoint.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Access {
    /// Every client without a session, for example for the sign-in.
    Anyone,
    /// Operators with this role or a higher role.
    From(Role),
}

impl Access {
    pub(super) const VIEWER: Self = Self::From(Role::Viewer);
    pub(super) const DEVELOPER: Self = Self::From(Role::Developer);
    pub(super) const OWNER: Self = Self::From(Role::Owner);
}

/// Default maximum size of a request body in bytes.
const BODY_BYTES: usize = 1 << 20;

/// An endpoint of the dashboard's API.
pub(super) struct Route {
    pub(super) method: Method,
    /// Path below `/_/api` in axum's syntax.
    pub(super) path: &'static str,
    /// Name of the endpoint in the audit log and in the OpenAPI file: area, dot, verb.
    pub(super) name: &'static str,
    /// Summary for the OpenAPI file.
    pub(super) summary: &'static str,
    pub(super) access: Access,
    /// Whether requests are recorded in the audit log although the endpoint only reads.
    is_audited: bool,
    /// Whether the endpoint changes nothing although its method is not GET. Its requests are recorded only if `is_audited` is set.
    pub(super) is_harmless: bool,
    /// Whether a request counts as use of the session, which ends after an hour without use.
    pub(super) is_use: bool,
    /// Whether a request ends with an error after the request timeout.
    pub(super) has_timeout: bool,
    /// Maximum size of a request body in bytes. `None` for endpoints that transfer files and have limits of their own.
    pub(super) body_bytes: Option<usize>,
    pub(super) handler: fn(MethodFilter) -> MethodRouter<DashboardState>,
}

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

    /// Returns the HTTP method's name in OpenAPI.
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
    /// Creates an endpoint. Its requests are recorded in the audit log unless the method is GET.
    pub(super) const fn new(
        method: Method,
        path: &'static str,
        name: &'static str,
        summary: &'static str,
        access: Access,
        handler: fn(MethodFilter) -> MethodRouter<DashboardState>,
    ) -> Self {
        let body_bytes = Some(BODY_BYTES);
        let (is_audited, is_harmless, is_use, has_timeout) = (false, false, true, true);
        Self { method, path, name, summary, access, is_audited, is_harmless, is_use, has_timeout, body_bytes, handler }
    }

    /// Marks an endpoint whose requests are all recorded in the audit log, because it reads personal data or secrets.
    pub(super) const fn audited(mut self) -> Self {
        self.is_audited = true;
        self
    }

    /// Marks an endpoint that changes nothing although its method is not GET, because its request needs a body.
    pub(super) const fn harmless(mut self) -> Self {
        self.is_harmless = true;
        self
    }

    /// Marks an endpoint whose requests do not count as use of the session, because browsers repeat them automatically: an `EventSource`
    /// reconnects.
    pub(super) const fn repeated(mut self) -> Self {
        self.is_use = false;
        self
    }

    /// Sets the maximum size of a request body in bytes.
    pub(super) const fn body(mut self, bytes: usize) -> Self {
        self.body_bytes = Some(bytes);
        self
    }

    /// Removes the body limit and request timeout, for endpoints that transfer files and have limits of their own.
    pub(super) const fn file(mut self) -> Self {
        self.body_bytes = None;
        self
    }

    /// Removes the request timeout, for endpoints that copy files.
    pub(super) const fn unhurried(mut self) -> Self {
        self.has_timeout = false;
        self
    }

    /// Whether the endpoint continues after the client has disconnected. Such an endpoint makes many changes one after the other, and its
    /// audit entry lists the changes that were made.
    pub(super) const fn goes_on(&self) -> bool {
        !self.has_timeout && self.body_bytes.is_some()
    }

    /// Whether a request must contain the session's CSRF token.
    pub(super) fn needs_csrf_token(&self) -> bool {
        self.method != Method::Get && self.access != Access::Anyone
    }

    /// Whether requests are recorded in the audit log. Endpoints without a session write their audit entries themselves.
    pub(super) fn is_recorded(&self) -> bool {
        self.access != Access::Anyone && (self.is_audited || (self.method != Method::Get && !self.is_harmless))
    }
}
