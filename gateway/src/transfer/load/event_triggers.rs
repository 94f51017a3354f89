//! Creates the event triggers of a dump, after everything else is loaded: an event trigger runs with each change of the schema, and its
//! function may refuse or change the statements of the load.
//!
//! The project's owner creates them, as migrations do. On the embedded server, the library `cloch_hooks` then decides in which sessions they
//! run: never in those of a superuser or of the server. An event trigger that cannot be created is left out, with the reason, and the load
//! continues.

use std::path::Path;

use sqlx::{Connection, PgConnection};
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use super::super::LeftOut;
use super::super::dump::event_triggers::{
    Enabled, EventTrigger, EventTriggers, Part, Present, commented_name, is_platforms, state_statement, superusers_own,
};
use super::{Loaded, attempt, one};
use crate::error::CommandError;

/// Classes of SQLSTATE that mean that the target database refuses an event trigger: feature not supported, invalid value, invalid object
/// definition, syntax error or access rule violation (with missing privileges, unknown command tags and unknown objects), limits, and errors
/// of PL/pgSQL.
const REFUSALS: [&str; 5] = ["0A", "22", "42", "54", "P0"];

/// Number of bytes at which a line of a dump is divided while comments are searched.
const MAX_COMMENT_BYTES: u64 = 1 << 20;

/// Event trigger of the dump that waits for the end of the load.
struct Waiting {
    trigger: EventTrigger,
    enabled: Enabled,
    owner: Option<String>,
    /// Statement that sets the comment.
    comment: Option<String>,
}

/// Event triggers of the dump, in the order of the dump.
#[derive(Default)]
pub(super) struct WaitingEventTriggers(Vec<Waiting>);

impl WaitingEventTriggers {
    /// Keeps a statement about an event trigger. If the dump does not create this event trigger, returns the statement as left out.
    pub(super) fn keep(&mut self, part: Part, statement: &str) -> Option<LeftOut> {
        let known = self.0.iter_mut().find(|waiting| waiting.trigger.name == part.name());
        match (part, known) {
            (Part::Create(trigger), None) => {
                self.0.push(Waiting { trigger, enabled: Enabled::default(), owner: None, comment: None });
            }
            (Part::Enable { enabled, .. }, Some(waiting)) => waiting.enabled = enabled,
            (Part::Owner { owner, .. }, Some(waiting)) => waiting.owner = Some(owner),
            (Part::Comment { .. }, Some(waiting)) => waiting.comment = Some(statement.to_owned()),
            (Part::Create(_), Some(_)) => {
                return Some(LeftOut::new(statement, "the dump creates an event trigger of this name already"));
            }
            (_, None) => return Some(LeftOut::new(statement, "the dump does not create this event trigger")),
        }
        None
    }

    /// Creates the event triggers as the current role, which must be the project's owner.
    ///
    /// # Errors
    /// If a statement fails for another reason than a refusal of the event trigger.
    pub(super) async fn create(self, to: &mut PgConnection, loaded: &mut Loaded) -> Result<(), CommandError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let present = EventTriggers::read(to).await?;
        for waiting in self.0 {
            let name = waiting.trigger.name.clone();
            let refusal = match waiting.refusal(&present) {
                Some(reason) => Some(reason),
                None => waiting.create(to, &present).await.map_err(|error| format!("event trigger {name}: {error}"))?,
            };
            match refusal {
                Some(reason) => loaded.left_out.push(LeftOut::new(&waiting.trigger.statement(), reason)),
                None => *loaded.objects.entry("event triggers".to_owned()).or_default() += 1,
            }
        }
        Ok(())
    }
}

impl Waiting {
    /// Returns why the event trigger is not created; `None` if the target database decides.
    fn refusal(&self, present: &EventTriggers) -> Option<String> {
        // PostgreSQL accepts no other owners than superusers. Only the libraries of Supabase and Cloch let role postgres be the owner.
        let of_superuser = || self.owner.as_deref().filter(|owner| *owner != "postgres").map(superusers_own);
        let is_other = |other: &&Present| other.trigger.name == self.trigger.name && other.trigger != self.trigger;
        let conflict = || {
            let other = present.own.iter().find(is_other)?;
            Some(format!("this database has another event trigger of this name: {}", other.trigger.statement()))
        };
        self.trigger.refusal().or_else(of_superuser).or_else(conflict)
    }

    /// Creates the event trigger, unless the target database has it already, and sets its state and comment. Returns why the target database
    /// refuses it, or `None` if it is created.
    async fn create(&self, to: &mut PgConnection, present: &EventTriggers) -> sqlx::Result<Option<String>> {
        if let Some(reason) = missing_function(to, &self.trigger).await? {
            return Ok(Some(reason));
        }
        let is_present = present.own.iter().any(|one| one.trigger == self.trigger);
        let create = (!is_present).then(|| self.trigger.statement());
        let enable = Some(state_statement(&self.trigger.name, self.enabled));
        match all_or_none(to, [create, enable, self.comment.clone()]).await {
            Ok(()) => Ok(None),
            Err(error) => match refusal_of(&error) {
                Some(message) => Ok(Some(explain(to, message).await?)),
                None => Err(error),
            },
        }
    }
}

/// Runs the statements in a savepoint. After an error, no event trigger remains that the source had disabled.
async fn all_or_none(to: &mut PgConnection, statements: [Option<String>; 3]) -> sqlx::Result<()> {
    let mut savepoint = to.begin().await?;
    for statement in statements.into_iter().flatten() {
        if let Err(error) = one(&mut savepoint, statement).await {
            savepoint.rollback().await?;
            return Err(error);
        }
    }
    savepoint.commit().await
}

/// Returns the message of an error with which the target database refuses an event trigger.
fn refusal_of(error: &sqlx::Error) -> Option<String> {
    let sqlx::Error::Database(refusal) = error else { return None };
    let code = refusal.code()?;
    REFUSALS.iter().any(|class| code.starts_with(class)).then(|| refusal.message().to_owned())
}

/// If the library `cloch_hooks` is missing, adds this fact to a message of PostgreSQL.
async fn explain(to: &mut PgConnection, message: String) -> sqlx::Result<String> {
    let may_create: bool = sqlx::query_scalar(
        "select exists (select from pg_catalog.pg_settings where name in ('cloch.privileged_role', 'supautils.privileged_role'))
             or (select rolsuper from pg_catalog.pg_roles where rolname = current_user)",
    )
    .fetch_one(to)
    .await?;
    Ok(match may_create {
        true => message,
        false => format!(
            "{message}: role postgres may create event triggers only where the server loads the library cloch_hooks (docs/role-postgres.md)"
        ),
    })
}

/// Returns the reason if the function of an event trigger is missing.
async fn missing_function(to: &mut PgConnection, trigger: &EventTrigger) -> sqlx::Result<Option<String>> {
    let is_present: bool = sqlx::query_scalar(
        "select exists (select from pg_catalog.pg_proc as p
                          join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
                         where n.nspname = $1 and p.proname = $2 and p.pronargs = 0)",
    )
    .bind(&trigger.function.0)
    .bind(&trigger.function.1)
    .fetch_one(to)
    .await?;
    Ok((!is_present).then(|| format!("its function {} is missing", trigger.function_name())))
}

/// Event triggers of the project that the target database had before the load, and that are disabled during the load.
pub(super) struct Paused(Vec<(String, Enabled)>);

impl Paused {
    /// Disables the event triggers of the project, so that they neither refuse nor change what is loaded. The current role must be the
    /// project's owner. If the load fails, the rollback of the transaction enables them.
    pub(super) async fn pause(to: &mut PgConnection) -> sqlx::Result<Self> {
        let mut paused = Vec::new();
        for Present { trigger, enabled, .. } in EventTriggers::read(to).await?.own {
            if enabled == Enabled::Disabled {
                continue;
            }
            match attempt(to, &state_statement(&trigger.name, Enabled::Disabled)).await {
                Ok(()) => paused.push((trigger.name, enabled)),
                Err(error) if refusal_of(&error).is_some() => tracing::warn!(
                    event_trigger = trigger.name,
                    %error,
                    "import: event trigger of the target database cannot be disabled, it runs with the statements of the dump"
                ),
                Err(error) => return Err(error),
            }
        }
        Ok(Self(paused))
    }

    /// Restores the former state of the event triggers. An event trigger that the load has dropped is not created again.
    pub(super) async fn resume(self, to: &mut PgConnection) -> sqlx::Result<()> {
        let left: Vec<String> = EventTriggers::read(to).await?.own.into_iter().map(|one| one.trigger.name).collect();
        for (name, enabled) in self.0.into_iter().filter(|(name, _)| left.contains(name)) {
            attempt(to, &state_statement(&name, enabled)).await?;
        }
        Ok(())
    }
}

/// Returns the event triggers that `supabase db dump` has written into a file as comments, as left out. A missing file contains none.
pub(super) async fn in_comments(file: &Path) -> std::io::Result<Vec<LeftOut>> {
    let file = match File::open(file).await {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut input = BufReader::new(file);
    let (mut line, mut found) = (Vec::new(), Vec::new());
    while (&mut input).take(MAX_COMMENT_BYTES).read_until(b'\n', &mut line).await? > 0 {
        let name = std::str::from_utf8(&line).ok().and_then(commented_name);
        if let Some(name) = name.filter(|name| !is_platforms(name)) {
            found.push(LeftOut::new(
                &format!("event trigger {name}"),
                "`supabase db dump` writes event triggers as comments: import from the database (--from), or create it yourself",
            ));
        }
        line.clear();
    }
    Ok(found)
}
