//! A PostgreSQL client for the hot paths, which are the table REST, uploads and downloads: it runs a whole transaction, from settings to
//! commit, in one network round trip.
//!
//! General clients send a `Sync` after every statement. This one sends a request's statements as one batch with a single `Sync` at its end.
//! PostgreSQL runs them as one implicit transaction: settings made with `is_local` apply to the statements after them, and an error rolls
//! everything back.

mod batch;
mod cancel;
mod connect;
mod connection;
mod error;
mod keepalive;
mod param;
mod pool;
mod prepared_statements;
mod replication;
mod row;
mod script;
mod single;
mod socket;
mod standby;
mod tls;
mod unix_socket;
mod visitor_shares;
mod write_buffer;

pub use batch::{BatchStatement, NOT_KEPT};
pub use connection::{Connection, MessageMeter, Notification};
pub use error::{ClientError, DbError};
pub use keepalive::PING_TIMEOUT;
pub use param::{Param, array_literal};
pub use pool::{Checkout, Pool};
pub use replication::Replication;
pub use row::{Column, Row, RowSink, Rows};
pub use script::ScriptOutcome;
pub use single::{Canceller, Outcome};
