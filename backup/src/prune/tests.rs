//! Simulates a year of daily base backups that are pruned each day. Verifies each day that all files are present that a kept base backup
//! needs.

use super::*;
use crate::check::gaps;
use crate::layout::{Manifest, Point};
use crate::testing::{self, SEGMENT_BYTES};
use crate::wal::Piece;

/// WAL bytes per day. The number is slightly less than five segments, so that days do not start at segment boundaries.
const DAY_BYTES: u64 = 5 * SEGMENT_BYTES - 4096;

fn moment(day: u64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + i64::try_from(day).unwrap() * 86_400, 0).unwrap()
}

fn base(series: &str, day: u64) -> Base {
    let start = Lsn(day * DAY_BYTES);
    let manifest = Manifest {
        start,
        stop: Lsn(start.0 + SEGMENT_BYTES),
        mark: Lsn(start.0 + SEGMENT_BYTES + 100),
        end: Lsn(start.0 + SEGMENT_BYTES + 200),
        begun: moment(day) - TimeDelta::minutes(10),
        ..testing::manifest(moment(day))
    };
    Base { series: series.to_owned(), id: layout::moment_name(manifest.begun), manifest }
}

/// Adds the files of one day: a base backup and the WAL up to its end.
fn live_a_day(inventory: &mut Inventory, series: &str, day: u64) {
    let base = base(series, day);
    for name in ["tar.000000", "blobs.json", "manifest.json"] {
        inventory.files.push((format!("{}{}/{name}", layout::folder(series, "base"), base.id), 1));
    }
    let end = Lsn(base.manifest.end.0);
    let pieces = inventory.pieces.entry(series.to_owned()).or_default();
    let first = (day.saturating_sub(1) * DAY_BYTES) / SEGMENT_BYTES;
    for number in first..=end.segment(SEGMENT_BYTES).0 {
        let name = layout::wal_piece(series, &segment_name(1, number, SEGMENT_BYTES), 0, SEGMENT_BYTES);
        if !pieces.iter().any(|piece| piece.name == name) {
            pieces.push(Piece::parse(&name).unwrap());
        }
    }
    let point = Point {
        mark: base.manifest.mark,
        marked: moment(day),
        end,
        until: moment(day),
        number: 1,
        settings: None,
        is_mended: false,
    };
    inventory.points.insert(series.to_owned(), point);
    inventory.bases.push(base);
    inventory.bases.sort_by_key(|base| base.manifest.completed);
}

fn delete(inventory: &mut Inventory, files: &[String]) {
    let gone: HashSet<&String> = files.iter().collect();
    inventory.bases.retain(|base| !gone.contains(&layout::manifest(&base.series, &base.id)));
    inventory.files.retain(|(name, _)| !gone.contains(name));
    inventory.pieces.values_mut().for_each(|pieces| pieces.retain(|piece| !gone.contains(&piece.name)));
}

fn missing(inventory: &Inventory, base: &Base, end: Lsn) -> Vec<String> {
    gaps(inventory.pieces.get(&base.series).unwrap(), 1, SEGMENT_BYTES, base.manifest.start, end)
}

#[test]
fn what_a_kept_backup_needs_is_never_deleted() {
    let keep = Keep { days: 7, weeks: 4, months: 6 };
    let mut inventory = Inventory::default();
    for day in 1..=365 {
        live_a_day(&mut inventory, "a", day);
        let files = Decision::new(&inventory, "a", keep, moment(day)).files;
        delete(&mut inventory, &files);
        for base in &inventory.bases {
            assert_eq!(missing(&inventory, base, base.manifest.end), Vec::<String>::new(), "day {day}: {}", base.id);
            let folder = format!("/base/{}/", base.id);
            assert_eq!(inventory.files.iter().filter(|(name, _)| name.contains(&folder)).count(), 3);
        }
        let first = inventory.first_continuous("a").unwrap();
        assert!(
            first.manifest.completed <= moment(day.saturating_sub(7).max(1)),
            "day {day}: every moment of seven days"
        );
        assert_eq!(missing(&inventory, first, inventory.points.get("a").unwrap().end), Vec::<String>::new());
    }
    assert!(inventory.bases.len() <= 9 + 4 + 6, "and the rest goes: {}", inventory.bases.len());
    assert!(inventory.pieces.get("a").unwrap().len() < 19 * 6, "{}", inventory.pieces.get("a").unwrap().len());
}

#[test]
fn another_series_is_kept_while_its_days_last() {
    let keep = Keep { days: 7, weeks: 0, months: 0 };
    let mut inventory = Inventory::default();
    for day in 1..=10 {
        live_a_day(&mut inventory, "a", day);
    }
    for day in 12..=30 {
        live_a_day(&mut inventory, "b", day);
        let files = Decision::new(&inventory, "b", keep, moment(day)).files;
        delete(&mut inventory, &files);
        let reaches_into_the_days = day <= 17;
        assert_eq!(inventory.first_continuous("a").is_some(), reaches_into_the_days, "day {day}");
        if let Some(base) = inventory.first_continuous("a") {
            assert_eq!(missing(&inventory, base, inventory.points.get("a").unwrap().end), Vec::<String>::new());
        }
    }
}

#[test]
fn blobs_between_kept_backups_stay() {
    let mut inventory = Inventory::default();
    for day in [1, 40, 41, 42] {
        live_a_day(&mut inventory, "a", day);
    }
    let keep = Keep { days: 1, weeks: 0, months: 6 };
    let decision = Decision::new(&inventory, "a", keep, moment(42));
    let keeps = |moment: DateTime<Utc>| decision.keeps_unnamed_blob(moment.into());
    assert_eq!(decision.bases.len(), 4);
    assert!(keeps(moment(41)), "a brief file of a day that is whole");
    assert!(keeps(moment(39)), "and one that was copied a day before its row was written");
    assert!(!keeps(moment(20)), "but none of the time of which only single backups are kept");
    assert!(keeps(moment(1) - TimeDelta::minutes(5)), "except while one was made");
    assert!(!keeps(moment(2)));
}

#[test]
fn what_a_killed_program_left_of_a_base_backup_goes() {
    let mut inventory = Inventory::default();
    live_a_day(&mut inventory, "a", 10);
    let part = |day: u64| layout::base_part("a", &layout::moment_name(moment(day)), 0);
    inventory.files.push((part(5), 1));
    inventory.files.push((part(9), 1));
    let decision = Decision::new(&inventory, "a", Keep::default(), moment(10));
    assert!(decision.files.contains(&part(5)));
    assert!(!decision.files.contains(&part(9)), "one that may still be in the making stays");
}
