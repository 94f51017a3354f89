//! Functions: `/functions/v1`.
//!
//! A [`Function`] is one module with a name, typed input and a handler. The [`router`] looks a name up, checks what the project's
//! config.toml says of it, counts the call, reads the body and hands it over. A function without code here may have an upstream: the
//! call is passed on with the caller's verified claims.
//!
//! The club's functions are ordinary members of [`Registry::standard`]; they are served only to a project whose config.toml
//! declares them.

mod access;
mod answer;
mod auth_api;
mod body;
mod call;
mod cors;
mod dispatch;
mod email_html;
mod files;
mod guest_email;
mod judging;
pub mod limits;
pub mod outbound;
mod refusal;
mod registry;
mod send_email;
mod send_invite;
pub mod settings;
mod state;
mod upstream;

pub use answer::Answer;
pub use call::Call;
pub use dispatch::router;
pub use judging::set_password as set_judging_password;
pub use refusal::Refusal;
pub use registry::{Function, Registry};
pub use settings::Settings;
pub use state::{FunctionsState, Services, SetupError};
