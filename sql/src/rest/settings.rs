//! What a project may choose about its table REST.

use std::time::Duration;

use http::HeaderName;

use crate::min_rate::MinRate;
use crate::schema_cache::{Name, Scope};

/// How a transaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TxEnd {
    /// It stays.
    #[default]
    Commit,
    /// It stays, unless the request says otherwise.
    CommitAllowOverride,
    /// It is undone.
    Rollback,
    /// It is undone, unless the request says otherwise.
    RollbackAllowOverride,
}

impl TxEnd {
    /// Whether a request may choose.
    #[must_use]
    pub fn allows_override(self) -> bool {
        matches!(self, Self::CommitAllowOverride | Self::RollbackAllowOverride)
    }

    /// Whether it is undone without a choice.
    #[must_use]
    pub fn rolls_back(self) -> bool {
        matches!(self, Self::Rollback | Self::RollbackAllowOverride)
    }
}

/// What the description of the API shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenApiMode {
    /// What the caller's role has privileges on.
    #[default]
    FollowPrivileges,
    /// Everything exposed.
    IgnorePrivileges,
    /// Nothing: there is no description.
    Disabled,
}

/// What callers without a session (role `anon`) may do.
#[derive(Debug, Clone)]
pub struct VisitorLimits {
    /// The largest body taken, in bytes; 0 for that of other callers.
    pub body_bytes: usize,
    /// Rows that one request may write; 0 for any number.
    pub rows_per_write: u32,
    /// Rows that one network may write in an hour; 0 for any number.
    pub rows_per_hour: u32,
}

/// The settings of the table REST. The defaults are the platform's.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The exposed schemas; the first is that of requests that name none.
    pub schemas: Vec<String>,
    /// Schemas searched after the request's.
    pub extra_search_path: Vec<String>,
    /// The most rows a read returns, on every level.
    pub max_rows: Option<u32>,
    /// Connections to the database.
    pub pool_size: usize,
    /// The largest body taken, in bytes.
    pub max_body_bytes: usize,
    /// How fast a body must come at least.
    pub min_rate: MinRate,
    /// How long a request may take.
    pub request_timeout: Duration,
    /// How long a statement may take without a line in the log; none for any time.
    pub slow_statement: Option<Duration>,
    /// What visitors may do.
    pub visitors: VisitorLimits,
    /// A function that runs before each request.
    pub pre_request: Option<Name>,
    /// A function that describes the API instead of the built-in description.
    pub root_spec: Option<Name>,
    /// Whether `select` may aggregate.
    pub aggregates_enabled: bool,
    /// Whether plans may be asked for.
    pub plan_enabled: bool,
    /// Whether an update or delete must have a condition.
    pub require_where: bool,
    /// How transactions end.
    pub tx_end: TxEnd,
    /// What the description of the API shows.
    pub openapi_mode: OpenApiMode,
    /// Where the API is reached from outside, for its description.
    pub openapi_url: Option<String>,
    /// Whether the description says that a token may be sent.
    pub openapi_security: bool,
    /// Settings for every transaction.
    pub app_settings: Vec<(String, String)>,
    /// Patterns of the function settings that apply to the whole transaction.
    pub hoisted_settings: Vec<String>,
    /// Whether answers tell how long each stage took.
    pub server_timing: bool,
    /// A header of requests that answers repeat.
    pub trace_header: Option<HeaderName>,
}

impl Settings {
    /// What has to be known of the database.
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
        }
    }
}
