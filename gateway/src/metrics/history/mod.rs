//! The history of this node since its start, for the dashboard: the last hour every ten seconds, the last seven days every five minutes.
//!
//! It is made of what /metrics says ([`reading`]), so that nothing is counted for it. Two readings give a sample ([`sample`]), samples are
//! kept in rings ([`track`]): 2376 of 104 bytes, 247 kB. Nothing is written to a disk.

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
/// Seconds between two samples of the week.
const WEEK_STEP: u64 = 300;

/// What is asked for.
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

/// The samples of a range. A gap is a time between two samples that is longer than a step.
#[derive(Debug, Serialize)]
pub(crate) struct Samples {
    range: Range,
    /// Seconds between two samples.
    step: u64,
    /// The range, in seconds since 1970.
    from: u64,
    to: u64,
    /// When each sample ended, in seconds since 1970.
    times: Vec<u64>,
    /// A value for each time, `null` where there is none. Of what this server does not have, there is no series.
    series: BTreeMap<&'static str, Vec<Option<f64>>>,
    /// The start of the program, before which there is nothing.
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

    /// Adds what /metrics says now.
    pub(super) fn record(&self, text: &str) {
        let moment = Moment { wall: unix_seconds(), uptime: self.begun.elapsed() };
        let reading = Reading::of(text);
        let mut tracks = self.tracks.lock().unwrap_or_else(PoisonError::into_inner);
        tracks.hour.record(moment, &reading);
        tracks.week.record(moment, &reading);
    }

    /// The samples of a range that ends now.
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

/// A number with four decimal places: one request in five minutes is 0.0033 per second.
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
