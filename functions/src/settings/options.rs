//! What the configuration says of the project's own functions.

use std::time::Duration;

use ipnet::IpNet;

/// When a worker is replaced (`[edge_runtime] policy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// A worker serves one request after another.
    #[default]
    PerWorker,
    /// A worker serves one request.
    Oneshot,
}

/// Which code is served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Serve {
    /// The deployed version, where there is one.
    #[default]
    Deployed,
    /// The project's folder.
    Folder,
}

/// What one function may use: `[functions.<name>]` of cloch.toml, or the Supabase CLI's own limits.
#[derive(Clone, Debug)]
pub struct FunctionLimits {
    /// Megabytes of resident memory.
    pub memory_mb: u64,
    /// Processor time from one answer, or piece of one, to the next.
    pub cpu: Duration,
    /// From a request's arrival to the end of its answer.
    pub wall: Duration,
    /// After which a worker without work ends.
    pub idle: Duration,
    /// Processes.
    pub max_workers: usize,
    /// Requests at once.
    pub max_requests: usize,
    /// Whether a worker is started ahead of the first request.
    pub warm: bool,
    /// Networks that it may reach although they are not the internet.
    pub allowed_networks: Vec<IpNet>,
}

impl Default for FunctionLimits {
    fn default() -> Self {
        Self {
            memory_mb: 256,
            cpu: Duration::from_secs(2),
            wall: Duration::from_secs(400),
            idle: Duration::from_mins(1),
            max_workers: std::thread::available_parallelism().map_or(2, |cores| cores.get().min(4)),
            max_requests: 1_000,
            warm: false,
            allowed_networks: Vec::new(),
        }
    }
}
