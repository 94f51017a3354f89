//! `cloch.toml`: what the Supabase CLI does not know and would refuse.

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

use super::backup_section::BackupSection;
use super::config_toml::ByteSize;
use super::database_section::DatabaseSection;
use super::storage_section::StorageSection;
use super::telemetry_section::TelemetrySection;
use super::tls_section::{AcmeSection, TlsSetting};

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ClochToml {
    /// `[server]`
    pub server: Server,
    /// `[database]`
    pub database: DatabaseSection,
    /// `[web]`
    pub web: Web,
    /// `[seed]`
    pub seed: SeedFiles,
    /// `[auth]`
    pub auth: Auth,
    /// `[storage]`
    pub storage: StorageSection,
    /// `[functions.<name>]`, which the functions crate and the functions themselves read.
    pub functions: Table,
    /// `[ai]`, which the functions that ask a language model read.
    pub ai: Table,
    /// `[limits]`
    pub limits: Limits,
    /// `[outbound]`
    pub outbound: OutboundFile,
    /// `[management]`
    pub management: Management,
    /// `[metrics]`
    pub metrics: Metrics,
    /// `[backup]`
    pub backup: BackupSection,
    /// `[advisors]`
    pub advisors: Advisors,
    /// `[realtime]`
    pub realtime: RealtimeSection,
    /// `[dashboard]`
    pub dashboard: DashboardSection,
    /// `[telemetry]`
    pub telemetry: TelemetrySection,
}

/// `[dashboard]`: the operators' app at `/_/`.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct DashboardSection {
    /// Whether it is served.
    pub enabled: bool,
}

impl Default for DashboardSection {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// `[realtime]`: what the Supabase CLI does not know of realtime.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RealtimeSection {
    /// The URL of a NATS server (`nats://user:password@host:4222`) that carries messages between the nodes; PostgreSQL does without one.
    pub nats_url: Option<Secret>,
}

/// `[advisors]`: rules about the schema.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Advisors {
    /// `[[advisors.ignore]]`: what is not to be fixed, and why.
    pub ignore: Vec<Ignore>,
}

/// `[management]`: the Management API at /v1, and /mcp.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Management {
    /// The networks whose requests are answered: by default this machine, and no network where the project has a public URL.
    pub access: Option<ManagementAccess>,
    /// Whether tools of /mcp may write: apply migrations, run SQL as the project's owner, deploy functions.
    pub mcp_writes: bool,
}

/// `[management] access`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ManagementAccess {
    /// From nowhere: the paths are unknown.
    Off,
    /// From this machine only.
    Local,
    /// From every network, with the access token.
    Anywhere,
}

/// `[metrics]`: numbers for Prometheus, at /metrics.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// Who may read them: by default this machine and whoever has the secret key; only the latter where the project has a public URL.
    pub access: Option<MetricsAccess>,
    /// A second address, such as `10.0.0.5:9187`, at which whoever reaches it reads them without a key.
    pub listen: Option<SocketAddr>,
}

/// `[metrics] access`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum MetricsAccess {
    /// Nobody.
    Off,
    /// Whoever has the secret key.
    Key,
    /// The same, and requests from this machine.
    Local,
}

/// `[outbound]`: requests that the server sends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OutboundFile {
    /// Networks that requests may go to although they are not the internet: those whose URL a caller may have chosen
    /// (`net.http_post` in a function that an API calls), and those to link-local addresses.
    pub allowed_networks: Vec<IpNet>,
}

/// `[limits]`: what one caller may use of the server.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// `[limits.visitors]`
    pub visitors: VisitorLimits,
    /// `[limits.connections]`
    pub connections: ConnectionLimits,
    /// `[limits.realtime]`
    pub realtime: SocketLimits,
}

/// `[limits.connections]`: TCP connections, counted per network: an IPv4 address or an IPv6 /64. Zero switches a limit off.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct ConnectionLimits {
    /// Of all clients; never more than three quarters of the file descriptors that the process may have.
    pub total: u32,
    /// Of one network. Trusted proxies have no such limit.
    pub per_network: u32,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { total: 10_000, per_network: 1_000 }
    }
}

/// `[limits.realtime]`: what one client may use of /realtime/v1, and all clients of the project together.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct SocketLimits {
    /// Sockets of one network.
    pub sockets_per_network: u32,
    /// Channels that one socket has joined.
    pub channels_per_socket: u32,
    /// Joins of one socket in a second.
    pub joins_per_second: u32,
    /// Frames of one socket in a second; one that sends more is read more slowly.
    pub frames_per_second: u32,
    /// Bytes of one socket in a second; likewise.
    pub bytes_per_second: ByteSize,
    /// What one socket makes the server hold: frames that it does not take, its joins, its presence.
    pub held_per_socket: ByteSize,
    /// The same of all sockets; beyond it those are cut off that hold more than their share.
    pub held_in_all: ByteSize,
    /// The presence of one topic, keys and payloads.
    pub presence_per_topic: ByteSize,
    /// A topic's name.
    pub topic_length: ByteSize,
    /// Messages of one request to /realtime/v1/api/broadcast.
    pub messages_per_request: u32,
    /// Conditions of all filters of one channel.
    pub filters_per_channel: u32,
    /// Changes that wait for one caller's turn.
    pub waiting_changes: ByteSize,
    /// WAL that the replication slot keeps before it is given up and opened anew.
    pub slot_wal: ByteSize,
    /// Open sockets of the project, on all nodes together. Zero means no limit, as of the next two.
    pub project_sockets: u32,
    /// Joins of the project in a second.
    pub project_joins_per_second: u32,
    /// Messages of the project's clients in a second: broadcasts, and presence that they track.
    pub project_messages_per_second: u32,
}

impl Default for SocketLimits {
    fn default() -> Self {
        Self {
            sockets_per_network: 1_000,
            channels_per_socket: 100,
            joins_per_second: 100,
            frames_per_second: 1_000,
            bytes_per_second: ByteSize(16 << 20),
            held_per_socket: ByteSize(16 << 20),
            held_in_all: ByteSize(256 << 20),
            presence_per_topic: ByteSize(1 << 20),
            topic_length: ByteSize(1024),
            messages_per_request: 100,
            filters_per_channel: 100,
            waiting_changes: ByteSize(32 << 20),
            slot_wal: ByteSize(2 << 30),
            project_sockets: 0,
            project_joins_per_second: 0,
            project_messages_per_second: 0,
        }
    }
}

/// `[limits.visitors]`: callers without a session (role `anon`), counted per network: an IPv4 address or an IPv6 /64. Zero
/// switches a limit off.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct VisitorLimits {
    /// Rows that one request to the table REST may write.
    pub rows_per_write: u32,
    /// Rows written in an hour.
    pub rows_per_hour: u32,
    /// Largest body of a request to the table REST.
    pub body_limit: ByteSize,
    /// Files uploaded in an hour.
    pub files_per_hour: u32,
    /// Bytes uploaded in an hour.
    pub bytes_per_hour: ByteSize,
    /// Resumable uploads that are begun and not finished.
    pub unfinished_uploads: u32,
    /// Requests answered with 4xx in a minute, a third of them at once; beyond, the answers are delayed. Also of signed-in users.
    pub refusals_per_minute: u32,
}

impl Default for VisitorLimits {
    fn default() -> Self {
        Self {
            rows_per_write: 1_000,
            rows_per_hour: 100_000,
            body_limit: ByteSize(4 << 20),
            files_per_hour: 10_000,
            bytes_per_hour: ByteSize(20 << 30),
            unfinished_uploads: 100,
            refusals_per_minute: 60,
        }
    }
}

/// `[server]`
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Server {
    /// The address to listen on.
    pub host: String,
    /// Keys of config.toml that this program does not know, that could close something, and that the server starts without.
    pub ignored_keys: Vec<String>,
    /// Networks of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Largest body of a request that is no file.
    pub body_limit: ByteSize,
    /// Seconds until a request that is no file transfer is given up.
    pub request_timeout: u64,
    /// Seconds after which a client is cut off that has sent or taken less than 16 KiB of a body in that time.
    pub slow_client_timeout: u64,
    /// Seconds after which a statement of the table REST is logged as slow, with its plan; 0 logs none.
    pub slow_statement: f64,
    /// Seconds that the program goes on serving while /health says that it stops, so that load balancers send requests elsewhere.
    pub shutdown_delay: u64,
    /// Seconds that requests have to end when the program stops, after `shutdown_delay`.
    pub drain_timeout: u64,
    /// HTTPS: `"acme"` for a certificate that the server obtains by itself, or the section `[server.tls]` with files.
    pub tls: Option<TlsSetting>,
    /// `[server.acme]`
    pub acme: AcmeSection,
    /// An address at which plain HTTP leads to `[api] external_url`, such as `0.0.0.0:80`: reads are redirected, everything else is refused.
    pub redirect_http: Option<SocketAddr>,
}

impl Server {
    /// The minimum transfer rate of clients.
    #[must_use]
    pub fn min_rate(&self) -> MinRate {
        let window = Duration::from_secs(self.slow_client_timeout.max(1));
        MinRate { window, min_bytes: SLOW_CLIENT_BYTES.into() }
    }
}

/// Bytes that a client must at least send or read within `slow_client_timeout`.
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

/// `[web]`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Web {
    /// What is served at /: `embedded` for the app in the program, or a folder with a built app; a landing page if it is not set.
    pub app: Option<String>,
    /// The function of the schema `public` whose JSON answer the prerendered pages are filled with; if it is not set, they have the settings only.
    pub content: Option<String>,
    /// Public settings, handed to the app as they are in `/_/config.json`.
    pub settings: Table,
}

/// `[auth]`: what the section of config.toml has no key for.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Auth {
    /// Days after which users who never gave an address or number are removed, with all that refers to them; if it is not set, they are kept.
    pub anonymous_user_days: Option<u32>,
    /// Wrong passwords for one account in an hour. Networks from which it was signed in to have a count of their own. Zero for
    /// any number.
    pub wrong_passwords_per_hour: u32,
    /// Seconds for which the link of an invitation holds; by default as long as every other link (`[auth.email] otp_expiry`).
    pub invitation_expiry: Option<u64>,
    /// Whether a new password needs the current one (`current_password` of auth-js), unless the session was opened by a mail.
    pub require_current_password: bool,
    /// Whether a passkey counts only if its authenticator has verified its user, by a PIN, a finger or a face.
    pub passkeys_require_verification: bool,
    /// Whether users with a second factor may have recovery codes, which stand in for it.
    pub recovery_codes: bool,
    /// Whether the app's consent page answers requests of OAuth clients with `prompt=none`; otherwise they get `login_required`.
    pub oauth_prompt_none: bool,
    /// Another address of the SMS provider's API (`[auth.sms.<provider>]` of config.toml) than its usual one, such as a region's.
    pub sms_api: Option<Url>,
    /// Another address that verifies CAPTCHA tokens (`[auth.captcha]` of config.toml) than the provider's usual one.
    pub captcha_api: Option<Url>,
    /// The `aud` that tokens of `[auth.third_party.<name>]` of config.toml must have; empty for any. Those of Firebase must name the project.
    pub third_party_audience: Vec<String>,
    /// `[[auth.issuers]]`: other OpenID Connect issuers whose tokens are accepted.
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

/// `[seed]`: what belongs to `[db.seed]` of config.toml and is not SQL.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SeedFiles {
    /// A folder of files, relative to the project: its first level is the bucket, the rest the object's path.
    pub objects: Option<String>,
}
