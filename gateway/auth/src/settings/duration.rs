//! Durations in Go's notation: `1h30m`, `300ms`, `5s`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

/// A duration, parsed from Go's notation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoDuration(Duration);

impl GoDuration {
    /// Creates a duration of whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// Returns the value as a [`Duration`].
    #[must_use]
    pub const fn get(self) -> Duration {
        self.0
    }

    /// Parses a duration: a sequence of numbers with units. `0` requires no unit. Negative durations are refused.
    pub fn parse(text: &str) -> Result<Self, String> {
        let refused = |reason: &str| format!("time: {reason} {text:?}");
        let mut rest = text.strip_prefix('+').unwrap_or(text);
        if rest == "0" {
            return Ok(Self::default());
        }
        if rest.is_empty() {
            return Err(refused("invalid duration"));
        }
        let mut seconds = 0.0;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let (number, tail) = rest.split_at(digits);
            let number: f64 = number.parse().map_err(|_| refused("invalid duration"))?;
            let letters = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
            let (unit, tail) = tail.split_at(letters);
            seconds += number
                * match unit {
                    "ns" => 1e-9,
                    "us" | "µs" | "μs" => 1e-6,
                    "ms" => 1e-3,
                    "s" => 1.0,
                    "m" => 60.0,
                    "h" => 3600.0,
                    "" => return Err(refused("missing unit in duration")),
                    _ => return Err(format!("time: unknown unit {unit:?} in duration {text:?}")),
                };
            rest = tail;
        }
        // Go stores a duration as nanoseconds in an i64, so the maximum is about 292 years.
        if seconds > 9_223_372_036.0 {
            return Err(refused("invalid duration"));
        }
        Duration::try_from_secs_f64(seconds).map(Self).map_err(|_| refused("invalid duration"))
    }
}

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?)
            .map_err(|_| de::Error::custom("a duration such as \"1s\", \"15m\" or \"24h\" is needed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_duration() {
        for text in ["", "5", "h", "1x", "-1h", "1h-1m", "none", "1e9h", "999999999h"] {
            assert!(GoDuration::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn reads_sums_of_units() {
        let seconds = |text| GoDuration::parse(text).unwrap().get().as_secs_f64();
        assert!((seconds("1h30m") - 5400.0).abs() < 1e-9);
        assert!((seconds("1.5s") - 1.5).abs() < 1e-9);
        assert!((seconds("300ms") - 0.3).abs() < 1e-9);
        assert!(seconds("0").abs() < 1e-9);
    }
}
