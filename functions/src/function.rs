//! The trait of a named function.

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::body::Body;
use crate::limits::Limits;
use crate::{Call, FunctionError, FunctionResponse};

/// One named function: a type that implements this trait, registered in the [`crate::Registry`] with its dependencies.
pub trait Function: Send + Sync + 'static {
    /// The input. Give it `#[serde(deny_unknown_fields)]`: a misspelt field that is silently ignored loses what the user wrote.
    type Input: DeserializeOwned + Send + 'static;

    /// The name in `/functions/v1/<name>`.
    fn name(&self) -> &'static str;

    /// The database roles that may call it; other roles get 403.
    fn roles(&self) -> &'static [&'static str];

    /// Default limits of size, time and rate, which the configuration can override.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// Handles one call.
    fn call(
        &self,
        call: Call,
        input: Self::Input,
    ) -> impl Future<Output = Result<FunctionResponse, FunctionError>> + Send;
}

/// A [`Function`] with its input type erased.
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
