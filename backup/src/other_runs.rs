//! Detects another server that writes into the same backup target at the same time. This is allowed only for nodes that share a database
//! hosted by a provider.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use crate::error::{BackupError, Result};
use crate::inventory::Inventory;
use crate::layout::{self, Point};
use crate::lineage;
use crate::repository::Repository;
use crate::signed_json;

/// Time between two checks for other servers. A running server writes its recovery point at least every ten seconds.
const INTERVAL: Duration = Duration::from_secs(15);
/// Maximum number of other backup series to check: the series with the latest recovery points.
const MAX_SERIES: usize = 3;

/// The backup series of other servers in a backup target, each with its last restorable moment, and the time of the last check.
#[derive(Debug)]
pub(crate) struct OtherRuns {
    seen: Vec<(String, DateTime<Utc>)>,
    looked: Instant,
}

impl OtherRuns {
    pub(crate) fn new(inventory: &Inventory, own: &str) -> Self {
        let others = inventory.points.iter().filter(|(series, _)| *series != own);
        let mut seen: Vec<_> = others.map(|(series, point)| (series.clone(), point.until)).collect();
        seen.sort_by_key(|(_, until)| std::cmp::Reverse(*until));
        seen.truncate(MAX_SERIES);
        Self { seen, looked: Instant::now() }
    }

    pub(crate) fn is_due(&self) -> bool {
        !self.seen.is_empty() && self.looked.elapsed() >= INTERVAL
    }

    /// Returns the description of another server that is running. A server counts as running if its recovery point has become newer since
    /// the last check. Returns `None` if there is no such server.
    pub(crate) async fn alive(&mut self, repository: &Repository) -> Result<Option<String>> {
        self.looked = Instant::now();
        for (series, seen) in &mut self.seen {
            let point: Option<Point> = match signed_json::get(repository, &layout::point(series)).await {
                // Ignore a damaged recovery point, because `Inventory` reports it.
                Err(BackupError::Damaged { .. }) => None,
                read => read?,
            };
            if let Some(until) = point.map(|point| point.until).filter(|until| until > seen) {
                *seen = until;
                return lineage::describe(repository, series).await.map(Some);
            }
        }
        Ok(None)
    }
}
