//! In-database configuration, as in PostgREST: `alter role authenticator set pgrst.db_max_rows = '100'`. A changed setting takes effect
//! after `notify pgrst, 'reload config'`. The settings are part of a database dump.

use super::{OpenApiMode, Settings, TxEnd};
use cloch_sql::schema_cache::{Name, SchemaCache};

impl Settings {
    /// Returns a copy of the settings with the `pgrst.*` settings of the database login role applied. A setting with an invalid value is
    /// ignored.
    #[must_use]
    pub fn with_login_settings(&self, schema_cache: &SchemaCache) -> Self {
        let mut settings = Self {
            schemas: schema_cache.scope.schemas.clone(),
            extra_search_path: schema_cache.scope.extra_search_path.clone(),
            hoisted_settings: schema_cache.scope.hoisted_settings.clone(),
            ..self.clone()
        };
        for (name, value) in &schema_cache.login_settings {
            if settings.change(name, value).is_none() {
                // The value of the setting is not logged, because the value may be a secret (`pgrst.jwt_secret`).
                tracing::warn!(
                    setting.name = name,
                    "rest: invalid value of a setting pgrst.* of the database login role, setting ignored"
                );
            }
        }
        settings
    }

    fn change(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            // The loader of the schema cache has already applied these settings.
            "db_schemas" | "db_extra_search_path" | "db_hoisted_tx_settings" => {}
            "db_max_rows" => self.max_rows = Some(value.trim().parse().ok()?),
            "db_pre_request" => self.pre_request = function(value),
            "db_root_spec" => self.root_spec = function(value),
            "db_aggregates_enabled" => self.aggregates_enabled = truth(value)?,
            "db_plan_enabled" => self.plan_enabled = truth(value)?,
            "db_tx_end" => self.tx_end = tx_end(value)?,
            "openapi_mode" => self.openapi_mode = openapi_mode(value)?,
            "openapi_security_active" => self.openapi_security = truth(value)?,
            "openapi_server_proxy_uri" => self.openapi_url = Some(url::Url::parse(value).ok()?.into()),
            "server_timing_enabled" => self.server_timing = truth(value)?,
            "server_trace_header" => self.trace_header = Some(value.parse().ok()?),
            _ => return None,
        }
        Some(())
    }
}

/// Parses the name of an SQL function: `schema.name`, or a name that PostgreSQL resolves in the search path. Returns `None` for an empty
/// value, which disables the function.
fn function(value: &str) -> Option<Name> {
    let (schema, name) = value.split_once('.').unwrap_or(("", value));
    (!name.is_empty()).then(|| Name::new(schema, name))
}

fn truth(value: &str) -> Option<bool> {
    match value.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        number => number.parse::<i64>().ok().map(|number| number > 0),
    }
}

fn tx_end(value: &str) -> Option<TxEnd> {
    Some(match value {
        "commit" => TxEnd::Commit,
        "commit-allow-override" => TxEnd::CommitAllowOverride,
        "rollback" => TxEnd::Rollback,
        "rollback-allow-override" => TxEnd::RollbackAllowOverride,
        _ => return None,
    })
}

fn openapi_mode(value: &str) -> Option<OpenApiMode> {
    Some(match value {
        "follow-privileges" => OpenApiMode::FollowPrivileges,
        "ignore-privileges" => OpenApiMode::IgnorePrivileges,
        "disabled" => OpenApiMode::Disabled,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_with(pairs: &[(&str, &str)]) -> Settings {
        let login_settings = pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        Settings::default().with_login_settings(&SchemaCache { login_settings, ..SchemaCache::default() })
    }

    #[test]
    fn what_cannot_be_read_changes_nothing() {
        let settings =
            settings_with(&[("db_max_rows", "many"), ("db_tx_end", "never"), ("db_plan_enabled", "x"), ("nope", "1")]);
        assert_eq!((settings.max_rows, settings.tx_end, settings.plan_enabled), (Some(1000), TxEnd::Commit, false));
    }

    #[test]
    fn the_database_has_the_last_word() {
        let settings =
            settings_with(&[("db_max_rows", "5"), ("db_aggregates_enabled", "True"), ("db_pre_request", "api.check")]);
        assert_eq!((settings.max_rows, settings.aggregates_enabled), (Some(5), true));
        assert_eq!(settings.pre_request, Some(Name::new("api", "check")));
        assert_eq!(settings_with(&[("openapi_mode", "disabled")]).openapi_mode, OpenApiMode::Disabled);
    }
}
