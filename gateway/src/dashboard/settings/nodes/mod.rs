//! Changes of settings reach all nodes of a project (docs/decisions/0022-settings-on-all-nodes.md).
//!
//! When an owner changes settings, the node that receives the request writes its own files, and adds the encrypted change ([`message`]) to
//! `cloch.settings_changes`. Each node reads new rows every two seconds and when it starts. It applies them with the same checks as a
//! change in the dashboard ([`receive`]). It stores the id of the last row in its data folder, and publishes its state in
//! `cloch.settings_nodes` ([`rows`]).

mod compare;
mod message;
mod receive;
mod rows;
mod show;

use std::sync::Arc;
use std::time::Duration;

use cloch_sql::transaction;
use sqlx::PgConnection;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::message::{InFiles, Message, Sent};
use self::receive::{Received, is_done, receive};
use super::change::{Change, Draft};
use super::effect::{self, Saved};
use super::write;
use crate::dashboard::ApiError;
use crate::dashboard::node_settings::{Memory, SettingsFiles, SettingsNodes, State};

pub(in crate::dashboard) use show::ROUTES;

/// Time between two reads of new changes.
const INTERVAL: Duration = Duration::from_secs(2);
/// Interval at which this node updates its row if the project has other nodes.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);
/// Maximum time for which the start of the server waits until missed changes are applied.
const START_TIMEOUT: Duration = Duration::from_secs(15);
/// SQLSTATE of a lock that was not available in time.
const LOCK_NOT_AVAILABLE: &str = "55P03";

impl SettingsNodes {
    /// Applies the changes that this node has missed, before the server serves requests. If this fails, the server starts nevertheless, and
    /// the task [`Self::run`] tries again.
    pub async fn start(&self) {
        if self.files.config.is_inspection {
            return;
        }
        let read = async {
            let mut state = self.state.lock().await;
            self.follow(&mut state).await
        };
        match timeout(START_TIMEOUT, read).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "settings: reading changes of other nodes failed, starting without them, retrying in 2 s");
            }
            Err(_) => tracing::warn!(
                "settings: reading changes of other nodes took too long, starting without them, retrying in 2 s"
            ),
        }
    }

    /// Applies changes of other nodes until `shutdown`.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        if self.files.config.is_inspection {
            return;
        }
        let mut has_failed = false;
        while shutdown.run_until_cancelled(tokio::time::sleep(INTERVAL)).await.is_some() {
            match self.look().await {
                Ok(()) => has_failed = false,
                Err(error) => {
                    if !has_failed {
                        tracing::warn!(%error, "settings: reading changes of other nodes failed, retrying in 2 s");
                    }
                    has_failed = true;
                }
            }
        }
        if let Some(memory) = &self.state.lock().await.memory {
            // The error is ignored: even without this update, the other nodes count this node as stopped after 30 seconds.
            let _ = rows::stopped(&self.pool, memory.node, self.process).await;
        }
    }

    async fn look(&self) -> sqlx::Result<()> {
        let mut state = self.state.lock().await;
        let Some(node) = state.memory.as_ref().map(|memory| memory.node) else { return self.follow(&mut state).await };
        let news = rows::news(&self.pool, node).await?;
        let is_copied = state.published.is_some() && news.process.is_some_and(|process| process != self.process);
        if is_copied && let Some(memory) = &mut state.memory {
            tracing::warn!(
                "settings: duplicate node id ignored, this node takes a new one: settings-node.toml was copied from the data folder of another node"
            );
            memory.node = Uuid::new_v4();
            memory.save(&self.data);
        }
        let is_new = state.memory.as_ref().is_some_and(|memory| news.last > memory.position);
        let is_due = news.has_others && state.published.is_none_or(|at| at.elapsed() >= HEARTBEAT_INTERVAL);
        if is_new || is_due || is_copied { self.follow(&mut state).await } else { Ok(()) }
    }

    /// Applies new changes, removes problems that are solved, and publishes the state of this node.
    async fn follow(&self, state: &mut State) -> sqlx::Result<()> {
        let mut connection = self.pool.acquire().await?;
        self.catch_up(state, &mut connection).await?;
        self.check_problems(state, &mut connection).await?;
        self.publish(state, &mut connection).await
    }

    /// Applies all changes that follow the last change that this node has processed.
    async fn catch_up(&self, state: &mut State, connection: &mut PgConnection) -> sqlx::Result<()> {
        let mut memory = match state.memory.take() {
            Some(memory) => memory,
            None => self.load(connection).await?,
        };
        loop {
            let changes =
                rows::after(connection, memory.position).await.inspect_err(|_| state.memory = Some(memory.clone()))?;
            if changes.is_empty() {
                break;
            }
            for (id, sealed) in changes {
                let files = Arc::clone(&self.files);
                let received = tokio::task::spawn_blocking(move || receive(&files, id, sealed.as_deref())).await;
                let Ok(received) = received else {
                    state.memory = Some(memory);
                    return Err(sqlx::Error::WorkerCrashed);
                };
                note(&mut memory, id, &received);
                if let Ok(waiting) = received.outcome {
                    state.waiting = waiting;
                }
                memory.save(&self.data);
            }
        }
        state.memory = Some(memory);
        Ok(())
    }

    /// Reads the state of this node from its data folder. A new node has no state yet. It applies none of the stored changes, because it
    /// cannot determine whether its files are older or newer. Instead, it compares its files with these changes, and begins after the last
    /// change.
    async fn load(&self, connection: &mut PgConnection) -> sqlx::Result<Memory> {
        let loaded = Memory::load(&self.data).map_err(|error| sqlx::Error::Protocol(error.to_string()))?;
        if let Some(memory) = loaded {
            return Ok(memory);
        }
        let position = rows::last(connection).await?;
        let changes = rows::after(connection, 0).await?;
        let files = Arc::clone(&self.files);
        let problems = tokio::task::spawn_blocking(move || compare::differences(&files, &changes)).await;
        let problems = problems.map_err(|_| sqlx::Error::WorkerCrashed)?;
        for problem in &problems {
            let keys = problem.keys.join(", ");
            tracing::warn!(config.keys = keys, "settings: change of another node not applied: {}", problem.reason);
        }
        let memory = Memory { node: Uuid::new_v4(), position, problems };
        memory.save(&self.data);
        Ok(memory)
    }

    /// Removes the problems of changes whose values are in the files of this node by now.
    async fn check_problems(&self, state: &mut State, connection: &mut PgConnection) -> sqlx::Result<()> {
        let Some(memory) = state.memory.as_mut().filter(|memory| !memory.problems.is_empty()) else { return Ok(()) };
        let ids: Vec<i64> = memory.problems.iter().map(|problem| problem.change).collect();
        let changes = rows::with_ids(connection, &ids).await?;
        let files = Arc::clone(&self.files);
        let done = tokio::task::spawn_blocking(move || {
            let is_solved = |(id, sealed): &rows::ChangeRow| {
                let message = Message::open(&files.keys, *id, sealed.as_deref()?)?;
                is_done(&files, &message).then_some(*id)
            };
            changes.iter().filter_map(is_solved).collect::<Vec<i64>>()
        });
        let done = done.await.map_err(|_| sqlx::Error::WorkerCrashed)?;
        if !done.is_empty() {
            memory.problems.retain(|problem| !done.contains(&problem.change));
            memory.save(&self.data);
        }
        Ok(())
    }

    async fn publish(&self, state: &mut State, connection: &mut PgConnection) -> sqlx::Result<()> {
        let Some(memory) = &state.memory else { return Ok(()) };
        rows::publish(connection, &self.files.keys, (&self.name, self.process), memory, &state.waiting).await?;
        state.published = Some(Instant::now());
        Ok(())
    }

    /// Changes settings on this node, and sends the change to the other nodes. `prepare` returns the checked change. If the change cannot
    /// be sent, the old texts of this node's files are restored.
    pub(super) async fn save(
        &self,
        prepare: impl FnOnce(&SettingsFiles) -> Result<(Draft, Vec<Change>), ApiError> + Send + 'static,
    ) -> Result<Saved, ApiError> {
        let mut state = self.state.lock().await;
        let mut transaction = transaction::begin(&self.pool).await?;
        rows::lock(&mut transaction).await.map_err(in_use)?;
        // The changes of other nodes are applied first. If such a change has modified a file since the operator's preview, `prepare`
        // refuses the operator's change.
        self.catch_up(&mut state, &mut transaction).await?;
        let files = Arc::clone(&self.files);
        let written = tokio::task::spawn_blocking(move || {
            let (draft, changes) = prepare(&files)?;
            let message = written(&files, &draft, changes)?;
            Ok::<_, ApiError>((draft, message))
        });
        let (draft, message) =
            written.await.map_err(|error| ApiError::internal("writing settings failed", error))??;
        if !draft.is_empty() {
            let id = match self.send(transaction, &message).await {
                Ok(id) => id,
                Err(error) => {
                    let files = Arc::clone(&self.files);
                    let _ = tokio::task::spawn_blocking(move || write::restore(&files.config, &draft)).await;
                    return Err(error);
                }
            };
            if let Some(memory) = &mut state.memory {
                memory.position = id;
                memory.supersede(&message.keys());
                memory.save(&self.data);
            }
        }
        let files = Arc::clone(&self.files);
        let saved = tokio::task::spawn_blocking(move || effect::apply(&files.live_settings, draft)).await;
        let saved = saved.map_err(|error| ApiError::internal("applying settings failed", error))?;
        state.waiting.clone_from(&saved.waiting);
        // The error is ignored, because the row of this node is updated again later.
        if let Ok(mut connection) = self.pool.acquire().await {
            let _ = self.publish(&mut state, &mut connection).await;
        }
        Ok(saved)
    }

    /// Stores the change in `cloch.settings_changes` for the other nodes, and commits the transaction, which releases the lock.
    async fn send(
        &self,
        mut transaction: sqlx::Transaction<'static, sqlx::Postgres>,
        message: &Message,
    ) -> Result<i64, ApiError> {
        let id = rows::next_id(&mut transaction).await?;
        let sealed = message.seal(&self.files.keys, id);
        let sealed =
            sealed.ok_or_else(|| ApiError::internal("a change of settings cannot be encrypted", "no random nonce"))?;
        rows::insert(&mut transaction, id, &sealed).await?;
        transaction.commit().await?;
        Ok(id)
    }
}

/// Writes the files of a change, and returns the message for the other nodes.
fn written(files: &SettingsFiles, draft: &Draft, changes: Vec<Change>) -> Result<Message, ApiError> {
    let config = files.live_settings.config();
    let read = |change: &Change| InFiles::read(files, &config, &change.key);
    let old = changes.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    write::write(&files.config, draft)?;
    let sent = changes.into_iter().zip(old).map(|(change, old)| Ok(Sent { new: read(&change)?, old, change }));
    let sent = sent.collect::<Result<Vec<_>, ApiError>>().inspect_err(|_| write::restore(&files.config, draft));
    Ok(Message { settings: sent? })
}

/// Stores the result of a received change in `memory`, and logs the result.
fn note(memory: &mut Memory, id: i64, received: &Received) {
    memory.position = id;
    let keys = received.keys.join(", ");
    match (received.problem(id), &received.outcome) {
        (Some(problem), _) => {
            tracing::error!(
                config.keys = keys,
                error = problem.reason,
                "settings: a change made on another node was not applied, this node keeps its settings"
            );
            memory.problems.push(problem);
        }
        (None, outcome) => {
            memory.supersede(&received.keys);
            let waiting = outcome.as_ref().map(|waiting| waiting.join(", ")).unwrap_or_default();
            tracing::info!(
                config.keys = keys,
                config.waiting = waiting,
                "settings: a change made on another node was applied"
            );
        }
    }
}

fn in_use(error: sqlx::Error) -> ApiError {
    let is_locked = error.as_database_error().is_some_and(|error| error.code().as_deref() == Some(LOCK_NOT_AVAILABLE));
    match is_locked {
        true => ApiError::conflict("Another node is changing settings").with_hint("Try again"),
        false => error.into(),
    }
}
