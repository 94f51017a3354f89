//! Functions: `/functions/v1`.
//!
//! A [`Function`] is one module with a name, typed input and a handler. The [`router`] looks up the name, checks the project's config.toml,
//! counts the call, reads the body and calls the handler. A function without code here may have an upstream: the call is forwarded with the
//! caller's verified claims. A project's own functions, in TypeScript, run in [`deno`].
//!
//! This crate is the runtime only: the code that builds the [`Registry`] decides which functions in Rust exist.

mod body;
mod call;
mod cors;
pub mod deno;
mod dispatch;
pub mod dotenv;
mod error;
mod function;
mod headers;
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
