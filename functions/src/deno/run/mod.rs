//! Runs functions: the sandboxed Deno processes (workers), the pools that start and end workers, and the proxy that forwards requests to workers.

pub(in crate::deno) mod ai;
mod answer_body;
pub(in crate::deno) mod launcher;
mod pause;
pub(in crate::deno) mod pool;
pub(in crate::deno) mod proxy;
mod server_socket;
pub(in crate::deno) mod shared;
mod supervisor;
pub(in crate::deno) mod worker;
