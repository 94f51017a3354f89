//! Settings of the club's functions in cloch.toml: the keys in `[functions.<name>]`, and the section `[ai]`.

mod recipients;

use std::collections::BTreeMap;
use std::time::Duration;

use cloch_core::Secret;
pub use cloch_functions::settings::Ai;
use cloch_functions::settings::{CLOCH_TOML, SettingsError, problem, section};
use cloch_mail::Address;
use serde::Deserialize;
use toml::Table;

pub use recipients::Recipients;

/// Default lifetime of the links in mails of the auth API.
const DEFAULT_INVITATION_EXPIRY: Duration = Duration::from_hours(1);

/// The settings of the club's functions.
#[derive(Clone, Debug)]
pub struct Settings {
    functions: BTreeMap<String, Options>,
    /// Settings of `[ai]`: the language model that drafts letters.
    pub ai: Ai,
    /// Lifetime of the link in an invitation.
    pub invitation_expiry: Duration,
    /// The club's name and its addresses for mails of stored records.
    pub recipients: Recipients,
}

/// The keys that the club's functions read from `[functions.<name>]`. The comment at each key names the function that reads the key.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Options {
    /// send-email: the recipients that a visitor may write to.
    pub allowed_recipients: Vec<Address>,
    /// send-email: the bucket that contains the attachments.
    pub attachment_bucket: Option<String>,
    /// send-email, send-guest-email: maximum number of messages per hour of all admins together.
    pub mails_hourly: Option<u32>,

    /// send-invite: the addresses to which anyone may request an invitation.
    pub first_admins: Vec<Address>,
    /// send-invite: the page of the site that the invitation leads to.
    pub redirect_to: Option<String>,

    /// validate-judging-password: lifetime of a judge's token in hours.
    pub token_hours: Option<u32>,

    /// send-guest-email: the fixed subject of letters.
    pub subject: Option<String>,
    /// send-guest-email: the club's name in the signature of letters.
    pub club: Option<String>,
}

impl Settings {
    /// Parses the sections `[functions]` and `[ai]` of cloch.toml. The gateway reports unknown keys.
    ///
    /// # Errors
    /// If a value has the wrong type or is out of range. The error names the file, the key and the allowed values.
    pub fn read(functions: &Table, ai: &Table, secrets: &BTreeMap<String, Secret>) -> Result<Self, SettingsError> {
        let mut options = BTreeMap::new();
        for (name, value) in functions {
            let key = format!("functions.{name}");
            let read: Options = section(CLOCH_TOML, &key, Some(value))?;
            read.check(&key)?;
            options.insert(name.clone(), read);
        }
        Ok(Self {
            functions: options,
            ai: Ai::read(ai, secrets)?,
            invitation_expiry: DEFAULT_INVITATION_EXPIRY,
            recipients: Recipients::default(),
        })
    }

    pub(crate) fn options(&self, function: &str) -> Options {
        self.functions.get(function).cloned().unwrap_or_default()
    }
}

impl Options {
    fn check(&self, section: &str) -> Result<(), SettingsError> {
        let refused = |name: &str, text: &str| Err(problem(CLOCH_TOML, format!("{section}.{name}"), text));
        if self.token_hours.is_some_and(|hours| !(1..=72).contains(&hours)) {
            return refused("token_hours", "must be 1 to 72");
        }
        if self.redirect_to.as_ref().is_some_and(|path| !path.starts_with('/') || path.starts_with("//")) {
            return refused("redirect_to", "must be a path of the site, beginning with /");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads settings from the text of a cloch.toml and from the given secrets.
    fn read(cloch: &str, secrets: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let file: Table = cloch.parse().unwrap();
        let section = |name: &str| file.get(name).map_or_else(Table::new, |value| value.as_table().unwrap().clone());
        let secrets = secrets.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect();
        Settings::read(&section("functions"), &section("ai"), &secrets)
    }

    fn refused(cloch: &str) -> String {
        read(cloch, &[]).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_file_key_and_what_is_allowed() {
        assert_eq!(
            refused("[functions.a]\nallowed_recipients = ['a@b.org\\nBcc']"),
            "cloch.toml: functions.a.allowed_recipients: not a valid e-mail address"
        );
        assert_eq!(
            refused("[functions.a]\nredirect_to = '//evil.example'"),
            "cloch.toml: functions.a.redirect_to: must be a path of the site, beginning with /"
        );
        assert_eq!(refused("[functions.a]\ntoken_hours = 73"), "cloch.toml: functions.a.token_hours: must be 1 to 72");
        assert!(refused("[ai]\nmodel = 3").starts_with("cloch.toml: ai.model: "));
        assert!(refused("[ai]\nmodle = 'x'").starts_with("cloch.toml: ai.modle: unknown field"));
    }

    #[test]
    fn each_function_has_its_own_section() {
        let settings = read(
            "[functions.send-email]\nallowed_recipients = ['club@example.org']\ntimeout_seconds = 5",
            &[("OPENAI_API_KEY", "k")],
        )
        .unwrap();
        let recipients = settings.options("send-email").allowed_recipients;
        assert_eq!(recipients.iter().map(Address::as_str).collect::<Vec<_>>(), ["club@example.org"]);
        assert!(settings.options("send-invite").allowed_recipients.is_empty());
        assert!(settings.ai.is_configured());
    }

    #[test]
    fn a_variable_that_is_not_set_is_a_key_that_is_not_written() {
        let settings = read("[ai]\nbase_url = 'env(OPENAI_BASE_URL)'\nmodel = 'env(OPENAI_MODEL)'", &[]).unwrap();
        assert!(!settings.ai.is_configured());
        assert_eq!(settings.ai.model, Ai::default().model);
    }

    #[test]
    fn a_project_is_the_clubs_by_what_it_declares() {
        let is_declared = |config: &str| crate::is_declared(&config.parse().unwrap());
        for other in ["", "[send-email]\n[send-invite]", "[validate-judging-password]\nenabled = false"] {
            assert!(!is_declared(other), "{other}");
        }
        assert!(is_declared("[validate-judging-password]\nverify_jwt = true"));
    }
}
