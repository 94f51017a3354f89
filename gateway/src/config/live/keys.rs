//! Lists of the settings (keys) that a running server can apply without a restart. A key may be in a list only if every part of the program
//! that uses the key receives its new value, through the closures that the services of `setup/` pass to `Service::on_change`.

use super::ConfigFile;
use crate::config::Config;

/// Keys of config.toml that a running server can apply. `.**` stands for all keys of a section.
const CONFIG_TOML: &[&str] = &[
    "api.max_rows",
    "auth.site_url",
    "auth.additional_redirect_urls",
    // In database sessions other than those of the table REST API, the setting `app.settings.jwt_exp` changes only at the next start of the
    // server.
    "auth.jwt_expiry",
    "auth.enable_refresh_token_rotation",
    "auth.refresh_token_reuse_interval",
    "auth.enable_signup",
    "auth.enable_anonymous_sign_ins",
    "auth.enable_manual_linking",
    "auth.minimum_password_length",
    "auth.password_requirements",
    "auth.rate_limit.**",
    "auth.email.**",
    "auth.sms.**",
    "auth.sessions.**",
    "auth.mfa.**",
    "auth.hook.**",
    "auth.captcha.**",
    "auth.external.**",
    "auth.web3.**",
    "auth.passkey.**",
    "auth.webauthn.**",
    "storage.file_size_limit",
    "storage.image_transformation.**",
    "storage.s3_protocol.**",
];

/// Keys of cloch.toml that a running server can apply.
const CLOCH_TOML: &[&str] = &[
    // The advisors read this key from the file at each request. The warning about open tables is logged only at the start.
    "advisors.ignore",
    "auth.anonymous_user_days",
    "auth.wrong_passwords_per_hour",
    "auth.invitation_expiry",
    "auth.require_current_password",
    "auth.passkeys_require_verification",
    "auth.recovery_codes",
    "auth.sms_api",
    "auth.captcha_api",
    "storage.quota",
    "storage.min_free",
    "storage.buckets.**",
    "limits.visitors.rows_per_write",
    "limits.visitors.rows_per_hour",
    "limits.visitors.files_per_hour",
    "limits.visitors.bytes_per_hour",
    "limits.visitors.unfinished_uploads",
    "limits.realtime.sockets_per_network",
    "limits.realtime.channels_per_socket",
    "limits.realtime.joins_per_second",
    "limits.realtime.frames_per_second",
    "limits.realtime.bytes_per_second",
    "limits.realtime.topic_length",
    "limits.realtime.messages_per_request",
    "limits.realtime.project_sockets",
    "limits.realtime.project_joins_per_second",
    "limits.realtime.project_messages_per_second",
    "server.slow_statement",
];

const SITE_URL: &str = "auth.site_url";

/// Keys that the built-in functions of the crate `cloch_club` read only when the server starts. In a project that uses these functions,
/// changes of the keys need a restart.
const CLUB: [&str; 3] = [SITE_URL, "auth.email.otp_expiry", "auth.invitation_expiry"];

/// The keys whose new values the running server applies without a restart.
#[derive(Debug, Default)]
pub(crate) struct LiveKeys {
    /// Keys that need a restart in this project, although the lists contain them.
    except: Vec<&'static str>,
}

impl LiveKeys {
    /// Returns the keys that can be applied without a restart if the configuration `running` changes to `next`.
    pub(crate) fn of(running: &Config, next: &Config) -> Self {
        let mut except = Vec::new();
        if cloch_club::is_declared(&running.functions) {
            except.extend(CLUB);
        }
        // If the app's URL is public, local clients get no special access to /v1, /metrics and the inbox. This is decided only when the
        // server starts.
        if (running.is_reached_from_outside() || next.has_public_site_url()) != running.is_public() {
            except.push(SITE_URL);
        }
        Self { except }
    }

    /// Whether the running server applies the key without a restart.
    pub(crate) fn contains(&self, file: ConfigFile, key: &str) -> bool {
        let listed = match file {
            ConfigFile::ConfigToml => CONFIG_TOML,
            ConfigFile::ClochToml => CLOCH_TOML,
        };
        listed.iter().any(|listed| covers(listed, key)) && !self.except.contains(&key)
    }
}

fn covers(listed: &str, key: &str) -> bool {
    match listed.strip_suffix(".**") {
        Some(section) => key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.')),
        None => key == listed,
    }
}
