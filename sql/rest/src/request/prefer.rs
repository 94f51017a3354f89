//! Parses the `Prefer` request header and builds the `Preference-Applied` response header.

use std::collections::HashSet;

use http::HeaderMap;

macro_rules! preference {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "named as in the header")]
        pub enum $name { $($variant),+ }

        impl $name {
            /// Returns the preference as written in the header.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            fn read(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

preference!(
    /// Resolution of conflicts between inserted and existing rows.
    Resolution { Merge = "resolution=merge-duplicates", Ignore = "resolution=ignore-duplicates" });
preference!(
    /// Content of the response to a write.
    Return { Representation = "return=representation", Minimal = "return=minimal", HeadersOnly = "return=headers-only" });
preference!(
    /// Method of counting the rows: exactly, by the planner's estimate, or by the estimate for large results only.
    Count { Exact = "count=exact", Planned = "count=planned", Estimated = "count=estimated" });
preference!(
    /// Whether the transaction is committed or rolled back.
    Transaction { Commit = "tx=commit", Rollback = "tx=rollback" });
preference!(
    /// Value of a column that is missing in an inserted row.
    Missing { Default = "missing=default", Null = "missing=null" });
preference!(
    /// Whether an unknown preference is an error or is ignored.
    Handling { Strict = "handling=strict", Lenient = "handling=lenient" });

/// Preferences of a request. The first preference of each kind takes effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// Value of `resolution=`.
    pub resolution: Option<Resolution>,
    /// Value of `return=`.
    pub representation: Option<Return>,
    /// Value of `count=`.
    pub count: Option<Count>,
    /// Value of `tx=`; `None` if the settings do not allow a choice between commit and rollback.
    pub transaction: Option<Transaction>,
    /// Value of `missing=`.
    pub missing: Option<Missing>,
    /// Value of `handling=`.
    pub handling: Option<Handling>,
    /// Value of `timezone=`; `None` if the value is neither a time zone of PostgreSQL nor an offset from UTC.
    pub timezone: Option<String>,
    /// Maximum number of affected rows (`max-affected=`).
    pub max_affected: Option<i64>,
    /// Unknown or invalid preferences, in the order of the header.
    pub invalid: Vec<String>,
}

/// Whether a `Prefer` header contains the name of a time zone instead of an offset from UTC. To check a name, the names of PostgreSQL's
/// time zones are needed.
pub(crate) fn names_timezone(headers: &HeaderMap) -> bool {
    items(headers).filter_map(|item| item.strip_prefix("timezone=")).any(|zone| offset(zone).is_none())
}

/// Preferences of all `Prefer` headers, in their order.
fn items(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all("prefer").iter().filter_map(|value| std::str::from_utf8(value.as_bytes()).ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

impl Preferences {
    /// Parses all `Prefer` headers of a request. `tx=` is ignored unless `allow_transaction` is true.
    #[must_use]
    pub fn read(headers: &HeaderMap, allow_transaction: bool, timezones: &HashSet<String>) -> Self {
        let mut found = Self::default();
        let mut timezone = None;
        let items: Vec<&str> = items(headers).collect();
        for item in &items {
            if let Some(value) = Resolution::read(item) {
                found.resolution.get_or_insert(value);
            } else if let Some(value) = Return::read(item) {
                found.representation.get_or_insert(value);
            } else if let Some(value) = Count::read(item) {
                found.count.get_or_insert(value);
            } else if let Some(value) = Transaction::read(item) {
                if allow_transaction {
                    found.transaction.get_or_insert(value);
                }
            } else if let Some(value) = Missing::read(item) {
                found.missing.get_or_insert(value);
            } else if let Some(value) = Handling::read(item) {
                found.handling.get_or_insert(value);
            } else if let Some(value) = item.strip_prefix("timezone=") {
                timezone.get_or_insert(value);
            } else if let Some(rows) = item.strip_prefix("max-affected=").and_then(|value| value.trim().parse().ok()) {
                found.max_affected.get_or_insert(rows);
            } else {
                found.invalid.push((*item).to_owned());
            }
        }
        match timezone {
            Some(zone) if timezones.contains(zone) || offset(zone).is_some() => found.timezone = Some(zone.to_owned()),
            Some(_) => {
                // Collect all invalid preferences again, now with the time zone, so that they have the same order as in the header.
                let is_unknown =
                    |item: &&&str| item.starts_with("timezone=") || found.invalid.iter().any(|i| i == **item);
                found.invalid = items.iter().filter(is_unknown).map(|item| (*item).to_owned()).collect();
            }
            None => {}
        }
        found
    }

    /// Returns the time zone as a value of PostgreSQL's `TimeZone` setting. An offset such as `+05:30` becomes the POSIX time zone
    /// `<+05:30>-05:30`: the name in angle brackets has the sign of ISO 8601, the offset after the name has the opposite sign of POSIX.
    #[must_use]
    pub fn timezone_setting(&self) -> Option<String> {
        let zone = self.timezone.as_ref()?;
        Some(offset(zone).unwrap_or_else(|| zone.clone()))
    }

    /// Whether the exact number of rows is needed: for `count=exact` and `count=estimated`.
    #[must_use]
    pub fn counts(&self) -> bool {
        matches!(self.count, Some(Count::Exact | Count::Estimated))
    }

    /// Whether the planner's estimate of the number of rows is needed: for `count=planned` and `count=estimated`.
    #[must_use]
    pub fn counts_by_plan(&self) -> bool {
        matches!(self.count, Some(Count::Planned | Count::Estimated))
    }

    /// Whether an unknown preference is an error.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.handling == Some(Handling::Strict)
    }

    /// Returns the value of the `Preference-Applied` header, or `None` if the request has no applied preference.
    #[must_use]
    pub fn applied(&self) -> Option<String> {
        let timezone = self.timezone.as_ref().map(|zone| format!("timezone={zone}"));
        let max_affected = self.max_affected.filter(|_| self.is_strict()).map(|rows| format!("max-affected={rows}"));
        let items = [
            self.resolution.map(Resolution::as_str),
            self.missing.map(Missing::as_str),
            self.representation.map(Return::as_str),
            self.count.map(Count::as_str),
            self.transaction.map(Transaction::as_str),
            self.handling.map(Handling::as_str),
            timezone.as_deref(),
            max_affected.as_deref(),
        ];
        let items: Vec<&str> = items.into_iter().flatten().collect();
        (!items.is_empty()).then(|| items.join(", "))
    }
}

/// Converts an offset from UTC like `+05:30`, `05:00` or `-4` to a POSIX time zone. In POSIX, zones east of Greenwich have a negative
/// offset. Returns `None` if the text is not an offset.
fn offset(text: &str) -> Option<String> {
    const MAX_HOURS: u8 = 15;
    let (sign, posix_sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ('-', '+', digits),
        None => ('+', '-', text.strip_prefix('+').unwrap_or(text)),
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "00"));
    let number = |text: &str, lengths: &[usize]| {
        let is_number = lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u8>().ok().filter(|_| is_number)
    };
    let hours = number(hours, &[1, 2]).filter(|hours| *hours <= MAX_HOURS)?;
    let minutes = number(minutes, &[2]).filter(|minutes| *minutes < 60)?;
    Some(format!("<{sign}{hours:02}:{minutes:02}>{posix_sign}{hours:02}:{minutes:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&'static str]) -> Preferences {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("prefer", http::HeaderValue::from_static(value));
        }
        Preferences::read(&headers, false, &HashSet::from(["Europe/London".to_owned()]))
    }

    #[test]
    fn the_first_of_a_kind_wins() {
        let found = read(&["count=exact ,  return=minimal", "return=representation, count=planned"]);
        assert_eq!((found.count, found.representation), (Some(Count::Exact), Some(Return::Minimal)));
        assert_eq!(found.applied().as_deref(), Some("return=minimal, count=exact"));
    }

    #[test]
    fn names_what_it_does_not_know() {
        let found = read(&["anything, handling=strict, timezone=Mars/Olympus, Return=minimal, tx=rollback"]);
        assert_eq!(found.invalid, ["anything", "timezone=Mars/Olympus", "Return=minimal"]);
        // An invalid `max-affected` is reported, and the next valid `max-affected` sets the limit.
        assert_eq!(read(&["max-affected=ten, max-affected=5"]).invalid, ["max-affected=ten"]);
        assert_eq!(found.transaction, None);
        assert_eq!(read(&["timezone=Europe/London"]).timezone.as_deref(), Some("Europe/London"));
    }

    #[test]
    fn only_names_need_the_list_of_time_zones() {
        let names = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.append("prefer", http::HeaderValue::from_static("return=minimal"));
            headers.append("prefer", http::HeaderValue::from_static(value));
            names_timezone(&headers)
        };
        assert!(names("count=exact, timezone=Europe/London") && names("timezone="));
        assert!(!names("timezone=+05:30") && !names("count=exact") && !names("my-timezone=Europe/London"));
    }

    #[test]
    fn offsets_are_time_zones() {
        for (given, setting) in [
            ("timezone=05:00", "<+05:00>-05:00"),
            ("timezone=+05:30", "<+05:30>-05:30"),
            ("timezone=-4", "<-04:00>+04:00"),
            ("timezone=0", "<+00:00>-00:00"),
        ] {
            assert_eq!(read(&[given]).timezone_setting().as_deref(), Some(setting), "{given}");
            assert_eq!(read(&[given]).applied().as_deref(), Some(given));
        }
        for other in [
            "timezone=16",
            "timezone=1:60",
            "timezone=+-1",
            "timezone=1:5",
            "timezone=+",
            "timezone=",
            "timezone=5:00:00",
        ] {
            assert_eq!(read(&[other]).timezone, None, "{other}");
        }
    }

    #[test]
    fn max_affected_is_shown_when_strict() {
        assert_eq!(read(&["max-affected=3"]).applied(), None);
        assert_eq!(
            read(&["max-affected=3,handling=strict"]).applied().as_deref(),
            Some("handling=strict, max-affected=3")
        );
        assert_eq!(read(&["max-affected=x"]).max_affected, None);
    }
}
