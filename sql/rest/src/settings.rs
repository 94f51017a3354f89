//! Settings of the table REST API.

use std::time::Duration;

use cloch_core::min_rate::MinRate;
use http::HeaderName;

use cloch_sql::replica::ReplicaSettings;
use cloch_sql::schema_cache::{Name, Scope};

/// End of a transaction: commit or rollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TxEnd {
    /// Commit every transaction.
    #[default]
    Commit,
    /// Commit, unless the request prefers a rollback (`Prefer: tx=rollback`).
    CommitAllowOverride,
    /// Roll back every transaction.
    Rollback,
    /// Roll back, unless the request prefers a commit (`Prefer: tx=commit`).
    RollbackAllowOverride,
}

impl TxEnd {
    /// Whether a request may choose between commit and rollback.
    #[must_use]
    pub fn allows_override(self) -> bool {
        matches!(self, Self::CommitAllowOverride | Self::RollbackAllowOverride)
    }

    /// Whether a transaction is rolled back by default.
    #[must_use]
    pub fn rolls_back(self) -> bool {
        matches!(self, Self::Rollback | Self::RollbackAllowOverride)
    }
}

/// Set of objects that the OpenAPI description contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenApiMode {
    /// Only objects on which the caller's role has privileges.
    #[default]
    FollowPrivileges,
    /// All objects of the exposed schemas.
    IgnorePrivileges,
    /// The OpenAPI description is disabled.
    Disabled,
}

/// Limits for visitors: callers without a session (role `anon`).
#[derive(Debug, Clone)]
pub struct VisitorLimits {
    /// Maximum size of a request body in bytes; 0 if the limit of all other callers also applies to visitors.
    pub body_bytes: usize,
    /// Maximum number of rows that one request may write; 0 for no limit.
    pub rows_per_write: u32,
    /// Maximum number of rows that one network (an IPv4 address or an IPv6 /64) may write in an hour; 0 for no limit.
    pub rows_per_hour: u32,
}

/// Settings of the table REST API. The defaults are those of the Supabase platform.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Exposed schemas; the first schema is the default.
    pub schemas: Vec<String>,
    /// Schemas that are added to the search path after the schema of the request.
    pub extra_search_path: Vec<String>,
    /// Maximum number of rows that a read returns for the root relation, and for each embed; `None` for no limit.
    pub max_rows: Option<u32>,
    /// Maximum number of connections to the database.
    pub pool_size: usize,
    /// Maximum size of a request body in bytes.
    pub max_body_bytes: usize,
    /// Minimum transfer rate of a request body. A slower request is rejected.
    pub min_rate: MinRate,
    /// Timeout of a request.
    pub request_timeout: Duration,
    /// Duration above which a statement is logged as slow; `None` disables the log.
    pub slow_statement: Option<Duration>,
    /// Limits for visitors: callers without a session (role `anon`).
    pub visitors: VisitorLimits,
    /// Function that runs before each request in the request's transaction.
    pub pre_request: Option<Name>,
    /// Function that replaces the built-in OpenAPI description.
    pub root_spec: Option<Name>,
    /// Whether requests may use aggregate functions.
    pub aggregates_enabled: bool,
    /// Whether requests may ask for the query plan instead of the result.
    pub plan_enabled: bool,
    /// Whether UPDATE and DELETE require a condition.
    pub require_where: bool,
    /// Whether transactions are committed or rolled back.
    pub tx_end: TxEnd,
    /// Set of objects that the OpenAPI description contains.
    pub openapi_mode: OpenApiMode,
    /// Base URL of the API in the OpenAPI description.
    pub openapi_url: Option<String>,
    /// Whether the OpenAPI description includes the `Authorization` header.
    pub openapi_security: bool,
    /// Names and values of settings that each transaction sets.
    pub app_settings: Vec<(String, String)>,
    /// Patterns of setting names. If a function defines a setting (`create function … set`) whose name matches a pattern, the setting
    /// applies to the whole transaction instead of only to the function.
    pub hoisted_settings: Vec<String>,
    /// Whether responses have a `Server-Timing` header.
    pub server_timing: bool,
    /// Request header that is copied to the response.
    pub trace_header: Option<HeaderName>,
    /// Settings of the read replica; `None` if no replica is configured.
    pub replica: Option<ReplicaSettings>,
}

impl Settings {
    /// Returns the schemas and setting patterns for which the schema cache is loaded.
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
