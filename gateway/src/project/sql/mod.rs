//! Runs SQL that operators write, for `/v1`, `/mcp` and the dashboard: one statement or a script, with limits for time and size.
//!
//! [`statement`] and [`script`] return rows as JSON, in the form of Supabase's hosted Management API. The dashboard has its own module for
//! running scripts statement by statement, which uses the [`session`]s, [`limits`] and [`read_only`] rules of this module.

pub(crate) mod limits;
pub(crate) mod read_only;
mod script;
pub(crate) mod session;
mod statement;
mod values;

use serde_json::Value;

use self::session::SqlSession;
use super::{Project, ProjectError};

impl Project {
    /// Runs SQL and returns its rows as JSON. A script without parameters returns the rows of the last statement that returns rows.
    pub(crate) async fn run_sql(
        &self,
        sql: &str,
        parameters: &[Value],
        read_only: bool,
    ) -> Result<Value, ProjectError> {
        let _permit = self.sessions.permit().await?;
        match (read_only, parameters) {
            (true, _) => statement::run(SqlSession::read_only(&self.sessions).await?, sql, parameters, true).await,
            (false, []) => script::run(self.sessions.owner().await?, sql).await,
            (false, _) => statement::run(SqlSession::owner(&self.sessions).await?, sql, parameters, false).await,
        }
    }
}

#[cfg(test)]
mod tests;
