//! Ring buffer of metric samples with a fixed time step. Each new sample replaces the oldest one when the buffer is full. If no reading is
//! taken during a step, the step has no sample.

use std::collections::VecDeque;
use std::time::Duration;

use super::reading::{Levels, NO_LEVELS, Reading, follow};
use super::sample::{Values, between};

/// Time of a reading, measured by two clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Wall-clock time in seconds since 1970. It determines to which step of the ring buffer the reading belongs.
    pub(super) wall: u64,
    /// Time since the start of the program. Rates are computed from it, because it stays correct when the machine's clock is set.
    pub(super) uptime: Duration,
}

#[derive(Debug)]
pub(super) struct Track {
    step: u64,
    capacity: usize,
    open: Option<Open>,
    samples: VecDeque<Sample>,
}

#[cfg(test)]
pub(super) const SAMPLE_BYTES: usize = size_of::<Sample>();

#[derive(Debug)]
struct Sample {
    /// End time of the sample, as the number of steps since 1970.
    slot: u64,
    values: Values,
}

/// The sample that is not complete yet: its first reading, and the gauge values of the readings since.
#[derive(Debug)]
struct Open {
    slot: u64,
    uptime: Duration,
    reading: Reading,
    /// Gauge values, combined over all readings since `reading`.
    levels: Levels,
}

impl Track {
    /// Creates a ring buffer for the last `seconds` seconds, with one sample every `step` seconds.
    pub(super) fn new(step: u64, seconds: u64) -> Self {
        let capacity = usize::try_from(seconds / step).unwrap_or_default();
        Self { step, capacity, open: None, samples: VecDeque::with_capacity(capacity) }
    }

    pub(super) fn step(&self) -> u64 {
        self.step
    }

    /// Returns the end time of each sample in seconds since 1970, and its values.
    pub(super) fn samples(&self) -> impl Iterator<Item = (u64, &Values)> {
        self.samples.iter().map(|sample| (sample.slot * self.step, &sample.values))
    }

    /// Adds a reading. The first reading of a step completes the previous sample and begins the next sample.
    pub(super) fn record(&mut self, moment: Moment, reading: &Reading) {
        let slot = moment.wall / self.step;
        let Some(open) = &mut self.open else {
            self.open = Some(Open::new(slot, moment, reading));
            return;
        };
        follow(&mut open.levels, &reading.levels);
        if slot == open.slot {
            return;
        }
        let is_later = slot > open.slot;
        let values = between(&open.reading, reading, &open.levels, moment.uptime.saturating_sub(open.uptime));
        self.open = Some(Open::new(slot, moment, reading));
        if is_later {
            self.push(Sample { slot, values });
        } else {
            // The clock was set back: samples whose time is after the new time are deleted, because their time is wrong.
            self.samples.retain(|sample| sample.slot <= slot);
        }
    }

    fn push(&mut self, sample: Sample) {
        if self.samples.len() == self.capacity {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }
}

impl Open {
    fn new(slot: u64, moment: Moment, reading: &Reading) -> Self {
        Self { slot, uptime: moment.uptime, reading: reading.clone(), levels: NO_LEVELS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_800_000_000;

    /// Creates a track with readings at the given seconds after the start. Requests increase by ten per second; `in_flight` is the level of
    /// each reading.
    fn track(step: u64, seconds: u64, readings: &[(u64, u32)]) -> Track {
        let mut track = Track::new(step, seconds);
        for (at, in_flight) in readings {
            let text = format!(
                "http_request_duration_seconds_count{{api=\"/rest/v1\",method=\"GET\",status=\"2xx\"}} {}\n\
                 cloch_http_requests_in_flight {in_flight}\n",
                at * 10
            );
            let moment = Moment { wall: START + at, uptime: Duration::from_secs(*at) };
            track.record(moment, &Reading::of(&text));
        }
        track
    }

    fn times(track: &Track) -> Vec<u64> {
        track.samples().map(|(time, _)| time - START).collect()
    }

    /// Returns the first series (a rate) and the first level of each sample.
    fn rates_and_peaks(track: &Track) -> Vec<(f32, f32)> {
        track.samples().map(|(_, values)| (values[0], values[15])).collect()
    }

    #[test]
    fn one_reading_is_no_sample() {
        assert!(times(&track(10, 3600, &[(0, 0)])).is_empty());
        assert_eq!(times(&track(10, 3600, &[(0, 0), (10, 0), (20, 0)])), [10, 20]);
    }

    #[test]
    fn several_readings_of_a_step_are_one_sample_with_the_highest_level() {
        let track = track(30, 3600, &[(0, 1), (10, 8), (20, 2), (30, 3), (40, 1), (50, 1), (60, 2)]);
        assert_eq!(times(&track), [30, 60]);
        assert_eq!(rates_and_peaks(&track), [(10.0, 8.0), (10.0, 2.0)]);
    }

    #[test]
    fn a_missed_step_is_a_gap() {
        let track = track(10, 3600, &[(0, 0), (10, 0), (41, 0), (50, 0)]);
        assert_eq!(times(&track), [10, 40, 50]);
        assert!(rates_and_peaks(&track).iter().all(|(rate, _)| (rate - 10.0).abs() < 1e-3));
    }

    #[test]
    fn the_oldest_makes_room() {
        let readings: Vec<(u64, u32)> = (0..100).map(|index| (index * 10, 0)).collect();
        let track = track(10, 50, &readings);
        assert_eq!(times(&track), [950, 960, 970, 980, 990]);
        assert_eq!(track.samples.capacity(), 5);
    }

    #[test]
    fn a_clock_that_is_set_back_leaves_no_sample_of_the_future() {
        let mut track = track(10, 3600, &[(0, 0), (10, 0), (20, 0), (30, 0)]);
        let reading = Reading::of("");
        for (wall, uptime) in [(15, 40), (25, 50)] {
            track.record(Moment { wall: START + wall, uptime: Duration::from_secs(uptime) }, &reading);
        }
        assert_eq!(times(&track), [10, 20]);
        assert!(track.samples().zip(track.samples().skip(1)).all(|((earlier, _), (later, _))| earlier < later));
    }
}
