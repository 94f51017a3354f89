//! Metric that counts the runs of `cron.schedule` jobs, by status.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

static RUNS: LazyLock<Family<[(&'static str, String); 1], Counter>> = LazyLock::new(Family::default);

/// Counts a run of a job; `status` is a value of the column `status` of cron.job_run_details.
pub(crate) fn count_run(status: &str) {
    RUNS.get_or_create(&[("status", status.to_owned())]).inc();
}

pub(crate) fn register(registry: &mut Registry) {
    registry.register("cloch_cron_runs", "Runs of jobs of cron.schedule, by status", RUNS.clone());
}
