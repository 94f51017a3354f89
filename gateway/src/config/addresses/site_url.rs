//! Replaces an `[auth] site_url` that has no value by the default value. The server does not refuse to start in this case, because the
//! Supabase CLI starts with any text that is not empty.

use crate::config::{ConfigToml, TomlFile};

/// Beginning and end of the placeholders in templates of config.toml. The user has to replace each placeholder by a value.
const PLACEHOLDERS: [(&str, &str); 3] = [("{{", "}}"), ("${", "}"), ("<", ">")];

/// Replaces `[auth] site_url` by its default value if it refers to an environment variable that is not set, or if it is a placeholder of a
/// template, such as `{{SITE_URL}}`. Returns the reason for the replacement; `None` if the key has a value.
pub(in crate::config) fn replace_missing(source: &TomlFile, file: &mut ConfigToml) -> Option<String> {
    let reason = if source.left_variables().iter().any(|(key, _)| key == "auth.site_url") {
        "has no value".to_owned()
    } else if is_placeholder(&file.auth.site_url) {
        format!("is the placeholder {:?}", file.auth.site_url)
    } else {
        return None;
    };
    file.auth.site_url = ConfigToml::default().auth.site_url;
    Some(reason)
}

fn is_placeholder(text: &str) -> bool {
    let host = text.split_once("://").map_or(text, |(_, host)| host).trim_start();
    PLACEHOLDERS.iter().any(|(start, end)| host.starts_with(start) && host.contains(end))
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn placeholders_of_templates() {
        for text in ["{{PLACEHOLDER}}", "${SITE_URL}", "<your site>", "https://{{DOMAIN}}", "https://<ref>.example"] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["", "localhost:3000", "club.example", "https://club.example/{{page}}"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
