//! A single call of a function, with its caller and the services that the function may use.

use std::sync::Arc;

use cloch_core::Secret;
use cloch_mail::Mailer;
use cloch_sql::caller::{AUTHENTICATED, ClientAddress};
use cloch_sql::{Caller, Database};
use reqwest::Method;

use crate::limits::{Limits, RateLimit, take, try_take};
use crate::{FunctionError, Services};

/// Calls per hour that are reserved for each client network (an IPv4 address or an IPv6 /64). A network may make them after all visitors
/// (callers without a session) together have used up the limit `visitors_hourly`.
const RESERVED_PER_NETWORK_HOURLY: u32 = 3;

/// Context of a function call, which the function's handler receives in addition to the input.
#[derive(Clone, Debug)]
pub struct Call {
    pub(crate) services: Arc<Services>,
    pub(crate) http: reqwest::Client,
    pub(crate) name: String,
    pub(crate) caller: Caller,
    pub(crate) client: Option<ClientAddress>,
    pub(crate) wants_events: bool,
}

impl Call {
    /// Returns the role and claims of the caller.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Whether the client accepts a stream of events (`Accept: text/event-stream`).
    #[must_use]
    pub fn wants_events(&self) -> bool {
        self.wants_events
    }

    /// Returns the project's database: `begin_as(call.caller())` runs queries with the caller's privileges, `admin()` with the privileges
    /// of the functions' database login.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.services().database
    }

    /// Returns the mailer, which queues mails in the outbox.
    #[must_use]
    pub fn mailer(&self) -> &Mailer {
        &self.services().mailer
    }

    /// Returns a secret from `[edge_runtime.secrets]` or from `cloch secrets set`; `None` if no secret has this name.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<&Secret> {
        self.services().settings.secret(name)
    }

    /// Creates a request to the table REST API with the caller's token. `path` is the name of a table, or `rpc/name` for an SQL function.
    pub fn rest(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let services = self.services();
        let url = format!("{}rest/v1/{path}", services.local_url);
        let request = self.http.request(method, url).header("apikey", services.api_keys.anon.expose());
        match self.caller.token() {
            Some(token) => request.bearer_auth(token.expose()),
            None => request,
        }
    }

    /// Returns the network of the client (an IPv4 address or an IPv6 /64), for rate limits. All clients with an unknown address share the
    /// network `unknown`.
    #[must_use]
    pub fn network(&self) -> String {
        self.client.map_or_else(|| "unknown".to_owned(), ClientAddress::network)
    }

    /// Returns the services of the server: settings, database, storage, keys and URLs.
    #[must_use]
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// Returns a shared pointer to the services of the server, for background tasks that continue after the call.
    #[must_use]
    pub fn shared_services(&self) -> Arc<Services> {
        Arc::clone(&self.services)
    }

    /// Returns an HTTP client for requests to the servers in the project's configuration.
    #[must_use]
    pub fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Counts this function call towards the rate limits of its caller. The service role has no limits.
    pub(crate) async fn count(&self, limits: &Limits) -> Result<(), FunctionError> {
        let database = self.database().admin();
        let name = &self.name;
        if self.caller.is_service_role() {
            return Ok(());
        }
        if let (AUTHENTICATED, Some(user)) = (self.caller.role(), self.caller.user_id()) {
            let Some(hourly) = limits.per_user_hourly else { return Ok(()) };
            return take(database, &format!("{name}/user/{user}"), RateLimit::hourly(hourly)).await;
        }
        let network = self.network();
        if let Some(hourly) = limits.per_address_hourly {
            take(database, &format!("{name}/address/{network}"), RateLimit::hourly(hourly)).await?;
        }
        let Some(hourly) = limits.visitors_hourly else { return Ok(()) };
        if try_take(database, &format!("{name}/visitors"), RateLimit::hourly(hourly)).await? {
            return Ok(());
        }
        take(database, &format!("{name}/reserved/{network}"), RateLimit::hourly(RESERVED_PER_NETWORK_HOURLY)).await
    }
}
