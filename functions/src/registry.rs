//! The functions this program has code for.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::body::Body;
use crate::limits::Limits;
use crate::{Answer, Call, Refusal, guest_email, judging, send_email, send_invite};

/// One named function.
///
/// To add one: a module with a type that implements this, and a line in [`Registry::standard`].
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

    /// Does it.
    fn call(&self, call: Call, input: Self::Input) -> impl Future<Output = Result<Answer, Refusal>> + Send;
}

/// A [`Function`] without its input's type.
pub(crate) trait AnyFunction: Send + Sync {
    fn roles(&self) -> &'static [&'static str];
    fn limits(&self) -> Limits;
    fn call_with<'a>(&'a self, call: Call, input: Body) -> BoxFuture<'a, Result<Answer, Refusal>>;
}

impl<F: Function> AnyFunction for F {
    fn roles(&self) -> &'static [&'static str] {
        Function::roles(self)
    }

    fn limits(&self) -> Limits {
        Function::limits(self)
    }

    fn call_with<'a>(&'a self, call: Call, input: Body) -> BoxFuture<'a, Result<Answer, Refusal>> {
        Box::pin(async move { self.call(call, input.typed()?).await })
    }
}

/// Functions by name.
#[derive(Clone, Default)]
pub struct Registry {
    functions: HashMap<&'static str, Arc<dyn AnyFunction>>,
}

impl Registry {
    /// All functions that come with the program.
    #[must_use]
    pub fn standard() -> Self {
        Self::default()
            .with(send_email::SendEmail)
            .with(send_invite::SendInvite)
            .with(judging::ValidatePassword)
            .with(judging::SetPassword)
            .with(guest_email::SendGuestEmail)
    }

    /// The same with one more.
    #[must_use]
    pub fn with(mut self, function: impl Function) -> Self {
        self.functions.insert(Function::name(&function), Arc::new(function));
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<dyn AnyFunction>> {
        self.functions.get(name)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.functions.keys()).finish()
    }
}
