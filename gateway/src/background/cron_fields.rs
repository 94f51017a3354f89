//! The five fields of a cron schedule, as pg_cron 1.6.4 parses them (`src/entry.c`). Hosted projects use this version. It accepts more than
//! crontab(5) documents: any text after a field's last value, steps above the field's maximum, and ranges that end before they begin. Cloch
//! must accept such schedules too: the server must start with them, and the jobs must run as they did on the hosted project.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};

/// Longest time between two runs of a schedule, in days: a schedule for 29 February on one day of the week, if a year without this day,
/// such as 2100, is in between.
const LONGEST_CYCLE_DAYS: usize = 41 * 366;
const MINUTES_OF_DAY: u32 = 24 * 60;
/// Schedules of this length in bytes or longer are refused.
const MAX_BYTES: usize = 1000;
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Allowed values of each field as bits; the lowest bit is the field's lowest value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fields {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether the field for the day of the month is `$`, the last day of the month.
    is_last_day: bool,
    /// Whether the field for the day of the month or the field for the day of the week begins with `*`. If so, a day must match both
    /// fields, otherwise at least one of them.
    has_any_day: bool,
}

impl Fields {
    /// Parses five fields; `None` if they are invalid.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.len() >= MAX_BYTES {
            return None;
        }
        let line = without_comments(text).split('\n').next()?;
        let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
        let [minute, hour, day, month, weekday] = std::array::from_fn(|_| words.next().unwrap_or_default());
        let is_last_day = day == "$";
        let mut weekdays = bits(weekday, 0, 7, &DAYS)?;
        // Both 0 and 7 mean Sunday.
        if weekdays & 0b1000_0001 != 0 {
            weekdays |= 1;
        }
        Some(Self {
            minutes: bits(minute, 0, 59, &[])?,
            hours: bits(hour, 0, 23, &[])?,
            days: if is_last_day { 0 } else { bits(day, 1, 31, &[])? },
            months: bits(month, 1, 12, &MONTHS)?,
            weekdays,
            is_last_day,
            has_any_day: day.starts_with('*') || weekday.starts_with('*'),
        })
    }

    pub(super) fn next(&self, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut days = after.date_naive().iter_days().take(LONGEST_CYCLE_DAYS).filter(|day| self.has_day(*day));
        days.find_map(|day| self.times(day).find(|time| *time > after))
    }

    /// Returns the latest due time within `(after, until]`.
    pub(super) fn latest(&self, after: DateTime<Utc>, until: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut day = until.date_naive();
        while day >= after.date_naive() {
            if self.has_day(day)
                && let Some(time) = self.times(day).rev().find(|time| *time <= until)
            {
                return (time > after).then_some(time);
            }
            day = day.pred_opt()?;
        }
        None
    }

    fn has_day(&self, day: NaiveDate) -> bool {
        let is_last = day.succ_opt().is_some_and(|next| next.day() == 1);
        let in_month = has(self.days, day.day0()) || (self.is_last_day && is_last);
        let in_week = has(self.weekdays, day.weekday().num_days_from_sunday());
        has(self.months, day.month0()) && if self.has_any_day { in_month && in_week } else { in_month || in_week }
    }

    fn times(&self, day: NaiveDate) -> impl DoubleEndedIterator<Item = DateTime<Utc>> {
        (0..MINUTES_OF_DAY)
            .filter(|minute| has(self.hours, minute / 60) && has(self.minutes, minute % 60))
            .filter_map(move |minute| NaiveTime::from_num_seconds_from_midnight_opt(minute * 60, 0))
            .map(move |time| day.and_time(time).and_utc())
    }
}

/// Returns the text from the first line that is neither empty nor a comment. Blanks before this line are removed.
pub(super) fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start_matches([' ', '\t']);
    while rest.starts_with(['\n', '#']) {
        let Some((_, behind)) = rest.split_once('\n') else { break };
        rest = behind.trim_start_matches([' ', '\t']);
    }
    rest
}

fn has(bits: u64, at: u32) -> bool {
    bits >> at & 1 == 1
}

/// Parses a field: values, ranges and `*`, separated by commas. Text after the last of them is ignored.
fn bits(field: &str, low: u32, high: u32, names: &[&str]) -> Option<u64> {
    let (mut bits, mut rest) = (0, field);
    loop {
        let (start, stop, is_range);
        if let Some(behind) = rest.strip_prefix('*') {
            (start, stop, is_range, rest) = (low, high, true, behind);
        } else {
            let (first, behind) = number(rest, low, names)?;
            let last = behind.strip_prefix('-').map(|behind| number(behind, low, names));
            (start, is_range) = (first, last.is_some());
            (stop, rest) = last.unwrap_or(Some((first, behind)))?;
        }
        let mut step = 1;
        if let Some(behind) = rest.strip_prefix('/') {
            (step, rest) = number(behind, 0, &[]).filter(|(step, _)| is_range && *step > 0)?;
        }
        if !(low..=high).contains(&start) || !(low..=high).contains(&stop) {
            return None;
        }
        bits |= range(start - low, stop - low, step);
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind,
            None => return Some(bits),
        }
    }
}

/// Returns the bits of a range. For a range that ends before it begins, this function sets the same bits as pg_cron: from `start` to the
/// end of its byte, and from the beginning of the byte of `stop` to `stop`. No bits are set if both are in the same byte, or if the step is
/// not 1.
fn range(start: u32, stop: u32, step: u32) -> u64 {
    let is_set = |at: &u32| match step {
        _ if start <= stop => (start..=stop).contains(at) && (at - start).is_multiple_of(step),
        1 if start / 8 != stop / 8 => (*at >= start && at / 8 == start / 8) || (*at <= stop && at / 8 == stop / 8),
        _ => false,
    };
    (0..u64::BITS).filter(is_set).fold(0, |bits, at| bits | 1 << at)
}

/// Parses the letters and digits at the start of a text. Returns their value, and the text after them.
fn number<'a>(text: &'a str, low: u32, names: &[&str]) -> Option<(u32, &'a str)> {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(text.len());
    let (word, behind) = text.split_at_checked(end)?;
    if let Some(at) = names.iter().position(|name| name.eq_ignore_ascii_case(word)) {
        return Some((low + u32::try_from(at).ok()?, behind));
    }
    let value: i32 = word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok())??;
    Some((value.unsigned_abs(), behind))
}
