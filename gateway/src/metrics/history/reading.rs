//! Parses the text of `/metrics`, and sums the values from which the history of metrics is computed.

use cloch_http::metrics::BUCKETS;

/// Name of the metric that counts requests by API and status.
const REQUESTS: &str = "http_request_duration_seconds_count";
/// Name of the histogram of request durations.
const DURATIONS: &str = "http_request_duration_seconds_bucket";
/// Labels of the APIs that operators and monitoring use. The history leaves out requests to these APIs: they are frequent and regular, and
/// a chart with them would hide the requests of the project's clients.
const WATCHERS: [&str; 5] = [r#"api="/_""#, r#"api="/health""#, r#"api="/metrics""#, r#"api="/v1""#, r#"api="/mcp""#];
/// Labels of requests that take long on purpose. The latency series leave these requests out. They are long polls, and refused requests: if
/// refused requests are frequent, their responses are delayed.
const WAITING: [&str; 2] = [r#"api="/realtime/v1""#, r#"status="4xx""#];
/// Age in seconds above which a backup counts as never made. If no backup exists, /metrics contains 1970 as its time.
const NEVER: f64 = 1e9;

/// How a series is computed from the text of `/metrics`: as the sum of all samples of the metric `metric` that have the label `label`.
pub(super) struct Source {
    pub(super) series: &'static str,
    metric: &'static str,
    label: &'static str,
}

const fn source(series: &'static str, metric: &'static str, label: &'static str) -> Source {
    Source { series, metric, label }
}

/// Series of the history that are computed from counters.
pub(super) const COUNTERS: [Source; 12] = [
    source("requests_rest", REQUESTS, r#"api="/rest/v1""#),
    source("requests_auth", REQUESTS, r#"api="/auth/v1""#),
    source("requests_storage", REQUESTS, r#"api="/storage/v1""#),
    source("requests_functions", REQUESTS, r#"api="/functions/v1""#),
    source("requests_realtime", REQUESTS, r#"api="/realtime/v1""#),
    source("requests_web", REQUESTS, r#"api="web""#),
    source("errors_4xx", REQUESTS, r#"status="4xx""#),
    source("errors_5xx", REQUESTS, r#"status="5xx""#),
    source("realtime_messages_in", "cloch_realtime_messages_in_total", ""),
    source("realtime_messages_out", "cloch_realtime_messages_out_total", ""),
    source("function_calls", "cloch_function_calls_total", ""),
    source("function_failures", "cloch_function_calls_total", r#"status="5xx""#),
];

/// Series of the history that are computed from gauges.
pub(super) const LEVELS: [Source; 9] = [
    source("in_flight", "cloch_http_requests_in_flight", ""),
    source("realtime_connections", "realtime_connections_connected", ""),
    source("memory_bytes", "process_resident_memory_bytes", ""),
    source("disk_free_bytes", "cloch_data_free_bytes", ""),
    source("database_bytes", "cloch_postgres_size_bytes", ""),
    source("database_connections", "cloch_postgres_connections", ""),
    source("database_max_connections", "cloch_postgres_max_connections", ""),
    source("database_slot_bytes", "cloch_postgres_slot_retained_bytes", ""),
    source("backup_age_seconds", "cloch_backup_restorable_age_seconds", ""),
];

/// Number of gauges at the start of [`LEVELS`] whose values change quickly. For these gauges, a sample contains the highest value since the
/// previous sample. For all other gauges, it contains the last value.
const PEAKS: usize = 2;

/// One value for each entry of [`LEVELS`]; NaN if the value is missing.
pub(super) type Levels = [f64; LEVELS.len()];

pub(super) const NO_LEVELS: Levels = [f64::NAN; LEVELS.len()];

/// Values that one text of `/metrics` contains, for all series of the history.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) counters: [f64; COUNTERS.len()],
    /// Number of requests that took at most as long as each of [`BUCKETS`], then the number of all requests.
    pub(super) durations: [f64; BUCKETS.len() + 1],
    pub(super) levels: Levels,
}

impl Reading {
    /// Parses a response of `/metrics`.
    pub(super) fn of(text: &str) -> Self {
        let mut reading =
            Self { counters: [0.0; COUNTERS.len()], durations: [0.0; BUCKETS.len() + 1], levels: NO_LEVELS };
        for line in text.lines().filter_map(Line::of) {
            reading.add(&line);
        }
        if text.lines().any(|line| line == "cloch_postgres_up 0") {
            reading.forget_database();
        }
        reading
    }

    fn add(&mut self, line: &Line) {
        if line.has_one_of(&WATCHERS) {
            return;
        }
        if line.metric == DURATIONS && !line.has_one_of(&WAITING) {
            self.add_duration(line);
        }
        for (source, sum) in COUNTERS.iter().zip(&mut self.counters) {
            if line.is_of(source) {
                *sum += line.value;
            }
        }
        for (source, sum) in LEVELS.iter().zip(&mut self.levels) {
            if line.is_of(source) && !(source.series == "backup_age_seconds" && line.value > NEVER) {
                *sum = line.value + if sum.is_nan() { 0.0 } else { *sum };
            }
        }
    }

    /// Removes the values that come from PostgreSQL. They are outdated while PostgreSQL is unreachable: the text of `/metrics` still
    /// contains the values of the last successful query.
    fn forget_database(&mut self) {
        for (source, level) in LEVELS.iter().zip(&mut self.levels) {
            if source.metric.starts_with("cloch_postgres_") {
                *level = f64::NAN;
            }
        }
    }

    fn add_duration(&mut self, line: &Line) {
        let bound = line.labels.strip_prefix("le=\"").and_then(|rest| rest.split_once('"'));
        let Some(bound) = bound.and_then(|(bound, _)| bound.parse::<f64>().ok()) else { return };
        let at = BUCKETS.iter().position(|of_bucket| *of_bucket >= bound).unwrap_or(BUCKETS.len());
        if let Some(count) = self.durations.get_mut(at) {
            *count += line.value;
        }
    }
}

/// Updates gauge values with those of a newer reading. The first [`PEAKS`] values keep their maximum. All others are replaced by the newer
/// value.
pub(super) fn follow(levels: &mut Levels, newer: &Levels) {
    for (index, (level, newer)) in levels.iter_mut().zip(newer).enumerate() {
        *level = if index < PEAKS { level.max(*newer) } else { *newer };
    }
}

/// A line of the text of `/metrics` that contains a value.
struct Line<'a> {
    metric: &'a str,
    labels: &'a str,
    value: f64,
}

impl<'a> Line<'a> {
    /// Parses a line. `None` for comments and invalid lines.
    fn of(line: &'a str) -> Option<Self> {
        let (name, value) = line.rsplit_once(' ')?;
        let (metric, labels) = name.split_once('{').unwrap_or((name, ""));
        (!line.starts_with('#')).then_some(Self { metric, labels, value: value.parse().ok()? })
    }

    fn is_of(&self, source: &Source) -> bool {
        self.metric == source.metric && self.labels.contains(source.label)
    }

    fn has_one_of(&self, labels: &[&str]) -> bool {
        labels.iter().any(|label| self.labels.contains(label))
    }
}
