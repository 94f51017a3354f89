//! The time of each stage of a request, for the header `Server-Timing`, which browsers' developer tools show.

use std::fmt::Write;
use std::time::{Duration, Instant};

use http::HeaderValue;

/// The stages, in order.
const STAGES: [&str; 5] = ["jwt", "parse", "plan", "transaction", "response"];

/// Measures one stage after another, if enabled.
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
    /// `credentials`: the time spent on resolving the caller.
    pub(super) fn new(is_on: bool, credentials: Duration) -> Self {
        Self { running: is_on.then(|| Running { since: Instant::now(), stages: vec![("jwt", credentials)] }) }
    }

    /// Ends a stage and begins the next.
    pub(super) fn lap(&mut self, stage: &'static str) {
        if let Some(running) = &mut self.running {
            let now = Instant::now();
            running.stages.push((stage, now - running.since));
            running.since = now;
        }
    }

    /// The header value: milliseconds with one decimal.
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
