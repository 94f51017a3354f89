//! Monitors one Deno worker: its output, its resource usage and its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin};
use tokio::sync::{mpsc, watch};

use super::output::{Level, Output, OutputReader};
use super::usage::Usage;
use super::{Counts, End, LogFile, Phase, Unload, Worker, WorkerCommand, WorkerFiles, WorkerLimits, connection};
use crate::metrics;

/// Interval between two checks of a worker that has requests or background work.
const BUSY_INTERVAL: Duration = Duration::from_millis(50);
/// Interval between two checks of an idle worker.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);
/// Period over which a worker's processor load is measured.
const LOAD_WINDOW: Duration = Duration::from_millis(200);
/// Maximum number of messages of one worker that are logged per [`MESSAGES_WINDOW`]. Further messages are only counted.
const MAX_MESSAGES: u32 = 1_000;
const MESSAGES_WINDOW: Duration = Duration::from_secs(10);
/// Time that a line of output waits for the lines of its stack trace.
const TRACE_WAIT: Duration = Duration::from_millis(20);
/// Timeout for reading the remaining output of an ended worker.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(500);

/// Starts a worker and monitors it until it has ended.
///
/// # Errors
/// If the worker process cannot be started.
pub(crate) fn start(
    function: &str,
    command: &WorkerCommand,
    files: WorkerFiles,
    limits: WorkerLimits,
    log: Arc<LogFile>,
) -> std::io::Result<Worker> {
    command.account.make_folder(&files.folder)?;
    command.account.make_folder(&files.temporary)?;
    let execution_id = uuid::Uuid::new_v4().to_string();
    let token = uuid::Uuid::new_v4().simple().to_string();
    let child = command.build(&files, &execution_id, &token).spawn()?;
    metrics::count_boot(function);
    let (phase_sender, phase) = watch::channel(Phase::Booting);
    let (unload, unloads) = mpsc::unbounded_channel();
    let counts = Arc::new(Counts {
        started: Instant::now(),
        in_flight: AtomicUsize::new(0),
        pending: AtomicUsize::new(0),
        progress: AtomicU64::new(0),
        idle_since: AtomicU64::new(0),
        retired: AtomicBool::new(false),
        uses_a_core: AtomicBool::new(false),
    });
    let connections = connection::Connections::new(&files.socket);
    let console = Console {
        function: function.to_owned(),
        execution_id: execution_id.clone(),
        log,
        window: Instant::now(),
        messages: 0,
    };
    let monitor = Monitor {
        counts: Arc::clone(&counts),
        limits,
        phase: phase_sender,
        console,
        last_progress: (0, Duration::ZERO),
        window: (Instant::now(), Duration::ZERO),
        without_requests: None,
    };
    tokio::spawn(monitor.run(child, files, token, unloads));
    Ok(Worker { execution_id, connections, phase, counts, unload })
}

struct Monitor {
    counts: Arc<Counts>,
    limits: WorkerLimits,
    phase: watch::Sender<Phase>,
    console: Console,
    /// Value of the worker's `progress` counter when it last changed, and the worker's processor time at that moment.
    last_progress: (u64, Duration),
    /// Start of the current [`LOAD_WINDOW`], and the worker's processor time at that moment.
    window: (Instant, Duration),
    /// Time since which the worker has had no requests. Set only while the worker has background work or is being retired.
    without_requests: Option<Instant>,
}

impl Monitor {
    async fn run(
        mut self,
        mut child: Child,
        files: WorkerFiles,
        token: String,
        mut unloads: mpsc::UnboundedReceiver<Unload>,
    ) {
        let mut stdin = child.stdin.take();
        let mut stdout = Stream::new(child.stdout.take(), OutputReader::new(&token, Level::Info));
        let mut stderr = Stream::new(child.stderr.take(), OutputReader::new(&token, Level::Error));
        let pid = child.id();
        let mut reason = None;
        let mut unload: Option<Unload> = None;
        let status = loop {
            let interval = match self.is_busy() || unload.is_some() {
                _ if stdout.reader.is_waiting() || stderr.reader.is_waiting() => TRACE_WAIT,
                true => BUSY_INTERVAL,
                false => IDLE_INTERVAL,
            };
            tokio::select! {
                status = child.wait() => break status,
                bytes = stdout.read() => stdout.take(bytes, |output| self.take(output)),
                bytes = stderr.read() => stderr.take(bytes, |output| self.take(output)),
                Some(command) = unloads.recv() => unload = Some(command),
                () = tokio::time::sleep(interval) => {}
            }
            stdout.reader.flush(TRACE_WAIT, |output| self.take(output));
            stderr.reader.flush(TRACE_WAIT, |output| self.take(output));
            if reason.is_none()
                && let Some(end) = pid.and_then(|pid| self.exceeded(pid))
            {
                reason = Some(end);
                let _ = child.start_kill();
            }
            if self.counts.in_flight.load(Ordering::Relaxed) == 0
                && let Some(command) = unload.take()
            {
                tell(&mut stdin, command).await;
            }
        };
        let last_words = async {
            while stdout.is_open || stderr.is_open {
                tokio::select! {
                    bytes = stdout.read() => stdout.take(bytes, |output| self.take(output)),
                    bytes = stderr.read() => stderr.take(bytes, |output| self.take(output)),
                }
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS_TIMEOUT, last_words).await;
        stdout.reader.flush(Duration::ZERO, |output| self.take(output));
        stderr.reader.flush(Duration::ZERO, |output| self.take(output));
        drop(files);
        let was_ready = *self.phase.borrow() == Phase::Ready;
        let is_retired = self.counts.retired.load(Ordering::Relaxed);
        let end = reason.unwrap_or(match (was_ready, is_retired) {
            (false, _) => End::Boot,
            (true, true) => End::Retired,
            (true, false) => End::Exited,
        });
        metrics::count_end(&self.console.function, end.as_str());
        self.console.shutdown(end, status.ok(), self.counts.started.elapsed());
        self.phase.send_replace(Phase::Ended(end));
    }

    fn is_busy(&self) -> bool {
        let counts = &self.counts;
        *self.phase.borrow() == Phase::Booting
            || counts.in_flight.load(Ordering::Relaxed) > 0
            || counts.pending.load(Ordering::Relaxed) > 0
    }

    /// Returns the resource limit that the worker exceeds, or `None` if the worker is within its limits.
    fn exceeded(&mut self, pid: u32) -> Option<End> {
        let usage = Usage::of(pid)?;
        self.note_load(usage.cpu);
        if usage.memory_bytes > self.limits.memory_bytes {
            return Some(End::Memory);
        }
        if *self.phase.borrow() == Phase::Booting {
            return (self.counts.started.elapsed() > self.limits.boot).then_some(End::Boot);
        }
        let progress = self.counts.progress.load(Ordering::Relaxed);
        if progress != self.last_progress.0 || !self.is_busy() {
            self.last_progress = (progress, usage.cpu);
        }
        if usage.cpu.saturating_sub(self.last_progress.1) > self.limits.cpu {
            return Some(End::Cpu);
        }
        // The limit below applies only to background work, because each request has its own deadline.
        if self.counts.in_flight.load(Ordering::Relaxed) > 0 {
            self.without_requests = None;
            return None;
        }
        let since = *self.without_requests.get_or_insert_with(Instant::now);
        let is_kept = self.counts.pending.load(Ordering::Relaxed) > 0 || self.counts.retired.load(Ordering::Relaxed);
        if !is_kept {
            self.without_requests = None;
        }
        (is_kept && since.elapsed() > self.limits.wall).then_some(End::WallClock)
    }

    /// Records the processor load of the worker in the last [`LOAD_WINDOW`]. JavaScript runs on one thread, so more than half a core is a
    /// high load.
    fn note_load(&mut self, cpu: Duration) {
        let (begun, cpu_then) = self.window;
        let elapsed = begun.elapsed();
        if elapsed >= LOAD_WINDOW {
            self.counts.uses_a_core.store(cpu.saturating_sub(cpu_then) > elapsed / 2, Ordering::Relaxed);
            self.window = (Instant::now(), cpu);
        }
    }

    fn take(&mut self, output: Output) {
        match output {
            Output::Message { level, request, text } => self.console.message(level, &request, &text),
            Output::Report(report) => {
                if report.listening {
                    self.console.booted(self.counts.started.elapsed());
                    self.phase.send_if_modified(|phase| {
                        let is_booting = *phase == Phase::Booting;
                        *phase = Phase::Ready;
                        is_booting
                    });
                }
                if let Some(pending) = report.pending {
                    self.counts.pending.store(pending, Ordering::Relaxed);
                }
            }
        }
    }
}

async fn tell(stdin: &mut Option<ChildStdin>, command: Unload) {
    if let Some(stdin) = stdin {
        let line = format!("{{\"unload\":\"{}\"}}\n", command.as_str());
        // Ignore the failure: a worker that does not read its standard input has ended, or a resource limit will end it.
        let _ = tokio::time::timeout(BUSY_INTERVAL, stdin.write_all(line.as_bytes())).await;
    }
}

/// Standard output or standard error of a worker.
struct Stream<R> {
    pipe: Option<R>,
    reader: OutputReader,
    buffer: Vec<u8>,
    is_open: bool,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(pipe: Option<R>, reader: OutputReader) -> Self {
        Self { is_open: pipe.is_some(), pipe, reader, buffer: vec![0; 8 * 1024] }
    }

    /// Reads available bytes of the worker's output stream into the buffer and returns their number. Returns 0 when the stream ends or
    /// fails. After [`Self::take`] has processed this 0, calls of this function never complete.
    async fn read(&mut self) -> usize {
        match self.pipe.as_mut().filter(|_| self.is_open) {
            Some(pipe) => pipe.read(&mut self.buffer).await.unwrap_or(0),
            None => std::future::pending().await,
        }
    }

    fn take(&mut self, bytes: usize, hand_on: impl FnMut(Output)) {
        self.is_open = bytes > 0;
        self.reader.feed(self.buffer.get(..bytes).unwrap_or_default(), hand_on);
    }
}

/// Writes a worker's messages to Cloch's log and to the log file of the function.
struct Console {
    function: String,
    execution_id: String,
    log: Arc<LogFile>,
    window: Instant,
    messages: u32,
}

impl Console {
    fn message(&mut self, level: Level, request: &str, text: &str) {
        if self.window.elapsed() > MESSAGES_WINDOW {
            self.end_window();
        }
        self.messages = self.messages.saturating_add(1);
        if self.messages > MAX_MESSAGES {
            return;
        }
        let Self { function, execution_id, .. } = &*self;
        match level {
            Level::Debug => tracing::debug!(%function, %execution_id, request, "{text}"),
            Level::Info => tracing::info!(%function, %execution_id, request, "{text}"),
            Level::Warn => tracing::warn!(%function, %execution_id, request, "{text}"),
            Level::Error => tracing::error!(%function, %execution_id, request, "{text}"),
        }
        self.log.append(level.as_str(), execution_id, request, text);
    }

    fn end_window(&mut self) {
        let dropped = self.messages.saturating_sub(MAX_MESSAGES);
        (self.window, self.messages) = (Instant::now(), 0);
        if dropped > 0 {
            let text = format!(
                "{dropped} messages of the function dropped: more than {MAX_MESSAGES} in {} seconds",
                MESSAGES_WINDOW.as_secs()
            );
            tracing::warn!(function = %self.function, execution_id = %self.execution_id, "functions: log limit of a function reached: {text}");
            self.log.append("warn", &self.execution_id, "", &text);
        }
    }

    fn booted(&self, time: Duration) {
        let boot_time_ms = time.as_millis();
        tracing::info!(function = %self.function, execution_id = %self.execution_id, boot_time_ms, "functions: worker booted");
        self.log.append("info", &self.execution_id, "", &format!("booted (time: {boot_time_ms}ms)"));
    }

    fn shutdown(&mut self, end: End, status: Option<std::process::ExitStatus>, time: Duration) {
        self.end_window();
        let (function, execution_id, reason) = (&self.function, &self.execution_id, end.as_str());
        let status = status.map(|status| status.to_string()).unwrap_or_default();
        let lifetime_ms = time.as_millis();
        match end {
            End::Retired => tracing::info!(%function, %execution_id, reason, lifetime_ms, "functions: worker shutdown"),
            _ => tracing::error!(
                %function,
                %execution_id,
                reason,
                status,
                lifetime_ms,
                "functions: unexpected worker shutdown, the next request starts a new worker"
            ),
        }
        self.log.append("info", execution_id, "", &format!("shutdown ({reason}; {status})"));
    }
}
