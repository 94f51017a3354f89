//! Describes an entry in a mail to an address that nobody has verified: the award, choices from lists, the number of files, the time, and a
//! reference for the club. The line contains no typed text and no names.

use uuid::Uuid;

/// SQL expression for [`Received::received`], the time at which the entry `r` was received.
pub(super) const RECEIVED_AT: &str =
    "to_char(r.created_at at time zone 'Europe/London', 'FMDD FMMonth YYYY, HH24:MI') as received";

#[derive(Debug, sqlx::FromRow)]
pub(super) struct Received {
    pub(super) award: String,
    pub(super) entry: Uuid,
    category: Option<String>,
    files: i32,
    publicity_consent: Option<String>,
    /// Day and time in Gourock (Europe/London) at which the entry was received.
    received: String,
}

impl Received {
    /// Returns the entry in one line, for example "Young Artist entry, Senior (14-17), 2 files, publicity: agreed. Received on 3 September
    /// 2026, 14:05. Reference 3F2A9C1B."
    pub(super) fn line(&self) -> String {
        let mut parts = vec![self.what().to_owned()];
        parts.extend(category(self.category.as_deref()).map(str::to_owned));
        parts.push(match self.files {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        });
        let publicity = match (self.award.as_str(), self.publicity_consent.as_deref()) {
            // The nomination form has no question about publicity.
            ("citizen", _) => None,
            (_, Some("agree")) => Some("publicity: agreed"),
            (_, Some("disagree")) => Some("publicity: not agreed"),
            _ => Some("publicity: not specified"),
        };
        parts.extend(publicity.map(str::to_owned));
        format!("{}. Received on {}. Reference {}.", parts.join(", "), self.received, reference(self.entry))
    }

    pub(super) fn what(&self) -> &'static str {
        match self.award.as_str() {
            "citizen" => "Young Citizen Award nomination",
            "musician" => "Young Musician entry",
            "photographer" => "Young Photographer entry",
            "artist" => "Young Artist entry",
            _ => "youth awards entry",
        }
    }
}

/// Returns the category of an entry in the words of the entry form, or `None` for an unknown value, which may be text typed by a stranger.
fn category(category: Option<&str>) -> Option<&'static str> {
    Some(match category? {
        "individual" => "Individual",
        "group" => "Group",
        "vocal" => "Vocal",
        "instrumental" => "Instrumental",
        "junior" => "Junior (under 10)",
        "intermediate" => "Intermediate (11-13)",
        "senior" => "Senior (14-17)",
        _ => return None,
    })
}

/// Returns the reference of an entry: the beginning of the entry's id, as in the back-office.
fn reference(entry: Uuid) -> String {
    entry.simple().to_string().chars().take(8).collect::<String>().to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(award: &str, category: &str) -> Received {
        Received {
            award: award.to_owned(),
            entry: Uuid::from_u128(0x3f2a_9c1b << 96),
            category: Some(category.to_owned()),
            files: 1,
            publicity_consent: Some("https://evil.example".to_owned()),
            received: "3 September 2026, 14:05".to_owned(),
        }
    }

    #[test]
    fn nothing_that_was_typed_is_in_it() {
        for award in ["citizen", "musician", "photographer", "artist", "evil.example"] {
            assert!(!received(award, "https://evil.example").line().contains("evil"));
        }
    }

    #[test]
    fn an_entry_is_told_in_plain_words() {
        let words = "Young Artist entry, Senior (14-17), 1 file, publicity: not specified. \
                     Received on 3 September 2026, 14:05. Reference 3F2A9C1B.";
        assert_eq!(received("artist", "senior").line(), words);
    }
}
