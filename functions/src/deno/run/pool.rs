//! The pool of Deno workers of one function: the first request starts a worker, high load starts more workers, and idle workers are ended.

use std::sync::{self, Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, watch};

use super::pause::Pause;
use super::shared::Shared;
use super::worker::{DeniedNetworks, End, Lease, LogFile, Phase, Unload, Worker, WorkerLimits};
use crate::deno::resolve::Prepared;
use crate::deno::{Policy, Source};
use crate::metrics;

/// Uptime from which a worker counts as stable. When a stable worker ends, the next start is not delayed, and the delay is reset.
const STABLE_UPTIME: Duration = Duration::from_secs(10);
/// Maximum time that a request waits for a worker.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(60);

/// The reason why no worker can be assigned to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AcquireError {
    /// The function does not boot. The log contains the cause.
    Boot,
    /// The function has reached its limit of concurrent requests.
    Busy,
}

#[derive(Clone, Debug)]
pub(crate) struct PoolOptions {
    pub(crate) limits: WorkerLimits,
    pub(crate) denied: DeniedNetworks,
    pub(crate) max_workers: usize,
    pub(crate) max_requests: usize,
    pub(crate) idle: Duration,
    pub(crate) policy: Policy,
}

#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) name: String,
    pub(crate) options: PoolOptions,
    pub(crate) log: Arc<LogFile>,
    shared: Arc<Shared>,
    state: sync::Mutex<State>,
    /// Counter of changes in the pool's state. A change wakes the requests that wait for a worker.
    changed: watch::Sender<u64>,
    /// Lock that is held while imports are resolved, because two concurrent runs would write the same files.
    preparing: Mutex<()>,
}

#[derive(Debug)]
struct State {
    source: Source,
    /// Number of changes of the function's code. Workers with code of an older revision are not used.
    revision: u64,
    workers: Vec<Arc<Worker>>,
    starting: usize,
    /// Number of requests that wait for a worker.
    waiting: usize,
    pause: Pause,
    /// Whether the pool starts no further worker, because the function was removed or Cloch stops.
    is_closed: bool,
}

/// Guard that counts a request as waiting for a worker until the guard is dropped.
struct Waiting<'a>(&'a Pool);

impl<'a> Waiting<'a> {
    fn of(pool: &'a Pool) -> Self {
        pool.lock().waiting += 1;
        Self(pool)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.waiting = state.waiting.saturating_sub(1);
    }
}

enum Step {
    Take(Lease),
    Refuse(AcquireError),
    Wait,
}

impl Step {
    /// The step of a request while no worker is started.
    fn during(pause: Pause) -> Self {
        if pause.refuses() { Self::Refuse(AcquireError::Boot) } else { Self::Wait }
    }
}

impl Pool {
    pub(crate) fn new(
        name: &str,
        source: Source,
        options: PoolOptions,
        log: LogFile,
        shared: Arc<Shared>,
    ) -> Arc<Self> {
        metrics::begin(name);
        let state = State {
            source,
            revision: 0,
            workers: Vec::new(),
            starting: 0,
            waiting: 0,
            pause: Pause::default(),
            is_closed: false,
        };
        Arc::new(Self {
            name: name.to_owned(),
            options,
            log: Arc::new(log),
            shared,
            state: sync::Mutex::new(state),
            changed: watch::channel(0).0,
            preparing: Mutex::new(()),
        })
    }

    /// Whether the function serves no requests at present because its last worker failed to start or crashed.
    pub(crate) fn has_failed(&self) -> bool {
        let state = self.lock();
        state.workers.is_empty() && state.pause.has_failures()
    }

    /// Assigns a worker to a request, and returns the lease. The request counts as in progress until the lease is dropped. Starts a worker
    /// if no worker is available, and waits until a worker listens.
    pub(crate) async fn acquire(self: &Arc<Self>) -> Result<Lease, AcquireError> {
        match self.step() {
            Step::Take(lease) => return Ok(lease),
            Step::Refuse(error) => return Err(error),
            Step::Wait => {}
        }
        let _counted = Waiting::of(self);
        let mut changed = self.changed.subscribe();
        let waiting = async {
            loop {
                changed.borrow_and_update();
                match self.step() {
                    Step::Take(lease) => return Ok(lease),
                    Step::Refuse(error) => return Err(error),
                    Step::Wait => {}
                }
                if changed.changed().await.is_err() {
                    return Err(AcquireError::Boot);
                }
            }
        };
        tokio::time::timeout(ACQUIRE_TIMEOUT, waiting).await.unwrap_or(Err(AcquireError::Boot))
    }

    /// Resolves and downloads the imports of a version of the function's code, and stores the list of imported files in the pool if this
    /// version is served.
    pub(crate) async fn prepare(&self, source: &Source) -> Result<Prepared, String> {
        let _alone = self.preparing.lock().await;
        let prepared = self.shared.prepare(&self.name, source).await?;
        let imported = &prepared.source.imported;
        let mut state = self.lock();
        let is_served = state.source.version == source.version && state.source.entrypoint == source.entrypoint;
        if is_served && state.source.imported != *imported {
            state.source.imported.clone_from(imported);
            self.shared.imports_changed.notify_one();
        }
        drop(state);
        Ok(prepared)
    }

    pub(crate) fn warm_up(self: &Arc<Self>) {
        let mut state = self.lock();
        if state.workers.is_empty() && state.starting == 0 && !state.is_closed {
            self.start_one(&mut state);
        }
    }

    fn step(self: &Arc<Self>) -> Step {
        let mut state = self.lock();
        if state.is_closed {
            return Step::Refuse(AcquireError::Boot);
        }
        state.workers.retain(|worker| worker.is_ready());
        let in_all: usize = state.workers.iter().map(|worker| worker.in_flight()).sum();
        if in_all >= self.options.max_requests {
            return Step::Refuse(AcquireError::Busy);
        }
        let has_room = state.workers.len() + state.starting < self.options.max_workers;
        let usable = state.workers.iter().filter(|worker| !worker.is_retired());
        let least = usable.min_by_key(|worker| worker.in_flight()).cloned();
        if self.options.policy == Policy::Oneshot {
            return match least {
                Some(worker) => {
                    let lease = worker.lease();
                    // With the policy `oneshot`, the worker ends after this request.
                    worker.retire(Unload::EarlyDrop);
                    Step::Take(lease)
                }
                None if !state.pause.is_over() => Step::during(state.pause),
                None => {
                    // Each worker serves one request, so more workers than waiting requests would be useless.
                    if has_room && state.starting < state.waiting {
                        self.start_one(&mut state);
                    }
                    Step::Wait
                }
            };
        }
        match least {
            Some(worker) => {
                if worker.is_busy() && has_room && state.pause.is_over() && state.starting == 0 {
                    self.start_one(&mut state);
                }
                Step::Take(worker.lease())
            }
            None if state.starting > 0 => Step::Wait,
            None if !state.pause.is_over() => Step::during(state.pause),
            None => {
                self.start_one(&mut state);
                Step::Wait
            }
        }
    }

    fn start_one(self: &Arc<Self>, state: &mut State) {
        state.starting += 1;
        let (pool, source, revision) = (Arc::clone(self), state.source.clone(), state.revision);
        self.shared.supervisor.spawn(async move {
            let started = pool.start_worker(&source).await;
            pool.started(started, revision);
        });
    }

    /// Starts a worker and returns the worker when it listens. Returns `None` after an error, which is logged.
    async fn start_worker(self: &Arc<Self>, source: &Source) -> Option<Arc<Worker>> {
        match self.shared.start_worker(self, source).await {
            Ok(worker) => {
                let worker = Arc::new(worker);
                let mut phase = worker.phase.clone();
                let phase = phase.wait_for(|phase| *phase != Phase::Booting).await.map(|phase| *phase);
                matches!(phase, Ok(Phase::Ready)).then_some(worker)
            }
            Err(error) => {
                tracing::error!(function = %self.name, %error, "functions: starting a worker of a function failed, requests get status 503 unless another worker of the function runs");
                self.log.append("error", "", "", &error);
                None
            }
        }
    }

    fn started(self: &Arc<Self>, worker: Option<Arc<Worker>>, revision: u64) {
        let mut state = self.lock();
        state.starting = state.starting.saturating_sub(1);
        match worker {
            // Retire the new worker: the code has changed since the start of the worker, or the pool is closed and nothing would end the
            // worker.
            _ if state.revision != revision || state.is_closed => {
                worker.iter().for_each(|worker| worker.retire(Unload::EarlyDrop))
            }
            Some(worker) => {
                self.observe(&worker);
                state.workers.push(worker);
            }
            None => state.pause.after_failed_start(),
        }
        drop(state);
        self.notify();
    }

    /// Removes a worker that has ended. Returns the delay before the next start, which is zero unless the worker crashed.
    fn forget(&self, worker: &Arc<Worker>, ended: Option<Phase>, uptime: Duration) -> Duration {
        let mut state = self.lock();
        state.workers.retain(|other| !Arc::ptr_eq(other, worker));
        match ended {
            Some(Phase::Ended(End::Exited)) if uptime < STABLE_UPTIME => return state.pause.after_crash(),
            _ if uptime >= STABLE_UPTIME => state.pause = Pause::default(),
            _ => {}
        }
        Duration::ZERO
    }

    /// Starts a task that removes a worker from the pool when the worker ends. If the worker crashed before [`STABLE_UPTIME`], the task
    /// extends the back-off before the next start, and wakes the waiting requests when the back-off is over.
    fn observe(self: &Arc<Self>, worker: &Arc<Worker>) {
        let (pool, worker, started) = (Arc::clone(self), Arc::clone(worker), Instant::now());
        self.shared.supervisor.spawn(async move {
            let mut phase = worker.phase.clone();
            let ended = phase.wait_for(|phase| matches!(phase, Phase::Ended(_))).await.map(|phase| *phase);
            let pause = pool.forget(&worker, ended.ok(), started.elapsed());
            pool.notify();
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
                pool.notify();
            }
        });
    }

    /// Reloads the function's code: new workers serve new requests, and old workers finish the requests in progress.
    pub(crate) fn reload(self: &Arc<Self>, source: Option<Source>) {
        let mut state = self.lock();
        if let Some(source) = source {
            state.source = source;
        }
        state.revision += 1;
        state.pause = Pause::default();
        let old = std::mem::take(&mut state.workers);
        drop(state);
        old.iter().for_each(|worker| worker.retire(Unload::EarlyDrop));
        self.notify();
    }

    /// Switches to new code when a worker with the new code listens. Until then, or if the new code does not boot, the old code is served. Returns
    /// whether the new code booted.
    pub(crate) async fn switch(self: &Arc<Self>, source: Source) -> bool {
        let Some(worker) = self.start_worker(&source).await else { return false };
        let mut state = self.lock();
        if state.is_closed {
            worker.retire(Unload::Termination);
            return false;
        }
        state.source = source;
        state.revision += 1;
        state.pause = Pause::default();
        self.observe(&worker);
        let old = std::mem::replace(&mut state.workers, vec![worker]);
        drop(state);
        old.iter().for_each(|worker| worker.retire(Unload::EarlyDrop));
        self.notify();
        true
    }

    pub(crate) fn end_idle(&self) {
        let mut state = self.lock();
        let idle = self.options.idle;
        let (ended, kept) =
            state.workers.drain(..).partition(|worker: &Arc<Worker>| worker.idle().is_some_and(|time| time > idle));
        state.workers = kept;
        drop(state);
        let ended: Vec<Arc<Worker>> = ended;
        ended.iter().for_each(|worker| worker.retire(Unload::EarlyDrop));
    }

    /// Closes the pool: ends all workers, and returns them. Sets `is_closed`, because waiting requests would otherwise start further workers, which
    /// nothing would end.
    pub(crate) fn close(&self, reason: Unload) -> Vec<Arc<Worker>> {
        let mut state = self.lock();
        state.is_closed = true;
        let workers = std::mem::take(&mut state.workers);
        drop(state);
        workers.iter().for_each(|worker| worker.retire(reason));
        self.notify();
        workers
    }

    /// Closes the pool and waits for each worker to end, at most `within` for each worker.
    pub(crate) async fn stop(&self, within: Duration) {
        let workers = self.close(Unload::Termination);
        for worker in workers {
            worker.ended(within).await;
        }
    }

    pub(crate) fn source(&self) -> Source {
        self.lock().source.clone()
    }

    fn notify(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
