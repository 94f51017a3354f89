//! Reads the club's name and its addresses for mails about entries from the public settings of the web app (`[web.settings]`).

use cloch_functions::FunctionError;
use cloch_functions::settings::{CLOCH_TOML, SettingsError, section};
use cloch_mail::Address;
use serde::Deserialize;
use toml::Table;

/// The club's addresses. Other settings of the web app are ignored.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Recipients {
    /// The club's name in the signature of receipts.
    pub club_name: Option<String>,
    /// The club's general address.
    pub club_email: Option<Address>,
    /// Address for mails about entries of musicians, uploads of music, and nominations of citizens.
    pub awards_email: Option<Address>,
    /// Address for mails about entries of photographers and artists.
    pub officer_email: Option<Address>,
    /// Addresses for mails about additional files, which entrants send after their entry.
    pub files_emails: Vec<Address>,
}

impl Recipients {
    /// Parses the club's addresses from `[web.settings]` of cloch.toml.
    ///
    /// # Errors
    /// If an address is invalid. The error names the file, the key and the allowed values.
    pub fn read(web_settings: &Table) -> Result<Self, SettingsError> {
        section(CLOCH_TOML, "web.settings", Some(&web_settings.clone().into()))
    }

    /// Returns the club's address for answers to mails to entrants, parents and schools.
    ///
    /// # Errors
    /// If no address is configured. The error names the key.
    pub(crate) fn reply_to(&self) -> Result<&Address, FunctionError> {
        let club = self.club_email.as_ref().or(self.awards_email.as_ref());
        club.ok_or_else(|| FunctionError::internal(&"cloch.toml: web.settings.clubEmail is not set"))
    }

    /// Returns the addresses to which mails of stored records are sent.
    pub(crate) fn all(&self) -> Vec<Address> {
        let single = self.awards_email.iter().chain(&self.officer_email);
        single.chain(&self.files_emails).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_and_other_settings_left_alone() {
        let read = |text: &str| Recipients::read(&text.parse().unwrap());
        let recipients = read("clubName = 'Club'\nawardsEmail = 'awards@example.org'").unwrap();
        assert_eq!(recipients.awards_email.unwrap().as_str(), "awards@example.org");
        assert!(recipients.officer_email.is_none());
        let refused = read("officerEmail = 'nobody'").unwrap_err().to_string();
        assert_eq!(refused, "cloch.toml: web.settings.officerEmail: not a valid e-mail address");
    }
}
