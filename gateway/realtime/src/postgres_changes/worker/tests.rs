//! Tests of the worker that reads table changes from a real PostgreSQL.
use axum::extract::ws::Message;
use cloch_sql::Caller;
use cloch_sql::testing::TestDatabase;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::super::{Binding, Changes, Subscription, Target};
use super::*;
use crate::budget::{Account, Budget, Held};
use crate::frame::Version;
use crate::hub::{Outbox, Queued};

/// Limits for the tests. A slot keeps the WAL of all databases of the server, including WAL of concurrent tests, so `slot_wal_bytes` is
/// large.
const LIMITS: ChangeLimits = ChangeLimits { filters_per_channel: 100, waiting_bytes: 1 << 20, slot_wal_bytes: 1 << 40 };

/// Returns a test database with a published table, the reader of its changes, and the handle that sends commands to the reader.
async fn reader(limits: ChangeLimits) -> (TestDatabase, Reader, Changes) {
    let test = TestDatabase::platform().await;
    run_sql(
        &test,
        "create table public.notes (id bigint primary key, title text); grant select on public.notes to anon",
    )
    .await;
    run_sql(&test, "alter publication supabase_realtime add table public.notes").await;
    let (commands, recipients): (UnboundedSender<Command>, _) = unbounded_channel();
    let reader = Reader::new(test.database().clone(), recipients, limits);
    (test, reader, Changes { commands, no_wait_before: Arc::default() })
}

async fn run_sql(test: &TestDatabase, sql: &'static str) {
    sqlx::raw_sql(sql).execute(test.superuser()).await.unwrap();
}

/// Subscribes to all changes of the published table. Returns the subscription, and the receiver of messages to its client.
fn subscribe(changes: &Changes) -> (Subscription, UnboundedReceiver<Queued>) {
    subscribe_as(changes, Caller::anon(), json!({ "event": "*", "schema": "public", "table": "notes" }))
}

fn subscribe_as(changes: &Changes, caller: Caller, binding: Value) -> (Subscription, UnboundedReceiver<Queued>) {
    let account = Budget::new(1 << 30, 1 << 30).open();
    let held = account.hold(0).unwrap();
    let (target, received) = target(account, held);
    (changes.subscribe(vec![Binding::read(&binding)], caller, target), received)
}

fn target(account: Arc<Account>, held: Held) -> (Target, UnboundedReceiver<Queued>) {
    let (sender, received) = unbounded_channel();
    let outbox = Outbox { version: Version::V2, sender, account, end: CancellationToken::new(), wake: Arc::default() };
    let (topic, channel) = ("realtime:test".to_owned(), "test".to_owned());
    (Target { topic, channel, is_older_client: false, outbox, _held: Arc::new(held) }, received)
}

async fn next_text(received: &mut UnboundedReceiver<Queued>) -> String {
    loop {
        if let Message::Text(message) = received.recv().await.unwrap().message {
            return message.to_string();
        }
    }
}

async fn hears(received: &mut UnboundedReceiver<Queued>, text: &str) {
    while !next_text(received).await.contains(text) {}
}

/// Executes the queued commands and one tick, then reads messages of the replication slot until no message arrives for 50 ms.
async fn turn(reader: &mut Reader) -> Result<(), ReadError> {
    while let Ok(command) = reader.commands.try_recv() {
        reader.worker.execute(command);
    }
    reader.worker.tend().await?;
    while let Ok(message) = tokio::time::timeout(Duration::from_millis(50), next(&mut reader.worker.slot)).await {
        reader.worker.read(&message?).await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_older_client_receives_the_kind_of_a_change_as_event() {
    let (test, mut reader, changes) = reader(LIMITS).await;
    let account = Budget::new(1 << 30, 1 << 30).open();
    let held = account.hold(0).unwrap();
    let (mut target, mut received) = target(account, held);
    target.is_older_client = true;
    let binding = Binding::read(&json!({ "event": "*", "schema": "public", "table": "notes" }));
    let _subscription = changes.subscribe(vec![binding], Caller::anon(), target);
    turn(&mut reader).await.unwrap();
    hears(&mut received, "Subscribed to PostgreSQL").await;
    run_sql(&test, "insert into public.notes values (1, 'old form')").await;
    while received.is_empty() {
        turn(&mut reader).await.unwrap();
    }
    let frame: Value = serde_json::from_str(&next_text(&mut received).await).unwrap();
    assert_eq!([&frame[2], &frame[3]], [&json!("realtime:test"), &json!("INSERT")]);
    assert_eq!(frame[4]["record"], json!({ "id": 1, "title": "old form" }));
    assert_eq!(
        [&frame[4]["type"], &frame[4]["table"], &frame[4]["ids"]],
        [&json!("INSERT"), &json!("notes"), &Value::Null]
    );
}

#[tokio::test]
async fn after_a_panic_in_a_turn_subscribers_are_served_again() {
    let (test, mut reader, changes) = reader(LIMITS).await;
    let (_subscription, mut received) = subscribe(&changes);
    turn(&mut reader).await.unwrap();
    hears(&mut received, "Subscribed to PostgreSQL").await;
    // Sets the state in which a panic leaves the reader.
    reader.is_working = true;
    tokio::spawn(run(Arc::new(Mutex::new(reader))));
    hears(&mut received, "Unable to connect").await;
    hears(&mut received, "Subscribed to PostgreSQL").await;
    run_sql(&test, "insert into public.notes values (1, 'after the panic')").await;
    hears(&mut received, "after the panic").await;
}

#[tokio::test]
async fn a_slot_that_keeps_too_much_wal_is_opened_anew() {
    let (test, mut reader, changes) = reader(LIMITS).await;
    let (_subscription, mut received) = subscribe(&changes);
    turn(&mut reader).await.unwrap();
    hears(&mut received, "Subscribed to PostgreSQL").await;
    reader.worker.limits.slot_wal_bytes = 1 << 20;
    // A running transaction, which prevents the replication slot from advancing.
    let mut open = cloch_sql::transaction::begin(test.superuser()).await.unwrap();
    sqlx::query("select pg_current_xact_id()").execute(&mut *open).await.unwrap();
    run_sql(&test, "select pg_logical_emit_message(false, 'test', repeat('x', 3000000))").await;
    let error = loop {
        reader.worker.next_maintenance = Instant::now();
        if let Err(error) = turn(&mut reader).await {
            break error;
        }
    };
    assert!(matches!(error, ReadError::TooMuchWal(bytes) if bytes > 1 << 20), "{error}");
    reader.worker.lose(&error);
    hears(&mut received, "Unable to connect").await;
    let kept = "select count(*) from pg_replication_slots where database = current_database()";
    // Waits, because the server detects the closed connection of the replication slot only after some time.
    while sqlx::query_scalar::<_, i64>(kept).fetch_one(test.superuser()).await.unwrap() > 0 {
        tokio::task::yield_now().await;
    }
    open.rollback().await.unwrap();
    reader.worker.limits = LIMITS;
    reader.worker.retry_at = Instant::now();
    turn(&mut reader).await.unwrap();
    hears(&mut received, "Subscribed to PostgreSQL").await;
}

#[tokio::test]
async fn who_is_too_far_behind_joins_again() {
    let limits = ChangeLimits { waiting_bytes: 100_000, ..LIMITS };
    let (test, mut reader, changes) = reader(limits).await;
    let (_subscription, mut received) = subscribe(&changes);
    turn(&mut reader).await.unwrap();
    hears(&mut received, "Subscribed to PostgreSQL").await;
    // Blocks the policy checks, so that changes stay in the queue.
    let _turns = reader.worker.pipeline.hold_all_turns();
    run_sql(&test, "insert into public.notes select n, repeat('x', 1000) from generate_series(1, 1000) as n").await;
    // Retries, because committed changes are decoded only after their commit has been written to disk.
    while received.is_empty() {
        turn(&mut reader).await.unwrap();
    }
    hears(&mut received, "Too many changes are waiting").await;
    hears(&mut received, "phx_error").await;
    turn(&mut reader).await.unwrap();
    assert!(reader.worker.confirmed.is_empty());
}

#[tokio::test]
async fn what_was_joined_and_left_is_charged_to_its_socket_until_the_reader_knows() {
    let (commands, mut waiting) = unbounded_channel();
    let changes = Changes { commands, no_wait_before: Arc::default() };
    let account = Budget::new(1_000, 1_000).open();
    let held = account.hold(900).unwrap();
    let (target, _received) = target(Arc::clone(&account), held);
    drop(changes.subscribe(Vec::new(), Caller::anon(), target));
    assert!(account.hold(200).is_err());
    while waiting.try_recv().is_ok() {}
    assert!(account.hold(200).is_ok());
}

#[tokio::test]
async fn a_role_that_nobody_may_use_interrupts_nobody_else() {
    let (test, mut reader, changes) = reader(LIMITS).await;
    run_sql(&test, "create role rt_unused; grant select on public.notes to rt_unused").await;
    let (_subscription, mut received) = subscribe(&changes);
    let claims = json!({ "role": "rt_unused" }).as_object().cloned().unwrap();
    // A pattern with a back reference is evaluated by PostgreSQL.
    let binding = json!({ "event": "*", "schema": "public", "table": "notes", "filter": r"title=match.(a)\1" });
    let (_refused, mut told) = subscribe_as(&changes, Caller::from_claims(claims, None), binding);
    let mut outcome = Ok(());
    while outcome.is_ok() && (received.is_empty() || told.is_empty()) {
        outcome = turn(&mut reader).await;
    }
    run_sql(&test, "revoke select on public.notes from rt_unused; drop role rt_unused").await;
    outcome.unwrap();
    hears(&mut received, "Subscribed to PostgreSQL").await;
    hears(&mut told, "the role rt_unused may not be used").await;
}
