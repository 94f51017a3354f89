//! The thread that starts and monitors Deno workers. The thread lives as long as Cloch, because workers are killed when their parent thread
//! ends.

use std::io;

use tokio::runtime::{Builder, Handle};
use tokio_util::sync::{CancellationToken, DropGuard};

#[derive(Debug)]
pub(crate) struct Supervisor {
    handle: Handle,
    _stop: DropGuard,
}

impl Supervisor {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (handle, stop) = (runtime.handle().clone(), CancellationToken::new());
        let stopped = stop.clone();
        std::thread::Builder::new()
            .name("functions".to_owned())
            .spawn(move || runtime.block_on(stopped.cancelled()))?;
        Ok(Self { handle, _stop: stop.drop_guard() })
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.handle.spawn(task);
    }
}
