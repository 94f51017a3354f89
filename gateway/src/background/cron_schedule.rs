//! Parses schedules of `cron.schedule` in pg_cron's syntax. Times are UTC, as in pg_cron. One difference: pg_cron 1.6.4 uses a wrong array
//! index for `@yearly`, so that the schedule contains no month. Here, such jobs run on the first of January.

use chrono::{DateTime, Utc};

use super::cron_fields::{Fields, without_comments};

/// A parsed schedule of a cron job.
#[derive(Debug)]
pub enum Schedule {
    /// Five cron fields, or a word such as `@daily`.
    Fields(Fields),
    /// `30 seconds`: the job runs at multiples of this number of seconds.
    Seconds(i64),
    /// `@reboot` or `@restart`: the job runs once after the start of the program.
    AtStart,
}

impl Schedule {
    /// Parses pg_cron's syntax; `None` if it is invalid. As in pg_cron, text after the keyword or the fifth field is ignored.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let Some(word) = without_comments(text).strip_prefix('@') else {
            return Fields::parse(text).map(Self::Fields).or_else(|| seconds(text).map(Self::Seconds));
        };
        let fields = match word.split([' ', '\t', '\n']).next()? {
            "reboot" | "restart" => return Some(Self::AtStart),
            "yearly" | "annually" => "0 0 1 1 *",
            "monthly" => "0 0 1 * *",
            "weekly" => "0 0 * * 0",
            "daily" | "midnight" => "0 0 * * *",
            "hourly" => "0 * * * *",
            _ => return None,
        };
        Fields::parse(fields).map(Self::Fields)
    }

    /// Returns the first time after `now` at which the job is due; `None` for `@reboot` and for schedules that are never due.
    #[must_use]
    pub fn next(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            Self::Fields(fields) => fields.next(now),
            Self::Seconds(count) => DateTime::from_timestamp((now.timestamp().div_euclid(*count) + 1) * count, 0),
            Self::AtStart => None,
        }
    }

    /// Returns the latest due time within `(after, until]`. If several due times were missed, the job runs only once.
    pub(super) fn due(&self, after: DateTime<Utc>, until: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let time = match self {
            Self::Fields(fields) => return fields.latest(after, until),
            Self::Seconds(count) => DateTime::from_timestamp(until.timestamp().div_euclid(*count) * count, 0)?,
            Self::AtStart => return None,
        };
        (time > after).then_some(time)
    }
}

/// Parses an interval such as `30 seconds`, as pg_cron does with `sscanf(" %u secon%c%c %c")`.
fn seconds(text: &str) -> Option<i64> {
    let text = text.to_ascii_lowercase();
    let text = text.trim_start_matches(is_space);
    let text = text.strip_prefix('+').unwrap_or(text);
    let (digits, unit) = text.split_at_checked(text.find(|digit: char| !digit.is_ascii_digit())?)?;
    let unit = unit.trim_start_matches(is_space).strip_prefix("second")?;
    if !unit.is_empty() && !unit.strip_prefix('s')?.chars().all(is_space) {
        return None;
    }
    digits.parse().ok().filter(|count| (1..60).contains(count))
}

/// Whether a character is white space in C.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Schedules, and how pg_cron interprets them. The file is the output of `tests/oracles/cron_schedules.mjs`, which describes the
    /// columns.
    const OF_PG_CRON: &str = include_str!("../../../sql/tests/it/cron_schedules.tsv");

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
        for text in
            ["", "now and then", "60 seconds", "0 seconds", "* * * *", "61 * * * *", "@restar", "@DAILY", "-1 * * * *"]
        {
            assert!(Schedule::parse(text).is_none(), "{text}");
        }
    }

    /// Returns the same text as `tests/oracles/cron_schedules.c` prints for a schedule. The runs are those after the start time in
    /// `cron_schedules.mjs`.
    fn result(schedule: &str) -> String {
        match Schedule::parse(schedule) {
            None => "-".to_owned(),
            Some(Schedule::AtStart) => "start".to_owned(),
            Some(Schedule::Seconds(count)) => format!("{count} seconds"),
            Some(schedule) => {
                let first = schedule.next(at("2026-02-27T22:58:30Z"));
                let runs = std::iter::successors(first, |time| schedule.next(*time)).take(3);
                let runs: Vec<_> = runs.map(|time| time.format("%Y-%m-%dT%H:%M:%SZ").to_string()).collect();
                if runs.is_empty() { "never".to_owned() } else { runs.join(" ") }
            }
        }
    }

    #[test]
    fn schedules_run_when_pg_cron_runs_them() {
        let other = std::env::var("CLOCH_CRON_SCHEDULES").ok().map(|path| std::fs::read_to_string(path).unwrap());
        let mut differences = Vec::new();
        for line in other.as_deref().unwrap_or(OF_PG_CRON).lines() {
            let (text, expected) = line.split_once('\t').unwrap();
            let text: String = serde_json::from_str(text).unwrap();
            let result = result(&text);
            // The known difference from pg_cron: see the comment at the top of this file.
            let is_yearly = text.contains("@yearly") || text.contains("@annually");
            if result != expected && !(is_yearly && expected == "never" && result.starts_with("2027-01-01T00:00:00Z")) {
                differences.push(format!("{text:?}: {result}, pg_cron: {expected}"));
            }
            let runs: Vec<_> = expected.split(' ').filter(|run| run.ends_with('Z')).map(at).collect();
            for pair in runs.windows(2) {
                let schedule = Schedule::parse(&text).unwrap();
                assert_eq!(schedule.due(pair[0], pair[1] - chrono::Duration::seconds(1)), None, "{text:?}");
                assert_eq!(schedule.due(at("2026-02-27T22:58:30Z"), pair[1]), Some(pair[1]), "{text:?}");
            }
        }
        assert_eq!(differences, Vec::<String>::new());
    }
}
