//! The functions API at `/functions/v1`.
//!
//! A [`Function`] is a module with a name, a typed input and a handler. The [`router`] finds the function by its name, checks the project's
//! config.toml, counts the call, reads the request body and calls the handler. A function that Cloch does not implement may have an
//! upstream server, to which the call is forwarded with the caller's verified claims. A project's own functions in TypeScript run in
//! [`deno`].
//!
//! This crate only contains the runtime. The crate that builds the [`Registry`] determines which Rust functions exist.

mod body;
mod call;
mod cors;
pub mod deno;
mod dispatch;
pub mod dotenv;
mod error;
mod function;
mod headers;
mod latency;
pub mod limits;
pub mod metrics;
mod registry;
mod response;
mod services;
pub mod settings;
mod source;
mod state;
mod upstream;
mod verify_jwt;

pub use call::Call;
pub use dispatch::router;
pub use error::FunctionError;
pub use function::Function;
pub use registry::Registry;
pub use response::FunctionResponse;
pub use services::Services;
pub use settings::Settings;
pub use state::{FunctionsState, StartError};
