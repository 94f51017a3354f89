//! Retention: chooses the base backups to keep.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, TimeDelta, Utc};

/// The retention policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Number of past days within which every moment can be restored.
    pub days: u32,
    /// Number of past weeks for each of which the last base backup is kept.
    pub weeks: u32,
    /// Number of past months for each of which the last base backup is kept.
    pub months: u32,
}

impl Default for Keep {
    fn default() -> Self {
        Self { days: 14, weeks: 8, months: 12 }
    }
}

impl Keep {
    /// Returns the number of days after which data that was deleted from the project is also deleted from the backup target, if a base
    /// backup is made every `every_hours` hours. The result is the longest of the three retention periods, plus the time of two base
    /// backups. The first of these is added because a base backup expires only when the base backup after it is older than the retention
    /// period. The second is added because expired files are deleted only after another base backup.
    #[must_use]
    pub fn longest_days(self, every_hours: u32) -> u32 {
        let longest = self.days.max(self.weeks.saturating_mul(7)).max(self.months.saturating_mul(31));
        longest.saturating_add(every_hours.saturating_mul(2).div_ceil(24))
    }
}

/// The base backups that retention keeps, as indexes into the list of candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Base backups that are kept with their WAL. Every moment from the first of these base backups on can be restored.
    pub continuous: BTreeSet<usize>,
    /// Base backups that are kept without later WAL. From each of them, only the moment of its completion can be restored.
    pub single: BTreeSet<usize>,
}

/// A base backup that retention keeps or deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// Backup series of the base backup.
    pub series: &'a str,
    /// Time when the base backup was completed.
    pub completed: DateTime<Utc>,
    /// Last restorable moment of the base backup's backup series.
    pub until: DateTime<Utc>,
}

/// Chooses the base backups to keep. `bases` must be sorted by time. The last base backup is always kept. If a backup series contains WAL
/// of the last `days` days, its last base backup before this period is also kept, because replay to the first moments of the period begins
/// at that base backup.
#[must_use]
pub fn choose(bases: &[Candidate<'_>], keep: Keep, now: DateTime<Utc>) -> Kept {
    let mut kept = Kept::default();
    let days_begin = now - TimeDelta::days(i64::from(keep.days));
    for (index, base) in bases.iter().enumerate() {
        let next = bases.iter().skip(index + 1).find(|next| next.series == base.series);
        // Replay begins at the base backup `base` for all moments up to the next base backup, or up to the end of the backup series.
        let end = next.map_or(base.until, |next| next.completed);
        if end >= days_begin || index + 1 == bases.len() {
            kept.continuous.insert(index);
        }
    }
    let periods = [
        (keep.weeks, week as fn(DateTime<Utc>) -> (i32, u32)),
        (keep.months, month as fn(DateTime<Utc>) -> (i32, u32)),
    ];
    for (count, period) in periods {
        let mut periods = BTreeSet::new();
        for (index, base) in bases.iter().enumerate().rev() {
            if periods.len() >= usize::try_from(count).unwrap_or(usize::MAX) {
                break;
            }
            if periods.insert(period(base.completed)) && !kept.continuous.contains(&index) {
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

    fn series<'a>(name: &'a str, days: impl Iterator<Item = i64>, until: i64) -> Vec<Candidate<'a>> {
        days.map(|number| Candidate { series: name, completed: day(number), until: day(until) }).collect()
    }

    #[test]
    fn the_days_are_whole_and_older_periods_have_one_each() {
        let bases = series("a", 0..100, 99);
        let kept = choose(&bases, Keep { days: 7, weeks: 4, months: 3 }, day(99));
        assert_eq!(
            kept.continuous,
            (91..100).collect(),
            "the moments of the first of the seven days begin at an older one"
        );
        assert!(kept.single.len() <= 7 && kept.single.len() >= 3, "{:?}", kept.single);
        assert!(kept.single.iter().all(|index| *index < 91));
    }

    #[test]
    fn what_is_deleted_has_left_every_backup_when_the_longest_time_is_over() {
        for keep in [
            Keep { days: 14, weeks: 8, months: 12 },
            Keep { days: 40, weeks: 2, months: 0 },
            Keep { days: 3, weeks: 6, months: 1 },
            Keep { days: 2, weeks: 0, months: 0 },
        ] {
            for interval in [1, 5] {
                let longest = i64::from(keep.longest_days(u32::try_from(interval).unwrap_or_default() * 24));
                // Days on which the base backups that are now in the backup target were made.
                let mut there: Vec<i64> = Vec::new();
                let mut oldest = 0;
                for today in (0..900).step_by(usize::try_from(interval).unwrap_or(1)) {
                    // A row that is deleted today is still in the previous base backup. It is in the backup target as long as that base
                    // backup is, so the age of the oldest base backup counts.
                    oldest = oldest.max(there.first().map_or(0, |first| today - first));
                    there.push(today);
                    let kept = choose(&series("a", there.iter().copied(), today), keep, day(today));
                    let mut index = 0;
                    there.retain(|_| {
                        let stays = kept.continuous.contains(&index) || kept.single.contains(&index);
                        index += 1;
                        stays
                    });
                }
                assert!(oldest <= longest, "{keep:?} every {interval} days: {oldest} of {longest}");
                assert!(oldest * 3 >= longest, "{keep:?} every {interval} days: {oldest} of {longest}");
            }
        }
    }

    #[test]
    fn the_last_backup_stays_however_old_it_is() {
        let keep = Keep { days: 1, weeks: 0, months: 0 };
        assert_eq!(choose(&series("a", 0..1, 0), keep, day(500)).continuous, [0].into());
        assert_eq!(choose(&[], Keep::default(), day(0)), Kept::default());
    }

    #[test]
    fn a_series_whose_last_base_backup_is_old_stays_while_its_log_reaches_into_the_days() {
        let mut bases = series("a", 0..3, 40);
        bases.extend(series("b", 30..41, 40));
        let keep = Keep { days: 5, weeks: 0, months: 0 };
        assert_eq!(choose(&bases, keep, day(40)).continuous, [2].into_iter().chain(7..14).collect());
        // A backup series whose WAL ends before the period is deleted.
        bases.iter_mut().filter(|base| base.series == "a").for_each(|base| base.until = day(30));
        assert_eq!(choose(&bases, keep, day(40)).continuous, (7..14).collect());
    }
}
