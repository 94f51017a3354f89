//! Which base backups stay, and what of the log and the blobs they need.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, TimeDelta, Utc};

/// How long backups stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Days, in which every moment can be restored.
    pub days: u32,
    /// Weeks of which the last base backup stays.
    pub weeks: u32,
    /// Months of which the last base backup stays.
    pub months: u32,
}

impl Default for Keep {
    fn default() -> Self {
        Self { days: 14, weeks: 8, months: 12 }
    }
}

/// What stays of a list of base backups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// From the first of these on, every moment can be restored.
    pub continuous: BTreeSet<usize>,
    /// Those that can be restored only as they are.
    pub single: BTreeSet<usize>,
}

/// Chooses by the moments at which base backups were completed, in the order of time. The last one always stays, and so does the one
/// before the oldest moment of the days: replay to that moment begins there.
#[must_use]
pub fn choose(completed: &[DateTime<Utc>], keep: Keep, now: DateTime<Utc>) -> Kept {
    let mut kept = Kept::default();
    let days_begin = now - TimeDelta::days(i64::from(keep.days));
    let first = completed.iter().rposition(|moment| *moment <= days_begin).unwrap_or(0);
    kept.continuous.extend(first..completed.len());
    let periods = [
        (keep.weeks, week as fn(DateTime<Utc>) -> (i32, u32)),
        (keep.months, month as fn(DateTime<Utc>) -> (i32, u32)),
    ];
    for (count, period) in periods {
        let mut periods = BTreeSet::new();
        for (index, moment) in completed.iter().enumerate().rev() {
            if periods.len() >= usize::try_from(count).unwrap_or(usize::MAX) {
                break;
            }
            if periods.insert(period(*moment)) && !kept.continuous.contains(&index) {
                kept.single.insert(index);
            }
        }
    }
    kept
}

fn week(moment: DateTime<Utc>) -> (i32, u32) {
    let week = moment.iso_week();
    (week.year(), week.week())
}

fn month(moment: DateTime<Utc>) -> (i32, u32) {
    (moment.year(), moment.month())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + number * 86_400, 0).unwrap_or_default()
    }

    #[test]
    fn the_days_are_whole_and_older_periods_have_one_each() {
        let completed: Vec<_> = (0..100).map(day).collect();
        let kept = choose(&completed, Keep { days: 7, weeks: 4, months: 3 }, day(99));
        assert_eq!(kept.continuous, (92..100).collect(), "day 92 is needed for the first moment of the seven days");
        assert!(kept.single.len() <= 7 && kept.single.len() >= 3, "{:?}", kept.single);
        assert!(kept.single.iter().all(|index| *index < 92));
    }

    #[test]
    fn the_last_backup_stays_however_old_it_is() {
        assert_eq!(choose(&[day(0)], Keep { days: 1, weeks: 0, months: 0 }, day(500)).continuous, [0].into());
        assert_eq!(choose(&[], Keep::default(), day(0)), Kept::default());
    }
}
