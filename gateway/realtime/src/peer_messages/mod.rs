//! Messages to other nodes of the project, and the queue of messages that the bus has not sent yet.

mod message;
mod send_queue;

pub(super) use message::{Message, Sent};
pub(super) use send_queue::{Outgoing, Outlet, outlet};
