//! Keys of config.toml that newer versions of the Supabase CLI have renamed or moved to another section. If a file contains a key under its
//! old and its new name, both values must be equal, because choosing the wrong value could, for example, enable sign-ups.

use toml::{Table, Value};

use crate::config::{ClochToml, ConfigError, ConfigToml, TomlFile};

/// Copies the values of keys with a new name to the fields of the old names.
///
/// # Errors
/// When the old and the new name of a key have different values.
pub(in crate::config) fn follow(
    source: &TomlFile,
    file: &mut ConfigToml,
    cloch: &mut ClochToml,
) -> Result<(), ConfigError> {
    let auth = source.table("auth");
    if let Some(enabled) = file.auth.email.enabled {
        must_agree(source, &auth, "email", enabled)?;
        file.auth.email.enable_signup = enabled;
    }
    if let Some(enabled) = file.auth.sms.enabled {
        must_agree(source, &auth, "sms", enabled)?;
        file.auth.sms.enable_signup = enabled;
    }
    // `require_current_password` was a key of cloch.toml before the Supabase CLI added it to config.toml; a `true` in either file enables it.
    cloch.auth.require_current_password |= file.auth.email.require_current_password == Some(true);
    Ok(())
}

fn must_agree(source: &TomlFile, auth: &Table, section: &str, enabled: bool) -> Result<(), ConfigError> {
    let old = auth.get(section).and_then(|section| section.get("enable_signup")).and_then(Value::as_bool);
    match old {
        Some(old) if old != enabled => Err(source.refuse(
            &format!("auth.{section}.enabled"),
            &format!("is {enabled}, and enable_signup beside it, its older name, is {old}: remove one of them"),
        )),
        _ => Ok(()),
    }
}
