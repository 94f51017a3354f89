use super::*;
use crate::layout::Manifest;
use crate::testing::{self, SEGMENT_BYTES};

fn moment(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000 + second, 0).unwrap()
}

/// A base backup that was completed at `second`. At this time, its WAL mark had the position `mark`.
fn base(second: i64, mark: u64) -> Base {
    let manifest = Manifest {
        mark: Lsn(mark),
        end: Lsn(mark + 10),
        settings: Some("settings of the base backup".to_owned()),
        ..testing::manifest(moment(second))
    };
    Base { series: "s".to_owned(), id: "b".to_owned(), manifest }
}

/// A target with a base backup and a recovery point. Each has a time in seconds and a WAL mark.
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

/// In the second pair, the recovery point has an older mark than the base backup. This is the case until a later recovery point is written.
#[test]
fn the_last_moment_is_the_later_of_base_backup_and_recovery_point() {
    for (point, moment_of, mark) in [
        ((20, SEGMENT_BYTES + 200), moment(20), SEGMENT_BYTES + 200),
        ((9, SEGMENT_BYTES + 90), moment(10), SEGMENT_BYTES + 100),
    ] {
        let inventory = inventory((10, SEGMENT_BYTES + 100), point);
        let plan = Plan::new(&inventory, None).unwrap();
        assert_eq!((plan.moment, plan.replay_end), (moment_of, ReplayEnd::Mark(Lsn(mark))));
        // The archive of the recovery point is newer, because the recovery point is written after the base backup was begun.
        assert_eq!((plan.log_end, plan.settings), (Lsn(mark + 10), Some("settings of the point")));
    }
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
