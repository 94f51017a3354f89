//! Creates a project over a test database, without functions.

use std::collections::BTreeMap;
use std::path::Path;

use cloch_core::Secret;
use cloch_sql::caller::ApiKeys;
use cloch_sql::testing::TestDatabase;
use tokio::sync::Mutex;

use super::{Project, SecretStore, Sessions};

/// Returns a project whose files are in `folder`.
pub(crate) fn project(database: &TestDatabase, folder: &Path) -> Project {
    let key = || Secret::new("a key");
    let database = database.database().clone();
    Project {
        reference: "abcdefghijklmnopqrst".to_owned(),
        name: "test".to_owned(),
        url: "http://127.0.0.1:54321".parse().unwrap(),
        api_keys: ApiKeys {
            anon: key(),
            service_role: key(),
            publishable: key(),
            secret: key(),
            issued: cloch_sql::caller::IssuedKeys::default(),
        },
        sessions: Sessions::new(database.clone(), Secret::default(), None),
        database,
        schemas: vec!["public".to_owned()],
        folder: folder.to_owned(),
        has_migrations: true,
        settings: cloch_core::Live::new(Vec::new()),
        services: Vec::new(),
        functions: None,
        function_logs: folder.join("logs"),
        secrets: Mutex::new(SecretStore {
            file: folder.join("secrets.toml"),
            of_config: BTreeMap::new(),
            has_judging_password: true,
        }),
        created_at: 0,
    }
}
