//! Metrics of this process and of its data folder. The metrics of the process have the standard names of Prometheus client libraries.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::time::{SystemTime, UNIX_EPOCH};

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Debug)]
pub(super) struct Process {
    data: PathBuf,
    memory: Gauge,
    open_files: Gauge,
    free: Gauge<f64, AtomicU64>,
    size: Gauge<f64, AtomicU64>,
}

impl Process {
    pub(super) fn new(data: PathBuf, registry: &mut Registry) -> Self {
        let process = Self {
            data,
            memory: Gauge::default(),
            open_files: Gauge::default(),
            free: Gauge::default(),
            size: Gauge::default(),
        };
        let started = Gauge::<f64, AtomicU64>::default();
        started.set(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64());
        registry.register("process_start_time_seconds", "Start, in seconds since 1970", started);
        registry.register("process_resident_memory_bytes", "Resident memory of the program", process.memory.clone());
        registry.register("process_open_fds", "Open file descriptors", process.open_files.clone());
        registry.register("cloch_data_free_bytes", "Free space where the data folder is", process.free.clone());
        registry.register("cloch_data_size_bytes", "Size of the file system of the data folder", process.size.clone());
        process
    }

    pub(super) fn measure(&self) {
        if let Some(bytes) = resident_bytes() {
            self.memory.set(bytes);
        }
        if let Ok(files) = fs::read_dir("/proc/self/fd") {
            self.open_files.set(i64::try_from(files.count()).unwrap_or(i64::MAX));
        }
        if let Ok(space) = rustix::fs::statvfs(&self.data) {
            #[expect(clippy::cast_precision_loss, reason = "a size that is shown may be rounded")]
            let bytes = |blocks: u64| blocks as f64 * space.f_frsize as f64;
            self.free.set(bytes(space.f_bavail));
            self.size.set(bytes(space.f_blocks));
        }
    }
}

/// Returns the resident memory in bytes, from `VmRSS` (in kB) in /proc/self/status.
fn resident_bytes() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<i64>().ok().map(|kilobytes| kilobytes * 1024)
}
