//! History of this node's metrics since its start, for the dashboard: the last hour in steps of ten seconds, the last seven days in steps
//! of five minutes.
//!
//! The history is computed from the text of `/metrics` ([`reading`]), so it needs no counters of its own. Two successive readings of this
//! text give one sample ([`sample`]). Samples are stored in ring buffers ([`track`]): 2376 samples of 104 bytes, 247 kB in total. Nothing is
//! written to disk.

mod reading;
mod sample;
mod sampler;
mod track;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use reading::Reading;
use track::{Moment, Track};

pub(super) use sampler::SAMPLE_INTERVAL;
pub use sampler::keep_history;

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;
const WEEK: u64 = 7 * DAY;
/// Seconds between two samples of the seven-day history.
const WEEK_STEP: u64 = 300;

/// Requested time range.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) enum Range {
    #[default]
    #[serde(rename = "1h")]
    Hour,
    #[serde(rename = "24h")]
    Day,
    #[serde(rename = "7d")]
    Week,
}

impl Range {
    fn seconds(self) -> u64 {
        match self {
            Self::Hour => HOUR,
            Self::Day => DAY,
            Self::Week => WEEK,
        }
    }
}

/// Samples of a time range, for a chart. If the times of two successive samples differ by more than one step, samples are missing between
/// them.
#[derive(Debug, Serialize)]
pub(crate) struct Samples {
    range: Range,
    /// Seconds between two samples.
    step: u64,
    /// Start of the range in seconds since 1970.
    from: u64,
    to: u64,
    /// End time of each sample in seconds since 1970.
    times: Vec<u64>,
    /// Values of each series by its name. A series has one value for each element of `times`, or `null` where a value is missing. Series
    /// without any value are left out.
    series: BTreeMap<&'static str, Vec<Option<f64>>>,
    /// Start time of the program. There are no samples from before this time.
    started_at: DateTime<Utc>,
}

#[derive(Debug)]
pub(crate) struct History {
    started_at: DateTime<Utc>,
    begun: Instant,
    tracks: Mutex<Tracks>,
}

#[derive(Debug)]
struct Tracks {
    hour: Track,
    week: Track,
}

impl History {
    pub(super) fn new() -> Self {
        let tracks = Tracks { hour: Track::new(SAMPLE_INTERVAL.as_secs(), HOUR), week: Track::new(WEEK_STEP, WEEK) };
        Self { started_at: Utc::now(), begun: Instant::now(), tracks: Mutex::new(tracks) }
    }

    /// Adds a reading to the history. `text` is the text of `/metrics`.
    pub(super) fn record(&self, text: &str) {
        let moment = Moment { wall: unix_seconds(), uptime: self.begun.elapsed() };
        let reading = Reading::of(text);
        let mut tracks = self.tracks.lock().unwrap_or_else(PoisonError::into_inner);
        tracks.hour.record(moment, &reading);
        tracks.week.record(moment, &reading);
    }

    /// Returns the samples of a time range that ends now.
    pub(crate) fn samples(&self, range: Range) -> Samples {
        let tracks = self.tracks.lock().unwrap_or_else(PoisonError::into_inner);
        let track = match range {
            Range::Hour => &tracks.hour,
            Range::Day | Range::Week => &tracks.week,
        };
        let to = unix_seconds();
        let from = to.saturating_sub(range.seconds());
        let kept = || track.samples().filter(|(time, _)| (from..=to).contains(time));
        let column = |index: usize| -> Vec<Option<f64>> {
            kept().map(|(_, values)| values.get(index).copied().and_then(rounded)).collect()
        };
        let series = sample::names().enumerate().map(|(index, name)| (name, column(index)));
        Samples {
            range,
            step: track.step(),
            from,
            to,
            times: kept().map(|(time, _)| time).collect(),
            series: series.filter(|(_, values)| values.iter().any(Option::is_some)).collect(),
            started_at: self.started_at,
        }
    }
}

fn unix_seconds() -> u64 {
    u64::try_from(Utc::now().timestamp()).unwrap_or_default()
}

/// Rounds a value to four decimal places. This is enough for small rates: one request in five minutes is 0.0033 per second. `None` if the
/// value is not finite.
fn rounded(value: f32) -> Option<f64> {
    value.is_finite().then(|| (f64::from(value) * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_memory_is_bounded() {
        let samples = HOUR / SAMPLE_INTERVAL.as_secs() + WEEK / WEEK_STEP;
        assert_eq!((samples, track::SAMPLE_BYTES), (2376, 104), "the comment on top says so");
    }

    #[test]
    fn what_there_is_not_has_no_series() {
        let history = History::new();
        for range in [Range::Hour, Range::Day, Range::Week] {
            let samples = history.samples(range);
            assert_eq!((samples.times.len(), samples.series.len()), (0, 0));
            assert_eq!(samples.to - samples.from, range.seconds());
        }
        assert_eq!(rounded(f32::NAN), None);
        assert_eq!(rounded(1.0 / 300.0), Some(0.0033));
    }
}
