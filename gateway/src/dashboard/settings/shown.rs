//! List of the settings whose values operators may see. The values of all other keys are hidden, because an unknown key, such as one that
//! only the Supabase CLI uses, may contain a secret.

/// Dotted keys of the settings that are shown, by section. `*` matches a name that the project chooses; `**` at the end matches all keys of
/// the section.
const SHOWN: &[(&str, &[&str])] = &[
    ("", &["project_id"]),
    ("api", &["port", "schemas", "extra_search_path", "max_rows", "external_url"]),
    ("db", &["port", "major_version", "shadow_port", "health_timeout", "migrations.schema_paths", "seed.sql_paths"]),
    ("realtime", &["ip_version", "max_header_length"]),
    (
        "storage",
        &[
            "file_size_limit",
            "folder",
            "public_host",
            "quota",
            "min_free",
            "sweep_interval",
            "sweep_grace",
            "sweep_uploads",
        ],
    ),
    ("storage.buckets.*", &["file_size_limit", "allowed_mime_types", "objects_path"]),
    ("storage.s3", &["endpoint", "region", "bucket", "prefix"]),
    (
        "auth",
        &[
            "site_url",
            "external_url",
            "additional_redirect_urls",
            "jwt_expiry",
            "jwt_issuer",
            "signing_keys_path",
            "refresh_token_reuse_interval",
            "minimum_password_length",
            "password_requirements",
            "anonymous_user_days",
            "wrong_passwords_per_hour",
            "invitation_expiry",
            "sms_api",
            "captcha_api",
            "third_party_audience",
        ],
    ),
    ("auth.issuers", &["issuer", "audience", "default_role", "jwks_uri"]),
    ("auth.webauthn", &["rp_id", "rp_display_name", "rp_origins"]),
    (
        "auth.rate_limit",
        &[
            "email_sent",
            "sms_sent",
            "anonymous_users",
            "token_refresh",
            "sign_in_sign_ups",
            "token_verifications",
            "web3",
        ],
    ),
    ("auth.captcha", &["provider"]),
    ("auth.email", &["max_frequency", "otp_length", "otp_expiry"]),
    ("auth.email.smtp", &["host", "port", "admin_email", "sender_name"]),
    ("auth.email.template.*", &["subject", "content_path"]),
    ("auth.email.notification.*", &["subject", "content_path"]),
    ("auth.sms", &["max_frequency", "template"]),
    ("auth.sessions", &["timebox", "inactivity_timeout"]),
    ("auth.mfa", &["max_enrolled_factors"]),
    ("auth.mfa.phone", &["otp_length", "template", "max_frequency"]),
    ("auth.external.*", &["client_id", "redirect_uri", "url"]),
    (
        "auth.third_party.*",
        &["project_id", "tenant", "tenant_region", "user_pool_id", "user_pool_region", "domain", "issuer_url"],
    ),
    ("auth.oauth_server", &["authorization_url_path"]),
    ("edge_runtime", &["policy", "inspector_port", "deno_version"]),
    ("studio", &["port", "api_url"]),
    ("inbucket", &["port", "smtp_port", "pop3_port", "admin_email", "sender_name"]),
    ("analytics", &["port", "backend"]),
    (
        "functions.*",
        &[
            "import_map",
            "entrypoint",
            "static_files",
            "timeout_seconds",
            "max_body_kb",
            "calls_per_address_hourly",
            "calls_per_user_hourly",
            "calls_of_visitors_hourly",
            "memory_mb",
            "cpu_seconds",
            "wall_seconds",
            "idle_seconds",
            "max_workers",
            "max_requests",
            "allowed_networks",
            "allowed_recipients",
            "attachment_bucket",
            "first_admins",
            "subject",
            "club",
            "events",
        ],
    ),
    (
        "server",
        &[
            "host",
            "trusted_proxies",
            "body_limit",
            "request_timeout",
            "slow_client_timeout",
            "slow_statement",
            "drain_timeout",
            "tls",
        ],
    ),
    ("server.acme", &["domains", "contact", "directory_url", "root_certificate", "listen", "challenge"]),
    // The values are the paths of the certificate files, not their contents.
    ("server.tls", &["listen", "certificate", "key"]),
    // The settings below `settings` are public, because `/_/config.json` publishes them.
    ("web", &["app", "content", "settings.**"]),
    ("seed", &["objects"]),
    ("ai", &["base_url", "model", "embedding_model", "timeout_seconds", "max_tokens", "drafts_hourly"]),
    ("limits", &["visitors.**", "connections.**", "realtime.**"]),
    ("outbound", &["allowed_networks"]),
    ("management", &["access"]),
    ("metrics", &["access", "listen"]),
    ("telemetry", &["sample"]),
    ("backup", &["to", "every_hours", "max_rate", "drill", "mail_to"]),
    ("backup.keep", &["days", "weeks", "months"]),
    ("backup.s3", &["endpoint", "region"]),
    ("advisors.ignore", &["lint", "on", "reason"]),
];

/// Whether the value of a dotted key may be shown.
pub(super) fn is_shown(key: &str) -> bool {
    SHOWN.iter().any(|(section, keys)| keys.iter().any(|name| fits(section, name, key)))
}

fn fits(section: &str, name: &str, key: &str) -> bool {
    let mut pattern = section.split('.').filter(|part| !part.is_empty()).chain(name.split('.'));
    let mut parts = key.split('.');
    loop {
        match (pattern.next(), parts.next()) {
            (Some("**"), Some(_)) | (None, None) => return true,
            (Some("*"), Some(_)) => {}
            (Some(wanted), Some(part)) if wanted == part => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_shown;

    #[test]
    fn what_is_not_listed_is_not_shown() {
        for key in [
            "",
            "auth",
            "auth.sms.test_otp.441475000000",
            "auth.jwt_secret",
            "auth.anon_key",
            "auth.hook.send_sms.secrets",
            "auth.hook.send_sms.uri",
            "auth.site_url.more",
            "db.root_key",
            "db.settings.primary_conninfo",
            "edge_runtime.secrets.site_url",
            "functions.a.upstream",
            "studio.openai_api_key",
            "remotes.production.project_id",
            "a_section_of_later.password",
        ] {
            assert!(!is_shown(key), "{key}");
        }
        for key in ["project_id", "auth.site_url", "storage.buckets.a b.objects_path", "limits.visitors.rows_per_hour"]
        {
            assert!(is_shown(key), "{key}");
        }
    }
}
