//! Options of the project's own functions, from the configuration.

use std::time::Duration;

use ipnet::IpNet;

/// Number of requests that a Deno worker serves (`[edge_runtime] policy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// A Deno worker serves many requests.
    #[default]
    PerWorker,
    /// A Deno worker serves one request and ends.
    Oneshot,
}

/// The code from which functions are served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Serve {
    /// The deployed version, if the function has one; otherwise the code in the project's folder.
    #[default]
    Deployed,
    /// Only the code in the project's folder.
    Folder,
}

/// Limits of one function: `[functions.<name>]` of cloch.toml, or the defaults of the Supabase CLI.
#[derive(Clone, Debug)]
pub struct FunctionLimits {
    /// Maximum resident memory of a Deno worker in megabytes.
    pub memory_mb: u64,
    /// Maximum processor time of a worker between two responses or response chunks.
    pub cpu: Duration,
    /// Maximum time from a request's arrival to the end of its response.
    pub wall: Duration,
    /// Time after which an idle Deno worker is stopped.
    pub idle: Duration,
    /// Maximum number of Deno workers of the function.
    pub max_workers: usize,
    /// Maximum number of concurrent requests to the function.
    pub max_requests: usize,
    /// Whether a Deno worker is started before the first request.
    pub warm: bool,
    /// Networks that the function may connect to although they are not part of the public internet.
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
