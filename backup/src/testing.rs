//! Test data that the tests of several modules use.

use chrono::{DateTime, Utc};

use crate::layout::Manifest;
use crate::lsn::Lsn;

/// Size of a WAL segment in bytes.
pub(crate) const SEGMENT_BYTES: u64 = 16 << 20;

/// Returns the manifest of an empty base backup that was begun and completed at `moment`.
pub(crate) fn manifest(moment: DateTime<Utc>) -> Manifest {
    Manifest {
        project_id: "club".to_owned(),
        postgres: "17".to_owned(),
        system_identifier: "1".to_owned(),
        timeline: 1,
        segment_bytes: SEGMENT_BYTES,
        start: Lsn(SEGMENT_BYTES),
        stop: Lsn(SEGMENT_BYTES + 10),
        mark: Lsn(SEGMENT_BYTES + 50),
        end: Lsn(SEGMENT_BYTES + 100),
        begun: moment,
        completed: moment,
        parts: Vec::new(),
        bytes: 0,
        objects: 0,
        rows: 0,
        is_files_only: false,
        settings: None,
    }
}
