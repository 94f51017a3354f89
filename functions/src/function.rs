//! What a named function is.

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::body::Body;
use crate::limits::Limits;
use crate::{Call, FunctionError, FunctionResponse};

/// One named function: a type that implements this, put into the [`crate::Registry`] with what it works with.
pub trait Function: Send + Sync + 'static {
    /// What it is called with. Give it `#[serde(deny_unknown_fields)]`: a misspelt field that is silently ignored loses what the
    /// user wrote.
    type Input: DeserializeOwned + Send + 'static;

    /// The name in `/functions/v1/<name>`.
    fn name(&self) -> &'static str;

    /// The database roles that may call it; every other gets 403.
    fn roles(&self) -> &'static [&'static str];

    /// How large, how long and how often, where the configuration does not say otherwise.
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

/// A [`Function`] without its input's type.
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
