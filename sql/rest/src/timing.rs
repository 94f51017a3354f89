//! Measures the stages of a request for the `Server-Timing` response header, which the developer tools of browsers show.

use std::fmt::Write;
use std::time::{Duration, Instant};

use http::HeaderValue;

/// Names of the stages in the order of the header.
const STAGES: [&str; 5] = ["jwt", "parse", "plan", "transaction", "response"];

/// Measures consecutive stages of a request, if the `Server-Timing` header is enabled.
#[derive(Debug)]
pub(super) struct Stopwatch {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    since: Instant,
    stages: Vec<(&'static str, Duration)>,
}

impl Stopwatch {
    /// Starts a measurement. `credentials` is the time that was needed to determine the caller: the duration of the first stage (`jwt`).
    pub(super) fn new(is_on: bool, credentials: Duration) -> Self {
        Self { running: is_on.then(|| Running { since: Instant::now(), stages: vec![("jwt", credentials)] }) }
    }

    /// Ends the current stage and starts the next stage.
    pub(super) fn lap(&mut self, stage: &'static str) {
        if let Some(running) = &mut self.running {
            let now = Instant::now();
            running.stages.push((stage, now - running.since));
            running.since = now;
        }
    }

    /// Returns the value of the `Server-Timing` header: the duration of each stage in milliseconds with one decimal.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let taken = &self.running.as_ref()?.stages;
        let mut text = String::new();
        for stage in STAGES {
            let separator = if text.is_empty() { "" } else { ", " };
            let duration =
                taken.iter().find(|(name, _)| *name == stage).map_or(Duration::ZERO, |(_, duration)| *duration);
            let _ = write!(text, "{separator}{stage};dur={:.1}", duration.as_secs_f64() * 1000.0);
        }
        HeaderValue::try_from(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_milliseconds() {
        assert!(Stopwatch::new(false, Duration::ZERO).header().is_none());
        let stopwatch = Stopwatch::new(true, Duration::from_micros(1260));
        let expected = "jwt;dur=1.3, parse;dur=0.0, plan;dur=0.0, transaction;dur=0.0, response;dur=0.0";
        assert_eq!(stopwatch.header(), Some(HeaderValue::from_static(expected)));
    }
}
