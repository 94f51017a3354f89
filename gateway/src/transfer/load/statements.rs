//! Runs each statement of a dump, or leaves it out, depending on the rules for statements (`dump/rules.rs`).

use sqlx::PgConnection;

use super::super::LeftOut;
use super::super::dump::rules::{Decision, decide, quoted, schema_of};
use super::{Loading, Place, attempt, become_owner, one};
use crate::error::CommandError;

/// SQLSTATEs with which an optional statement ([`Decision::Try`]) may fail without aborting the load: the role lacks a privilege, an object
/// does not exist or exists already, or PostgreSQL does not support the statement.
const REFUSALS: [&str; 9] = ["42501", "42704", "42883", "42P01", "0LP01", "0A000", "22023", "42710", "3F000"];

impl Loading {
    pub(super) async fn statement(
        &mut self,
        to: &mut PgConnection,
        text: &str,
        place: &Place,
    ) -> Result<(), CommandError> {
        let failed = |error: &sqlx::Error| place.statement_error(error);
        // A dump of PostgreSQL 17 or later contains a privilege that older servers lack.
        let Some(known) = self.privileges.known(text, &place.name()) else { return Ok(()) };
        let text = known.as_ref();
        match decide(text, &self.target) {
            Decision::Run(statement) => {
                // The statement runs as a prepared statement. PostgreSQL then refuses a text with a second statement, which the rules would
                // not have checked.
                one(to, statement).await.map_err(|error| failed(&error))?;
                self.count(text);
            }
            Decision::RunPart { statement, reason } => {
                let reason = match attempt(to, &statement).await {
                    Ok(()) => reason,
                    Err(error) => refusal(&error).ok_or_else(|| failed(&error))?,
                };
                self.loaded.left_out.push(LeftOut::new(text, reason));
            }
            Decision::Try(statement) => match attempt(to, &statement).await {
                Ok(()) => self.count(text),
                Err(error) => match refusal(&error) {
                    Some(reason) => self.loaded.left_out.push(LeftOut::new(text, reason)),
                    None => return Err(failed(&error)),
                },
            },
            Decision::Extension { name, statement } => {
                self.loaded.extensions.insert(name);
                create_extension(to, &statement).await.map_err(|error| failed(&error))?;
            }
            Decision::EventTrigger(part) => self.loaded.left_out.extend(self.event_triggers.keep(part, text)),
            Decision::Skip => {}
            Decision::Refuse(reason) => return Err(place.refusal(&reason)),
            Decision::Ignore(reason) => {
                tracing::info!(
                    statement = LeftOut::new(text, "").what,
                    reason,
                    "import: statement of the dump left out, because this database does not need it (see reason)"
                );
            }
            Decision::LeaveOut(reason) => self.loaded.left_out.push(LeftOut::new(text, reason)),
        }
        Ok(())
    }

    /// Counts the object that a statement creates, if it is of a kind that `inventory.rs` counts in a database.
    fn count(&mut self, statement: &str) {
        let words: Vec<String> = statement.split_whitespace().take(4).map(str::to_ascii_lowercase).collect();
        let kind = match words.iter().map(String::as_str).filter(|word| !matches!(*word, "or" | "replace")).nth(1) {
            Some("policy") => "policies",
            Some("function" | "procedure" | "aggregate") => "functions",
            Some("trigger" | "constraint") => "triggers",
            Some("view" | "materialized" | "recursive") => "views",
            _ => return,
        };
        if words.first().is_some_and(|word| word == "create") {
            *self.loaded.objects.entry(kind.to_owned()).or_default() += 1;
        }
    }
}

fn refusal(error: &sqlx::Error) -> Option<String> {
    let sqlx::Error::Database(refusal) = error else { return None };
    let code = refusal.code()?;
    REFUSALS.contains(&code.as_ref()).then(|| refusal.message().to_owned())
}

/// Creates an extension as the login role of the connection, and not as the project's owner. On an external server, the login role may have
/// more privileges.
async fn create_extension(to: &mut PgConnection, statement: &str) -> sqlx::Result<()> {
    sqlx::raw_sql("set local role none").execute(&mut *to).await?;
    if let Some(schema) = schema_of(statement) {
        one(to, format!("create schema if not exists {}", quoted(&schema))).await?;
    }
    one(to, statement.to_owned()).await?;
    become_owner(to).await
}
