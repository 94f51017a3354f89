//! PostgreSQL client for the code that must be fast: the table REST API, uploads and downloads. It runs a whole transaction, from settings
//! to commit, in one network round trip.
//!
//! General clients send a `Sync` after every statement. This client sends all statements of a request as one batch with a single `Sync` at
//! the end. PostgreSQL runs the batch as one implicit transaction: settings made with `is_local` apply to the following statements, and an
//! error rolls back the whole batch.

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
