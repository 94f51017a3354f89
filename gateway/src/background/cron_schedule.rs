//! Parses schedules of `cron.schedule` in pg_cron's syntax. Times are UTC, as in pg_cron.

use chrono::{DateTime, Utc};
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};

/// Number of fields of a schedule: minute, hour, day, month, day of the week.
const FIELDS: usize = 5;

/// A parsed schedule of a cron job.
#[derive(Debug)]
pub enum Schedule {
    /// Five cron fields, or a word such as `@daily`.
    Fields(Box<Cron>),
    /// `30 seconds`: the job runs at multiples of this number of seconds.
    Seconds(i64),
    /// `@reboot` or `@restart`: the job runs once after the start of the program.
    AtStart,
}

impl Schedule {
    /// Parses pg_cron's syntax; `None` if it is invalid. As in pg_cron, words after the keyword or the fifth field are ignored.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(count) = text.strip_suffix("seconds").or_else(|| text.strip_suffix("second")) {
            return count.trim_end().parse().ok().filter(|count| (1..60).contains(count)).map(Self::Seconds);
        }
        let words: Vec<&str> = text.split_whitespace().take(FIELDS).collect();
        let fields = match words.as_slice() {
            ["@reboot" | "@restart", ..] => return Some(Self::AtStart),
            [keyword, ..] if keyword.starts_with('@') => (*keyword).to_owned(),
            // pg_cron writes the month's last day as `$`, the parser library as `l`.
            fields if fields.len() == FIELDS => fields.join(" ").replace('$', "l"),
            _ => return None,
        };
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        parser.parse(&fields).ok().map(|cron| Self::Fields(Box::new(cron)))
    }

    /// Returns the first time after `now` at which the job is due; `None` for `@reboot` and for schedules that are never due.
    #[must_use]
    pub fn next(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            Self::Fields(cron) => cron.find_next_occurrence(&now, false).ok(),
            Self::Seconds(count) => DateTime::from_timestamp((now.timestamp().div_euclid(*count) + 1) * count, 0),
            Self::AtStart => None,
        }
    }

    /// Returns the latest due time within `(after, until]`; several missed times lead to one run.
    pub(super) fn due(&self, after: DateTime<Utc>, until: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let time = match self {
            Self::Fields(cron) => cron.find_previous_occurrence(&until, true).ok()?,
            Self::Seconds(count) => DateTime::from_timestamp(until.timestamp().div_euclid(*count) * count, 0)?,
            Self::AtStart => return None,
        };
        (time > after).then_some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn finds_the_latest_due_time() {
        for (schedule, after, until, expected) in [
            ("* * * * *", "2026-03-01T10:00:00Z", "2026-03-01T10:00:59Z", None),
            ("* * * * *", "2026-03-01T10:00:59Z", "2026-03-01T10:01:00Z", Some("2026-03-01T10:01:00Z")),
            ("* * * * *", "2026-03-01T10:00:00Z", "2026-03-01T10:05:30Z", Some("2026-03-01T10:05:00Z")),
            ("30 3 * * MON-FRI", "2026-03-01T00:00:00Z", "2026-03-02T04:00:00Z", Some("2026-03-02T03:30:00Z")),
            ("0 12 $ * *", "2026-02-27T13:00:00Z", "2026-02-28T12:00:01Z", Some("2026-02-28T12:00:00Z")),
            ("@daily", "2026-03-01T23:59:59Z", "2026-03-02T00:00:01Z", Some("2026-03-02T00:00:00Z")),
            ("10 seconds", "2026-03-01T10:00:01Z", "2026-03-01T10:00:09Z", None),
            ("10 seconds", "2026-03-01T10:00:09Z", "2026-03-01T10:00:10Z", Some("2026-03-01T10:00:10Z")),
        ] {
            let due = Schedule::parse(schedule).unwrap().due(at(after), at(until));
            assert_eq!(due, expected.map(at), "{schedule} in ({after}, {until}]");
        }
    }

    #[test]
    fn finds_the_next_time() {
        for (schedule, now, expected) in [
            ("* * * * *", "2026-03-01T10:00:00Z", Some("2026-03-01T10:01:00Z")),
            ("30 3 * * MON-FRI", "2026-02-28T04:00:00Z", Some("2026-03-02T03:30:00Z")),
            ("@hourly", "2026-03-01T23:59:59Z", Some("2026-03-02T00:00:00Z")),
            ("0 0 30 2 *", "2026-03-01T10:00:00Z", None),
            ("10 seconds", "2026-03-01T10:00:10Z", Some("2026-03-01T10:00:20Z")),
            ("@reboot", "2026-03-01T10:00:10Z", None),
        ] {
            assert_eq!(Schedule::parse(schedule).unwrap().next(at(now)), expected.map(at), "{schedule} after {now}");
        }
    }

    #[test]
    fn reads_what_pg_cron_accepts() {
        for schedule in [
            "@restart",
            " 30 sEcOnDs ",
            "30seconds",
            "*/15 9-17 * jan-mar mon,wed",
            "0 0 1 1 7",
            "59 23 31 12 5",
            "1-59/2 * * * *",
            "*/5,7,10-20/3 * $ * 0-7",
        ] {
            assert!(Schedule::parse(schedule).is_some(), "{schedule}");
        }
        // pg_cron ignores a sixth field.
        let six = Schedule::parse("0 3 * * * *").unwrap().next(at("2026-03-01T10:00:00Z"));
        assert_eq!(six, Some(at("2026-03-02T03:00:00Z")));
    }

    #[test]
    fn refuses_what_says_nothing() {
        for text in ["", "now and then", "60 seconds", "0 seconds", "* * * *", "61 * * * *", "@restar", "-1 * * * *"] {
            assert!(Schedule::parse(text).is_none(), "{text}");
        }
    }
}
