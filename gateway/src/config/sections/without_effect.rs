//! Keys of config.toml that the Supabase CLI defines and Cloch does not use. The server logs a warning about such a key when it starts,
//! except if Cloch needs no support for the value: it is the default of a version of the CLI, or disables the feature.

use toml::{Table, Value};

use crate::config::TomlFile;

/// A key without effect. In `key`, `*` stands for any name. `harmless` contains values in TOML: if the key has one of these values, no
/// warning is logged.
struct WithoutEffect {
    key: &'static str,
    harmless: &'static [&'static str],
    consequence: &'static str,
}

const fn key(key: &'static str, harmless: &'static [&'static str], consequence: &'static str) -> WithoutEffect {
    WithoutEffect { key, harmless, consequence }
}

const HTTPS: &str = "HTTPS is [server] tls of cloch.toml (docs/operations/certificate.md)";
const NO_POOLER: &str =
    "there is no pooler: clients connect to the database itself, whose limit is [db.settings] max_connections";
const NETWORKS: &str = "it would have limited the networks that reach the database. Cloch's own database listens on 127.0.0.1 alone; with \
                        CLOCH_DB_URL, limit yours in pg_hba.conf or by a firewall";
const SENDER: &str = "the sender of mails is admin_email and sender_name of [auth.email.smtp]";
const INBOX: &str = "mails are in the inbox, at /_/inbox of the API's port, until [auth.email.smtp] is configured";
const NO_MAIL_SERVER: &str = "no mail server listens: the inbox shows the mails of this project only";
const HOSTED_BUCKETS: &str = "these buckets exist on Supabase's hosted platform only";
const VECTOR_BUCKETS: &str = "vector buckets are always available, as many as the API creates";
const LOG: &str = "there is no Logflare: the log is in the dashboard and on standard error";
const ONLY_OF_CLI: &str = "only commands of the Supabase CLI read it";
const ENGINE: &str = "tables are stored by PostgreSQL's own storage engine";
const ON_OR_OFF: &[&str] = &["true", "false"];

const WITHOUT_EFFECT: [WithoutEffect; 62] = [
    key(
        "api.tls.enabled",
        &["false"],
        "it would have encrypted requests to the API. HTTPS is [server] tls of cloch.toml (docs/operations/certificate.md)",
    ),
    key("api.tls.cert_path", &[r#""""#], HTTPS),
    key("api.tls.key_path", &[r#""""#], HTTPS),
    key("db.shadow_port", &["54320"], "only `supabase db diff` uses a second database"),
    key("db.health_timeout", &[r#""2m""#, r#""2m0s""#], "the start of the database has Cloch's own time limit"),
    key("db.major_version", &["13", "14", "15", "16", "17", "18"], "the version is that of the installed PostgreSQL"),
    key(
        "db.root_key",
        &[r#""""#],
        "it would have been the key of the vault's secrets. Their key here is in the data folder's secrets.toml",
    ),
    key("db.orioledb_version", &[r#""""#], ENGINE),
    key("db.pooler.enabled", &["false"], NO_POOLER),
    key("db.pooler.port", &["54329"], NO_POOLER),
    key("db.pooler.pool_mode", &[r#""transaction""#], NO_POOLER),
    key("db.pooler.default_pool_size", &["15", "20"], NO_POOLER),
    key("db.pooler.max_client_conn", &["100"], NO_POOLER),
    key(
        "db.migrations.schema_paths",
        &["[]"],
        "the files are not applied: write their changes as a migration, as `supabase db diff --file NAME` does",
    ),
    key("db.migrations.checks", &["false"], ONLY_OF_CLI),
    key("db.network_restrictions.enabled", &["false"], NETWORKS),
    key("db.network_restrictions.allowed_cidrs", &[r#"["0.0.0.0/0"]"#], NETWORKS),
    key("db.network_restrictions.allowed_cidrs_v6", &[r#"["::/0"]"#], NETWORKS),
    key(
        "db.ssl_enforcement.enabled",
        &["false"],
        "it would have refused connections to the database without TLS. Cloch's own database listens on 127.0.0.1 alone; with CLOCH_DB_URL, \
         close yours with hostssl in pg_hba.conf",
    ),
    key("realtime.ip_version", &[r#""IPv4""#], "the address that the server listens on is [server] host of cloch.toml"),
    key("realtime.max_header_length", &["4096"], "the limit of request headers is the same for all APIs"),
    key("studio.enabled", &["true"], "[dashboard] enabled of cloch.toml switches the dashboard off"),
    key("studio.port", &["54323"], "the dashboard is at /_/ of the API's port"),
    key(
        "studio.api_url",
        &[r#""http://127.0.0.1""#, r#""http://localhost""#],
        "the dashboard uses the address of the API",
    ),
    key("studio.openai_api_key", &[r#""""#, r#""env(OPENAI_API_KEY)""#], "the dashboard has no AI assistant"),
    key("inbucket.enabled", &["true"], INBOX),
    key("inbucket.port", &["54324"], INBOX),
    key("inbucket.smtp_port", &["54325"], NO_MAIL_SERVER),
    key("inbucket.pop3_port", &["54326"], NO_MAIL_SERVER),
    key("inbucket.admin_email", &[r#""admin@email.com""#], SENDER),
    key("inbucket.sender_name", &[r#""Admin""#], SENDER),
    key("local_smtp.enabled", &["true"], INBOX),
    key("local_smtp.port", &["54324"], INBOX),
    key("local_smtp.smtp_port", &["54325"], NO_MAIL_SERVER),
    key("local_smtp.pop3_port", &["54326"], NO_MAIL_SERVER),
    key("local_smtp.admin_email", &[r#""admin@email.com""#], SENDER),
    key("local_smtp.sender_name", &[r#""Admin""#], SENDER),
    key("storage.analytics.enabled", ON_OR_OFF, HOSTED_BUCKETS),
    key("storage.analytics.max_namespaces", &["5"], HOSTED_BUCKETS),
    key("storage.analytics.max_tables", &["10"], HOSTED_BUCKETS),
    key("storage.analytics.max_catalogs", &["2"], HOSTED_BUCKETS),
    key("storage.analytics.buckets", &[], HOSTED_BUCKETS),
    key("storage.vector.enabled", ON_OR_OFF, VECTOR_BUCKETS),
    key("storage.vector.max_buckets", &["10"], VECTOR_BUCKETS),
    key("storage.vector.max_indexes", &["5"], VECTOR_BUCKETS),
    key("storage.vector.buckets", &[], VECTOR_BUCKETS),
    key(
        "auth.sms.twilio.content_sid",
        &[r#""""#],
        "it would have restricted messages to a template approved by Twilio. The text of [auth.sms] template is sent",
    ),
    key("edge_runtime.inspector_port", &["8083"], "no debugger can attach to functions"),
    key("edge_runtime.deno_version", &["1", "2"], "the version is that of the installed Deno"),
    key("analytics.enabled", ON_OR_OFF, LOG),
    key("analytics.port", &["54327"], LOG),
    key("analytics.vector_port", &["54328"], LOG),
    key("analytics.backend", &[r#""postgres""#], LOG),
    key("analytics.gcp_project_id", &[r#""""#], LOG),
    key("analytics.gcp_project_number", &[r#""""#], LOG),
    key("analytics.gcp_jwt_path", &[r#""""#, r#""supabase/gcloud.json""#], LOG),
    key("compute", &[], "Cloch runs no computes: functions are in functions/"),
    key("local", &[], "Cloch runs no containers whose versions could be chosen"),
    key("remotes.*", &[], "settings of a branch of a hosted project are not applied"),
    key("experimental.orioledb_version", &[r#""""#], ENGINE),
    key("experimental.webhooks.enabled", ON_OR_OFF, "database webhooks are always available"),
    key("experimental.*", &[], ONLY_OF_CLI),
];

/// Keys of `[experimental]` whose values in the CLI's template enable no feature.
const TEMPLATE: [(&str, &[&str]); 8] = [
    ("experimental.s3_host", &[r#""""#, r#""env(S3_HOST)""#]),
    ("experimental.s3_region", &[r#""""#, r#""env(S3_REGION)""#]),
    ("experimental.s3_access_key", &[r#""""#, r#""env(S3_ACCESS_KEY)""#]),
    ("experimental.s3_secret_key", &[r#""""#, r#""env(S3_SECRET_KEY)""#]),
    ("experimental.pgdelta", &["{ enabled = true }", "{ enabled = false }"]),
    ("experimental.inspect", &["{}"]),
    ("experimental.stack", ON_OR_OFF),
    ("experimental.compute", ON_OR_OFF),
];

/// Returns a warning for each key whose value requests a feature that Cloch lacks.
pub(in crate::config) fn warnings(source: &TomlFile) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for listed in &WITHOUT_EFFECT {
        for name in expand(source, listed.key) {
            let Some(value) = source.value(&name) else { continue };
            let has_own_entry =
                listed.key != name && WITHOUT_EFFECT.iter().any(|other| is_at_or_below(other.key, &name));
            if !has_own_entry && !equals_one(&value, listed.harmless) && !equals_one(&value, of_template(&name)) {
                found.push(source.located(&name, &format!("{name} has no effect: {}", listed.consequence)));
            }
        }
    }
    found
}

/// Whether the key `listed` equals `name` or is in the section `name`.
fn is_at_or_below(listed: &str, name: &str) -> bool {
    listed.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn of_template(name: &str) -> &'static [&'static str] {
    TEMPLATE.iter().find(|(known, _)| *known == name).map_or(&[], |(_, harmless)| *harmless)
}

/// Returns the keys of the file that match a pattern. A `*` at the end of the pattern matches any name.
fn expand(source: &TomlFile, pattern: &str) -> Vec<String> {
    let Some(above) = pattern.strip_suffix(".*") else { return vec![pattern.to_owned()] };
    let Some(Value::Table(table)) = source.value(above) else { return Vec::new() };
    table.keys().map(|name| format!("{above}.{name}")).collect()
}

/// Whether `value` equals one of the values in `written`, which are written in TOML.
fn equals_one(value: &Value, written: &[&str]) -> bool {
    written.iter().any(|text| {
        let parsed: Option<Table> = format!("value = {text}").parse().ok();
        parsed.and_then(|table| table.get("value").cloned()).as_ref() == Some(value)
    })
}

/// Whether [`WITHOUT_EFFECT`] contains the key `name`, or a section or pattern that contains the key.
#[cfg(test)]
pub(in crate::config) fn is_listed(name: &str) -> bool {
    WITHOUT_EFFECT.iter().any(|listed| {
        let listed = listed.key.strip_suffix(".*").unwrap_or(listed.key);
        name.strip_prefix(listed).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}
