//! `cloch start`: starts the server.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use cloch_functions::deno::Serve;
use cloch_http::{
    CountLimits, Health, Listener, PerCoreRuntimes, Protocol, ReadinessGate, ServerOptions, TrustedProxies, bind, serve,
};
use cloch_sql::caller::IssuedKeys;
use tokio_util::sync::CancellationToken;

use super::demo::Demo;
use super::print;
use super::service_manager::ServiceManager;
use super::status::{Overview, Shown};
use super::stop_signal::{ServerSignals, server_signals};
use crate::app::App;
use crate::config::sections::cloch_toml::ClochToml;
use crate::config::{Config, Flags, Secrets, warnings};
use crate::data_dir_lock::DataDirLock;
use crate::error::CommandError;
use crate::{database, doctor, logging, setup};

/// Starts the server and runs until SIGTERM or Ctrl-C. SIGHUP applies changed settings.
#[derive(Args)]
pub struct Start {
    /// Serve a copy for inspection: no mail is sent, no job runs, no backup is made, and files are read from the data folder
    #[arg(long)]
    inspect: bool,
    /// Start a project with example data in a new folder, which is removed at the stop unless --data names it
    #[arg(long, conflicts_with_all = ["inspect", "project", "host", "cli_keys"])]
    demo: bool,
    #[command(flatten)]
    flags: Flags,
}

impl Start {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        self.serve(Serve::Deployed).await
    }

    /// Runs the server with the functions of the project's folder, ignoring deployed versions.
    pub(super) async fn run_from_folder(flags: Flags) -> Result<(), CommandError> {
        Self { inspect: false, demo: false, flags }.serve(Serve::Folder).await
    }

    async fn serve(mut self, functions: Serve) -> Result<(), CommandError> {
        let started = Instant::now();
        // Declared first, so that it is dropped last: its folder is removed after everything else has stopped.
        let demo = if self.demo { Some(Demo::prepare(&mut self.flags)?) } else { None };
        let mut config = Config::load(&self.flags)?;
        if self.inspect {
            config.inspect()?;
        }
        let (drain_writer, _drain) = setup::telemetry::drain(&config)?.unzip();
        let (_flush_guard, log_level) = logging::start_changeable(
            config.log.as_deref(),
            config.log_json,
            config.cloch.telemetry.otlp_endpoint.is_some(),
            drain_writer,
        )?;
        if config.cloch.dashboard.enabled {
            logging::recent::keep();
        }
        config.warnings.iter().for_each(|warning| tracing::warn!("config: check the configuration: {warning}"));
        if config.key_overrides.are_the_clis {
            tracing::warn!(
                "config: --cli-keys is set: EVERYBODY KNOWS THE KEYS of this server, including the secret key, which bypasses row level \
                 security, and the database's password. Use these keys for test data on this machine only"
            );
        }
        for warning in warnings::of(&config) {
            tracing::warn!(config.key = &*warning.key, "config: check the configuration: {}", warning.message);
        }
        // Checks the location of the existing or new database before anything is created in the data folder.
        database::check_place(&config)?;
        let secrets = config.secrets()?;
        doctor::keys(&config).log_problem();
        if let (_, Some(s3)) = setup::storage::both_stores(&config) {
            // The object store is checked in the background: an S3 server that does not respond must not delay the server's
            // start.
            tokio::spawn(async move { doctor::store(s3).await.log_problem() });
        }
        // The lock of the data folder is checked before binding the port: the error "address in use" would not name the other Cloch
        // server.
        DataDirLock::refuse_second(&config.data)?;
        let mut listeners = vec![Listener { socket: bind(config.host, config.port).await?, protocol: Protocol::Http }];
        let shutdown = CancellationToken::new();
        listeners.extend(setup::tls::listeners(&config, &shutdown).await?);
        let tls = listeners.iter().find_map(|listener| match &listener.protocol {
            Protocol::Https(tls) => Some(tls.clone()),
            Protocol::Http | Protocol::Redirect(_) => None,
        });
        let ServerSignals { stop, reload } = server_signals()?;
        let url = config.url("");
        let options = server_options(&config.cloch);
        let shutdown_delay = Duration::from_secs(config.cloch.server.shutdown_delay);
        let service_manager = ServiceManager::at(config.notify_socket.clone());

        let health = Health::new(secrets.api_keys(IssuedKeys::default()));
        let gate = ReadinessGate::new(health.clone());
        // The per-core runtimes are dropped after the program has stopped, because background tasks may use connections that these runtimes
        // have opened.
        let runtimes = Arc::new(PerCoreRuntimes::start()?);
        tokio::spawn(logging::level_file::follow(config.data.clone(), log_level, shutdown.clone()));
        let serving = serve(listeners, gate.clone(), Arc::clone(&runtimes), shutdown.clone(), options);
        let server = tokio::spawn(serving);
        // A stop signal during a long migration ends the server's start as well.
        let app = tokio::select! {
            app = App::start(config, health, functions, tls) => app?,
            () = stop.cancelled() => return Ok(()),
        };
        gate.open(app.pipeline());
        log_outside_paths(app.config());
        // The port in the configuration is not used here, because the server's start may have chosen another port for the database.
        // In a demo, the link for the first operator is used below, and the operator's password is printed.
        let link = app.first_operator_link().filter(|_| demo.is_none());
        let overview = Overview::of(app.config(), &secrets)?.with_dashboard_link(&url, link);
        // If the output is redirected to a file, the file must not contain secret keys.
        let shown = if std::io::stdout().is_terminal() { Shown::Everything } else { Shown::Public };
        // Errors are ignored, because the server runs even if standard output is closed.
        let _ = print::line(overview.start_text(shown, started.elapsed()));
        tracing::debug!(duration_ms = started.elapsed().as_millis(), "server: ready");
        service_manager.ready();
        let opened = match &demo {
            Some(demo) => open_demo(demo, &app, &secrets, &shutdown).await,
            None => Ok(()),
        };
        if opened.is_err() {
            stop.cancel();
        }

        let settings = app.live_settings();
        let reloads = async {
            loop {
                reload.notified().await;
                Arc::clone(&settings).reload().await;
            }
        };
        tokio::select! { () = stop.cancelled() => {}, () = reloads => {} }
        service_manager.stopping();
        app.drain();
        if !shutdown_delay.is_zero() {
            tracing::info!(
                "server: stopping in {} s, /health already responds with status 503 for load balancers",
                shutdown_delay.as_secs()
            );
            tokio::time::sleep(shutdown_delay).await;
        }
        tracing::info!("server: stopping, running requests are finished first");
        shutdown.cancel();
        let _ = server.await;
        app.stop().await;
        drop(runtimes);
        tracing::info!("server: stopped");
        opened
    }
}

/// Logs the paths outside of the project and the data folder. This happens after the start, because the log of a failed start must begin
/// with the reason of the failure.
fn log_outside_paths(config: &Config) {
    for outside in &config.outside_paths {
        tracing::info!(
            config.path = %outside.path.display(),
            "config: {} names a path outside of the project and the data folder, which the server {}: {}",
            outside.named_by,
            if outside.is_written { "writes" } else { "reads" },
            outside.path.display()
        );
    }
}

/// Prepares the demo project for its user, and prints how to sign in.
async fn open_demo(
    demo: &Demo,
    app: &App,
    secrets: &Secrets,
    shutdown: &CancellationToken,
) -> Result<(), CommandError> {
    let text = demo.open(app.config(), secrets, app.first_operator_link(), shutdown.clone()).await?;
    let _ = print::line(text);
    Ok(())
}

fn server_options(settings: &ClochToml) -> ServerOptions {
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let limits = settings.limits.connections;
    ServerOptions {
        connection_limits: CountLimits { total: count(limits.total), per_network: count(limits.per_network) },
        trusted_proxies: TrustedProxies::new(&settings.server.trusted_proxies),
        min_rate: settings.server.min_rate(),
        drain_timeout: Duration::from_secs(settings.server.drain_timeout),
    }
}
