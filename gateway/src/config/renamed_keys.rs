//! Keys that newer versions of the Supabase CLI write under another name, or in another file's place. Where both names stand, they must say
//! the same: one of them closes something.

use toml::{Table, Value};

use super::{ClochToml, ConfigError, ConfigToml, TomlFile};

/// Writes the values of new names where the old ones are read.
///
/// # Errors
/// When both names of a key stand in the file and say different things.
pub(super) fn follow(source: &TomlFile, file: &mut ConfigToml, cloch: &mut ClochToml) -> Result<(), ConfigError> {
    let auth = source.table("auth");
    if let Some(enabled) = file.auth.email.enabled {
        must_agree(source, &auth, "email", enabled)?;
        file.auth.email.enable_signup = enabled;
    }
    if let Some(enabled) = file.auth.sms.enabled {
        must_agree(source, &auth, "sms", enabled)?;
        file.auth.sms.enable_signup = enabled;
    }
    // cloch.toml had it first; either file may ask for it.
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
