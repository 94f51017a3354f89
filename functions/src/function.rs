//! The trait of a function in Rust.

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::body::Body;
use crate::limits::Limits;
use crate::{Call, FunctionError, FunctionResponse};

/// A function in Rust. A type implements this trait and is registered in the [`crate::Registry`] together with the services that the
/// function uses.
pub trait Function: Send + Sync + 'static {
    /// Type of the input. The type should have `#[serde(deny_unknown_fields)]`, because a misspelt field would otherwise be ignored.
    type Input: DeserializeOwned + Send + 'static;

    /// Returns the name of the function in the path `/functions/v1/<name>`.
    fn name(&self) -> &'static str;

    /// Returns the database roles that may call the function. Other roles get status 403.
    fn roles(&self) -> &'static [&'static str];

    /// Returns the function's default limits of size, time and rate. The configuration can override the limits.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// Handles a single call of the function.
    fn call(
        &self,
        call: Call,
        input: Self::Input,
    ) -> impl Future<Output = Result<FunctionResponse, FunctionError>> + Send;
}

/// A [`Function`] with an erased input type, so that functions with different input types can be stored together.
pub(crate) trait AnyFunction: Send + Sync {
    fn roles(&self) -> &'static [&'static str];
    fn limits(&self) -> Limits;
    fn call_with<'a>(&'a self, call: Call, input: Body) -> BoxFuture<'a, Result<FunctionResponse, FunctionError>>;
}

impl<F: Function> AnyFunction for F {
    fn roles(&self) -> &'static [&'static str] {
        Function::roles(self)
    }

    fn limits(&self) -> Limits {
        Function::limits(self)
    }

    fn call_with<'a>(&'a self, call: Call, input: Body) -> BoxFuture<'a, Result<FunctionResponse, FunctionError>> {
        Box::pin(async move { self.call(call, input.typed()?).await })
    }
}
