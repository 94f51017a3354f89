//! `cloch start`: the server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::CommandError;
use super::status::Overview;
use crate::config::{Config, Flags, Server};
use crate::edge::Patience;
use crate::program::Program;
use crate::{edge, logging};

/// Starts the server and runs until SIGTERM or Ctrl-C.
#[derive(Args)]
pub struct Start {
    #[command(flatten)]
    flags: Flags,
}

impl Start {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let started = Instant::now();
        let config = Config::load(&self.flags)?;
        let _lines = logging::start(config.log.as_deref(), config.log_json)?;
        let listener = edge::bind(config.host, config.port).await?;
        let stop = stop_signal()?;
        let overview = Overview::of(&config, &config.secrets()?);
        let patience = patience(&config.cloch.server);

        let gate = edge::StartGate::default();
        let shutdown = CancellationToken::new();
        // Until after the program's end: its background work may use what the lanes have opened.
        let lanes = Arc::new(edge::Lanes::start()?);
        let serving = edge::serve(listener, gate.clone(), Arc::clone(&lanes), shutdown.clone(), patience);
        let server = tokio::spawn(serving);
        // A signal during a long migration stops the start as well.
        let program = tokio::select! {
            program = Program::start(config) => program?,
            () = stop.cancelled() => return Ok(()),
        };
        gate.open(program.edge());
        println!("{overview}");
        tracing::info!(duration_ms = started.elapsed().as_secs_f64() * 1000.0, "ready");

        stop.cancelled().await;
        tracing::info!("stopping: running requests are finished first");
        program.drain();
        shutdown.cancel();
        let _ = server.await;
        program.stop().await;
        drop(lanes);
        tracing::info!("stopped");
        Ok(())
    }
}

fn patience(server: &Server) -> Patience {
    Patience { slow_client: server.pace(), drain: Duration::from_secs(server.drain_timeout) }
}

/// A token that is cancelled by the first SIGTERM or SIGINT.
fn stop_signal() -> Result<CancellationToken, CommandError> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        cancelled.cancel();
    });
    Ok(token)
}
