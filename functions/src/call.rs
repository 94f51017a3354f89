//! One call of a function: who calls, and what the function may use.

use cloch_mail::Mailer;
use cloch_sql::caller::ClientAddress;
use cloch_sql::{Caller, Database, Secret};
use postgrest::Postgrest;

use crate::settings::Options;
use crate::state::{FunctionsState, Services};

/// What a handler gets besides its input.
#[derive(Clone, Debug)]
pub struct Call {
    pub(crate) state: FunctionsState,
    pub(crate) name: String,
    pub(crate) caller: Caller,
    pub(crate) client: Option<ClientAddress>,
    pub(crate) wants_events: bool,
}

impl Call {
    /// Who calls.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Whether the client asked for the answer in pieces (`Accept: text/event-stream`).
    #[must_use]
    pub fn wants_events(&self) -> bool {
        self.wants_events
    }

    /// The database: `begin_as(call.caller())` for what the caller may, `admin()` for what only the function may.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.services().database
    }

    /// The mailer.
    #[must_use]
    pub fn mailer(&self) -> &Mailer {
        &self.services().mailer
    }

    /// A secret of `[edge_runtime.secrets]`.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<&Secret> {
        self.services().settings.secret(name)
    }

    /// The table REST as the caller: what this client may see and change, the caller may.
    #[must_use]
    pub fn rest(&self) -> Postgrest {
        let services = self.services();
        let client = Postgrest::new(format!("{}rest/v1", services.local_url))
            .insert_header("apikey", services.api_keys.anon.expose());
        match self.caller.token() {
            Some(token) => client.insert_header("authorization", format!("Bearer {}", token.expose())),
            None => client,
        }
    }

    /// What the project's configuration says of this function.
    #[must_use]
    pub fn options(&self) -> &Options {
        static NONE: std::sync::LazyLock<Options> = std::sync::LazyLock::new(Options::default);
        self.services().settings.functions.get(&self.name).map_or(&NONE, |declared| &declared.options)
    }

    /// The client's network, for counting; all clients without a known address are one.
    #[must_use]
    pub fn network(&self) -> String {
        self.client.map_or_else(|| "unknown".to_owned(), ClientAddress::network)
    }

    pub(crate) fn services(&self) -> &Services {
        &self.state.services
    }

    /// Whether the caller administers the club: the database's own rule, asked as the caller. The service key is the project's
    /// own server.
    ///
    /// # Errors
    /// When the database does not answer.
    pub(crate) async fn is_admin(&self) -> Result<bool, crate::Refusal> {
        if self.caller.is_service_role() {
            return Ok(true);
        }
        if self.caller.role() != cloch_sql::caller::AUTHENTICATED {
            return Ok(false);
        }
        let mut transaction = self.database().begin_as(&self.caller).await?;
        let is_admin =
            sqlx::query_scalar!(r#"select club.is_admin() as "is_admin!""#).fetch_one(&mut *transaction).await?;
        Ok(is_admin)
    }

    /// Goes on only for an administrator.
    ///
    /// # Errors
    /// 403 for everyone else.
    pub(crate) async fn require_admin(&self) -> Result<(), crate::Refusal> {
        match self.is_admin().await? {
            true => Ok(()),
            false => Err(crate::Refusal::forbidden("Only an administrator may do this")),
        }
    }
}
