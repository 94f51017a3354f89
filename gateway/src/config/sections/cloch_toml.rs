//! Types of `cloch.toml`: settings that the Supabase CLI would reject as unknown in config.toml.

use std::net::SocketAddr;
use std::time::Duration;

use cloch_auth::third_party::OtherIssuer;
use cloch_core::Secret;
use cloch_core::min_rate::MinRate;
use cloch_sql::advisors::Ignore;
use ipnet::IpNet;
use serde::Deserialize;
use toml::Table;
use url::Url;

use super::backup::BackupSection;
use super::config_toml::ByteSize;
use super::database::DatabaseSection;
use super::limits::Limits;
use super::storage::StorageSection;
use super::telemetry::TelemetrySection;
use super::tls::{AcmeSection, TlsSetting};

/// Keys and sections whose variable of `env(NAME)` may be unset when the server starts: features that are then disabled, texts that are shown as
/// they are, and `[backup]`, which has its own messages.
const MAY_BE_UNSET: [&str; 5] = ["ai.", "backup.", "database.read_url", "functions.", "web.settings."];

/// Whether the server starts although a key names a variable that is not set. All other keys would have the text `env(NAME)` as their value.
pub(in crate::config) fn may_name_unset_variable(key: &str) -> bool {
    MAY_BE_UNSET.iter().any(|prefix| key.starts_with(prefix))
}

/// All sections of cloch.toml.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ClochToml {
    /// Section `[server]`.
    pub server: Server,
    /// Section `[database]`.
    pub database: DatabaseSection,
    /// Section `[web]`.
    pub web: Web,
    /// Section `[seed]`.
    pub seed: SeedFiles,
    /// Section `[auth]`.
    pub auth: Auth,
    /// Section `[storage]`.
    pub storage: StorageSection,
    /// `[functions.<name>]`, parsed by the functions crate and by the functions themselves.
    pub functions: Table,
    /// `[ai]`, parsed by the functions that call a language model.
    pub ai: Table,
    /// Section `[limits]`.
    pub limits: Limits,
    /// Section `[outbound]`.
    pub outbound: OutboundFile,
    /// Section `[management]`.
    pub management: Management,
    /// Section `[metrics]`.
    pub metrics: Metrics,
    /// Section `[backup]`.
    pub backup: BackupSection,
    /// Section `[advisors]`.
    pub advisors: Advisors,
    /// Section `[realtime]`.
    pub realtime: RealtimeSection,
    /// Section `[dashboard]`.
    pub dashboard: DashboardSection,
    /// Section `[telemetry]`.
    pub telemetry: TelemetrySection,
}

/// `[dashboard]`: the operators' app at `/_/`.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct DashboardSection {
    /// Whether the dashboard is served.
    pub enabled: bool,
}

impl Default for DashboardSection {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// `[realtime]`: settings of realtime that config.toml has no key for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RealtimeSection {
    /// URL of a NATS server (`nats://user:password@host:4222`) that carries messages between nodes. If it is not set, PostgreSQL carries
    /// the messages.
    pub nats_url: Option<Secret>,
}

/// `[advisors]`: advisor rules about the database schema.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Advisors {
    /// `[[advisors.ignore]]`: findings that the project decided not to fix, with the reason.
    pub ignore: Vec<Ignore>,
}

/// `[management]`: the Management API at /v1, and /mcp.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Management {
    /// Networks that may use the API. Default: this machine, or no network if the project has a public URL.
    pub access: Option<ManagementAccess>,
    /// Whether the tools of /mcp may write: apply migrations, run SQL as the project's owner, deploy functions.
    pub mcp_writes: bool,
}

/// `[management] access`: clients that may use the Management API.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ManagementAccess {
    /// No clients: requests get the response for unknown paths.
    Off,
    /// Clients on this machine.
    Local,
    /// Clients in every network that send the access token.
    Anywhere,
}

/// `[metrics]`: metrics in Prometheus format at /metrics.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// Who may read the metrics. Default: clients on this machine and clients with the secret key; only clients with the secret key if
    /// the project has a public URL.
    pub access: Option<MetricsAccess>,
    /// Additional address, such as `10.0.0.5:9187`, where every client can read the metrics without a key.
    pub listen: Option<SocketAddr>,
}

/// `[metrics] access`: clients that may read /metrics at the public port.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum MetricsAccess {
    /// No clients.
    Off,
    /// Clients that send the secret key.
    Key,
    /// Clients that send the secret key, and clients on this machine.
    Local,
}

/// `[outbound]`: requests that the server sends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OutboundFile {
    /// Private networks that outbound requests may connect to: requests to URLs that a caller may have chosen (`net.http_post` in a
    /// function that an API calls), and requests to link-local addresses.
    pub allowed_networks: Vec<IpNet>,
}

/// `[server]`: addresses, timeouts and TLS of the HTTP server.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Server {
    /// The address to listen on.
    pub host: String,
    /// Unknown security-relevant keys of config.toml that the server ignores instead of refusing to start.
    pub ignored_keys: Vec<String>,
    /// Networks of proxies whose headers `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Maximum body size of a request that is not a file upload.
    pub body_limit: ByteSize,
    /// Timeout of a request that is not a file transfer, in seconds.
    pub request_timeout: u64,
    /// Seconds after which a client that has sent or received less than 16 KiB of a body in that time is disconnected.
    pub slow_client_timeout: u64,
    /// Seconds after which a statement of the table REST is logged as slow, with its plan; 0 disables the log.
    pub slow_statement: f64,
    /// Seconds that the server continues to serve requests after a stop signal while /health reports the stop, so that load balancers use
    /// other servers.
    pub shutdown_delay: u64,
    /// Seconds that running requests get to finish when the server stops, after `shutdown_delay`.
    pub drain_timeout: u64,
    /// HTTPS: `"acme"` for a certificate that the server obtains by itself, or the section `[server.tls]` with certificate files.
    pub tls: Option<TlsSetting>,
    /// Section `[server.acme]`.
    pub acme: AcmeSection,
    /// Address for plain HTTP, such as `0.0.0.0:80`, that redirects GET and HEAD requests to `[api] external_url` and refuses other
    /// methods.
    pub redirect_http: Option<SocketAddr>,
}

impl Server {
    /// Returns the minimum transfer rate of clients.
    #[must_use]
    pub fn min_rate(&self) -> MinRate {
        let window = Duration::from_secs(self.slow_client_timeout.max(1));
        MinRate { window, min_bytes: SLOW_CLIENT_BYTES.into() }
    }
}

/// Minimum number of bytes that a client must send or receive within `slow_client_timeout`.
pub const SLOW_CLIENT_BYTES: u16 = 16 * 1024;

impl Default for Server {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".into(),
            ignored_keys: Vec::new(),
            trusted_proxies: Vec::new(),
            body_limit: ByteSize(60 << 20),
            request_timeout: 60,
            slow_client_timeout: 60,
            slow_statement: 1.0,
            shutdown_delay: 0,
            drain_timeout: 20,
            tls: None,
            acme: AcmeSection::default(),
            redirect_http: None,
        }
    }
}

/// `[web]`: the web app served at /.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Web {
    /// App that is served at /: `embedded` for the app in the program, or a folder with a built app. If it is not set, a landing page is
    /// served.
    pub app: Option<String>,
    /// Function of the schema `public` whose JSON result fills in the prerendered pages. If it is not set, the pages contain the settings
    /// only.
    pub content: Option<String>,
    /// Public settings, which the app reads unchanged from `/_/config.json`.
    pub settings: Table,
}

/// `[auth]`: settings of auth that config.toml has no key for.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Auth {
    /// Days after which anonymous users are deleted together with all rows that refer to them. If it is not set, anonymous users are kept.
    pub anonymous_user_days: Option<u32>,
    /// Maximum number of wrong passwords for one account in an hour. Networks that have signed in to the account before have separate
    /// counters. Zero disables the limit.
    pub wrong_passwords_per_hour: u32,
    /// Seconds until the link of an invitation expires. Default: `[auth.email] otp_expiry`, as for all other links.
    pub invitation_expiry: Option<u64>,
    /// Whether changing the password requires the current password (`current_password` of auth-js), unless the session was opened by a link
    /// or code in a mail.
    pub require_current_password: bool,
    /// Whether passkeys require user verification by their authenticator: PIN, fingerprint or face.
    pub passkeys_require_verification: bool,
    /// Whether users with a second factor can create recovery codes, which replace the second factor once each.
    pub recovery_codes: bool,
    /// Whether the app's consent page handles OAuth requests with `prompt=none`; if not, clients receive `login_required`.
    pub oauth_prompt_none: bool,
    /// URL of the SMS provider's API (`[auth.sms.<provider>]` of config.toml), if it is not the default, such as the URL of a region.
    pub sms_api: Option<Url>,
    /// URL that verifies CAPTCHA tokens (`[auth.captcha]` of config.toml), if it is not the provider's default.
    pub captcha_api: Option<Url>,
    /// Accepted `aud` claims of tokens of `[auth.third_party.<name>]` of config.toml; empty accepts all. Tokens of Firebase must also name
    /// the project.
    pub third_party_audience: Vec<String>,
    /// `[[auth.issuers]]`: additional OpenID Connect issuers whose tokens are accepted.
    pub issuers: Vec<OtherIssuer>,
}

impl Default for Auth {
    fn default() -> Self {
        Self {
            anonymous_user_days: None,
            wrong_passwords_per_hour: 50,
            invitation_expiry: None,
            require_current_password: false,
            passkeys_require_verification: false,
            recovery_codes: true,
            oauth_prompt_none: false,
            sms_api: None,
            captcha_api: None,
            third_party_audience: Vec::new(),
            issuers: Vec::new(),
        }
    }
}

/// `[seed]`: seed data that is not SQL, in addition to `[db.seed]` of config.toml.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SeedFiles {
    /// Folder of files to upload, relative to the project. The first level is the bucket, the rest is the object's path.
    pub objects: Option<String>,
}
