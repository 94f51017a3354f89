use super::*;
use crate::layout::Manifest;

const SEGMENT_BYTES: u64 = 16 << 20;

fn moment(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000 + second, 0).unwrap()
}

/// A base backup that was completed at a second, at which its WAL mark has the position `mark`.
fn base(second: i64, mark: u64) -> Base {
    let manifest = Manifest {
        project_id: "club".to_owned(),
        postgres: "17".to_owned(),
        system_identifier: "1".to_owned(),
        timeline: 1,
        segment_bytes: SEGMENT_BYTES,
        start: Lsn(SEGMENT_BYTES),
        stop: Lsn(SEGMENT_BYTES + 10),
        mark: Lsn(mark),
        end: Lsn(mark + 10),
        begun: moment(second) - TimeDelta::seconds(1),
        completed: moment(second),
        parts: Vec::new(),
        bytes: 0,
        objects: 0,
        rows: 0,
        is_files_only: false,
        settings: Some("settings of the base backup".to_owned()),
    };
    Base { series: "s".to_owned(), id: "b".to_owned(), manifest }
}

/// A target with a base backup and a recovery point, each at a second and a WAL mark.
fn inventory(base_at: (i64, u64), point_at: (i64, u64)) -> Inventory {
    let (second, mark) = point_at;
    let end = Lsn(mark.max(base_at.1) + 10);
    let settings = Some("settings of the point".to_owned());
    let point = Point {
        mark: Lsn(mark),
        marked: moment(second),
        end,
        until: moment(second),
        number: 1,
        settings,
        is_mended: false,
    };
    Inventory {
        bases: vec![base(base_at.0, base_at.1)],
        points: [("s".to_owned(), point)].into(),
        ..Default::default()
    }
}

#[test]
fn the_last_moment_is_that_of_the_recovery_point() {
    let inventory = inventory((10, SEGMENT_BYTES + 100), (20, SEGMENT_BYTES + 200));
    let plan = Plan::new(&inventory, None).unwrap();
    assert_eq!((plan.moment, plan.replay_end), (moment(20), ReplayEnd::Mark(Lsn(SEGMENT_BYTES + 200))));
    assert_eq!((plan.log_end, plan.settings), (Lsn(SEGMENT_BYTES + 210), Some("settings of the point")));
}

#[test]
fn the_last_moment_is_that_of_the_base_backup_until_a_later_point_is_written() {
    let inventory = inventory((10, SEGMENT_BYTES + 100), (9, SEGMENT_BYTES + 90));
    let plan = Plan::new(&inventory, None).unwrap();
    assert_eq!((plan.moment, plan.replay_end), (moment(10), ReplayEnd::Mark(Lsn(SEGMENT_BYTES + 100))));
    assert_eq!((plan.log_end, plan.settings), (Lsn(SEGMENT_BYTES + 110), Some("settings of the base backup")));
}

#[test]
fn a_moment_outside_is_refused_with_the_first_and_the_last() {
    for (point, last) in [((20, SEGMENT_BYTES + 200), moment(20)), ((9, SEGMENT_BYTES + 90), moment(10))] {
        let inventory = inventory((10, SEGMENT_BYTES + 100), point);
        for second in [5, 25] {
            let refused = Plan::new(&inventory, Some(moment(second))).unwrap_err().to_string();
            let range = format!("they reach from {} to {}", shown(moment(10)), shown(last));
            assert!(refused.contains(&range), "{refused}");
        }
    }
}
