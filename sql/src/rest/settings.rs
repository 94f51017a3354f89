//! The settings of the table REST.

use std::time::Duration;

use cloch_core::min_rate::MinRate;
use http::HeaderName;

use crate::replica::ReplicaSettings;
use crate::schema_cache::{Name, Scope};

/// How a transaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TxEnd {
    /// Commit.
    #[default]
    Commit,
    /// Commit, unless the request prefers a rollback.
    CommitAllowOverride,
    /// Rollback.
    Rollback,
    /// Rollback, unless the request prefers a commit.
    RollbackAllowOverride,
}

impl TxEnd {
    /// Whether a request may choose.
    #[must_use]
    pub fn allows_override(self) -> bool {
        matches!(self, Self::CommitAllowOverride | Self::RollbackAllowOverride)
    }

    /// Whether the default is a rollback.
    #[must_use]
    pub fn rolls_back(self) -> bool {
        matches!(self, Self::Rollback | Self::RollbackAllowOverride)
    }
}

/// The extent of the OpenAPI description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenApiMode {
    /// The objects that the caller's role has privileges on.
    #[default]
    FollowPrivileges,
    /// All exposed objects.
    IgnorePrivileges,
    /// No description.
    Disabled,
}

/// Limits of callers without a session (role `anon`).
#[derive(Debug, Clone)]
pub struct VisitorLimits {
    /// Bytes of a request body; 0 for the limit of other callers.
    pub body_bytes: usize,
    /// Rows that one request may write; 0 for no limit.
    pub rows_per_write: u32,
    /// Rows that one network may write in an hour; 0 for no limit.
    pub rows_per_hour: u32,
}

/// The settings of the table REST. The defaults are the platform's.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The exposed schemas; the first is the default.
    pub schemas: Vec<String>,
    /// Schemas in the search path after the request's.
    pub extra_search_path: Vec<String>,
    /// Maximum number of rows that a read returns on each level.
    pub max_rows: Option<u32>,
    /// Maximum number of connections to the database.
    pub pool_size: usize,
    /// Bytes of a request body.
    pub max_body_bytes: usize,
    /// Minimum rate at which a body must arrive.
    pub min_rate: MinRate,
    /// Timeout of a request.
    pub request_timeout: Duration,
    /// Duration above which a statement is logged; `None` logs none.
    pub slow_statement: Option<Duration>,
    /// Limits of visitors.
    pub visitors: VisitorLimits,
    /// The function that runs before each request.
    pub pre_request: Option<Name>,
    /// The function that replaces the built-in description of the API.
    pub root_spec: Option<Name>,
    /// Whether aggregate functions are allowed.
    pub aggregates_enabled: bool,
    /// Whether query plans may be requested.
    pub plan_enabled: bool,
    /// Whether updates and deletes need a condition.
    pub require_where: bool,
    /// The end of transactions.
    pub tx_end: TxEnd,
    /// The extent of the OpenAPI description.
    pub openapi_mode: OpenApiMode,
    /// The URL of the API in its description.
    pub openapi_url: Option<String>,
    /// Whether the description includes the authorization header.
    pub openapi_security: bool,
    /// Settings for every transaction.
    pub app_settings: Vec<(String, String)>,
    /// Patterns of function settings that apply to the whole transaction.
    pub hoisted_settings: Vec<String>,
    /// Whether responses have the header `Server-Timing`.
    pub server_timing: bool,
    /// A request header that is repeated in responses.
    pub trace_header: Option<HeaderName>,
    /// The standby that answers reads.
    pub replica: Option<ReplicaSettings>,
}

impl Settings {
    /// The part of the database that the schema cache has to include.
    #[must_use]
    pub fn scope(&self) -> Scope {
        Scope {
            schemas: self.schemas.clone(),
            extra_search_path: self.extra_search_path.clone(),
            hoisted_settings: self.hoisted_settings.clone(),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let list = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
        Self {
            schemas: list(&["public", "graphql_public"]),
            extra_search_path: list(&["public", "extensions"]),
            max_rows: Some(1000),
            pool_size: 12,
            max_body_bytes: 60 * 1024 * 1024,
            min_rate: MinRate::default(),
            request_timeout: Duration::from_secs(60),
            slow_statement: Some(Duration::from_secs(1)),
            visitors: VisitorLimits { body_bytes: 4 * 1024 * 1024, rows_per_write: 1_000, rows_per_hour: 0 },
            pre_request: None,
            root_spec: None,
            aggregates_enabled: false,
            plan_enabled: false,
            require_where: true,
            tx_end: TxEnd::Commit,
            openapi_mode: OpenApiMode::FollowPrivileges,
            openapi_url: None,
            openapi_security: false,
            app_settings: Vec::new(),
            hoisted_settings: list(&[
                "statement_timeout",
                "plan_filter.statement_cost_limit",
                "default_transaction_isolation",
            ]),
            server_timing: false,
            trace_header: None,
            replica: None,
        }
    }
}
