//! Adds the statements of a file to its script. Statements about extensions, settings and privileges that the server lacks are skipped.

use sqlx::PgConnection;

use super::MigrationError;
use super::extensions::{self, Available};
use super::newer_privileges::KnownPrivileges;
use super::queue_signatures::with_existing_signatures;
use super::script::Script;
use super::skipped::Skipped;
use super::unknown_settings::KnownSettings;
use super::unused_keys;
use crate::client::Connection;

/// Extensions, settings and privileges of the PostgreSQL server.
pub(super) struct Server {
    pub(super) available: Available,
    settings: KnownSettings,
    privileges: KnownPrivileges,
}

impl Server {
    pub(super) async fn read(connection: &mut PgConnection, owner: &mut Connection) -> Result<Self, MigrationError> {
        Ok(Self {
            available: Available::read(connection, owner).await?,
            settings: KnownSettings::read(owner).await?,
            privileges: KnownPrivileges::read(owner).await?,
        })
    }

    /// Adds a statement that begins at byte `at` of the file to the script. If the server lacks the extension, setting or privilege of the
    /// statement, the statement is omitted, and the missing extension is added to `skipped`. A statement about members of a skipped
    /// extension is replaced by a conditional statement, which PostgreSQL executes only if the members exist.
    pub(super) fn push(&self, script: &mut Script<'_>, statement: &str, at: usize, skipped: &mut Skipped) {
        let available = &self.available;
        if let Some(about) = extensions::Statement::read(statement) {
            for name in about.names().filter(|name| available.keeps(&about, name)) {
                tracing::warn!(
                    "database: {}: `drop extension` of {name} skipped: the extension belongs to the server and stays, the file continues",
                    script.name()
                );
            }
            let is_possible = |name: &str| available.can_be_created(name) && !available.keeps(&about, name);
            if let Some(possible) = about.about(is_possible) {
                extensions::push_as_login(script, &possible, at);
            }
            skipped.add(&about, available);
            return;
        }
        if let Some(name) = extensions::index_method(statement).filter(|name| !available.is_real(name)) {
            skipped.add_missing(name);
            return;
        }
        let Some(known) = self.privileges.known(statement, script.name()) else { return };
        let statement = known.as_ref();
        if let Some(conditional) = skipped.about_members(statement) {
            script.push(conditional, at);
            return;
        }
        if let Some(existing) = with_existing_signatures(statement) {
            script.push(existing, at);
            return;
        }
        if self.settings.skips(statement, script.name())
            || (!available.is_real("pgsodium") && unused_keys::skips(statement, script.name()))
        {
            return;
        }
        // The SQL of a migration or seed was written by the project's developers and runs as the project's owner, not as a caller.
        script.push(statement, at);
    }
}
