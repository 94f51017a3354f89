//! Determines whether a setting can be changed in the dashboard. A setting whose value comes from an environment variable cannot be changed.

use crate::config::{Config, ENV_LOCAL, VariableSource};

use super::list::Listed;
use super::{edit, template_file};

/// Returns the reason why the setting cannot be changed; `None` if it can be changed. `text` is the content of the setting's file.
pub(super) fn reason(config: &Config, listed: &Listed, text: &str) -> Option<String> {
    if listed.is_template() {
        return template_file::locked(config, listed, text);
    }
    if listed.key() == "auth.site_url" && std::env::var("CLOCH_SITE_URL").is_ok_and(|url| !url.is_empty()) {
        return Some("Its value comes from the variable CLOCH_SITE_URL of this server.".to_owned());
    }
    let written = listed.keys().into_iter().find_map(|key| edit::get(text, &key));
    match written.as_ref().and_then(variable) {
        Some(name) if !listed.is_secret() => Some(format!("Its value comes from the variable {name}.")),
        Some(name) => of_secret(config, &name),
        None if matches!(written, Some(toml::Value::Table(_))) => Some("It is a section in the file.".to_owned()),
        None if listed.is_secret() => of_secret(config, &variable_name(&listed.key())),
        None => None,
    }
}

/// Returns the name of the environment variable in which a secret is stored: the variable in the file's `env(NAME)`. If the file names no
/// variable, returns the default name for the key.
pub(super) fn secret_variable(listed: &Listed, text: &str) -> String {
    let key = listed.key();
    edit::get(text, &key).as_ref().and_then(variable).unwrap_or_else(|| variable_name(&key))
}

/// Returns the reason why a secret cannot be changed. The dashboard writes secrets only to the project's `.env.local`. Therefore it cannot
/// change a secret whose variable is set in the server's environment or in another `.env` file.
fn of_secret(config: &Config, name: &str) -> Option<String> {
    match config.variable_source(name) {
        Ok(None) => None,
        Ok(Some(VariableSource::File(file))) if file == config.project.join(ENV_LOCAL) => None,
        Ok(Some(VariableSource::File(file))) => {
            Some(format!("Its value comes from the variable {name} in {}.", file.display()))
        }
        Ok(Some(VariableSource::Process)) => {
            Some(format!("Its value comes from the variable {name} of this server's environment."))
        }
        Err(error) => Some(format!("The project's .env files cannot be read: {error}")),
    }
}

/// Returns the default name of the environment variable for a key, as in the Supabase CLI's templates:
/// `SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET`.
fn variable_name(key: &str) -> String {
    let name = key.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    std::iter::once("SUPABASE_".to_owned()).chain(name.map(String::from)).collect()
}

/// Returns NAME if the value is the text `env(NAME)`, or a list that contains this text; otherwise `None`.
fn variable(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.strip_prefix("env(")?.strip_suffix(')')?.to_owned()),
        toml::Value::Array(items) => items.iter().find_map(variable),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_of_a_key_has_the_name_of_the_clis_templates() {
        assert_eq!(variable_name("auth.external.linkedin-oidc.secret"), "SUPABASE_AUTH_EXTERNAL_LINKEDIN_OIDC_SECRET");
        let list = toml::Value::Array(vec!["a".into(), "env(B)".into()]);
        assert_eq!(variable(&list).as_deref(), Some("B"));
        assert_eq!(variable(&"environment".into()), None);
    }
}
