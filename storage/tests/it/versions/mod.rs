//! Tests of buckets with versioning.

mod access;
mod concurrency;
mod history;
mod lifecycle;
mod listing;
mod status;

use serde_json::{Value, json};

use crate::support::{Reply, World};

/// RLS policy that gives each user access to their own objects.
pub(crate) const POLICIES: &str = "create policy own on storage.objects for all to authenticated
  using (owner_id = auth.uid()::text) with check (owner_id = auth.uid()::text)";

impl World {
    pub(crate) async fn versioned(&self, name: &str) {
        let body = json!({"name": name, "versioning_status": "ENABLED"});
        self.ask("POST", "/bucket").service().json(body).await.ok();
    }

    /// Enables versioning for a bucket.
    pub(crate) async fn keep_versions(&self, name: &str) {
        let body = json!({"versioning_status": "ENABLED"});
        self.ask("PUT", &format!("/bucket/{name}")).service().json(body).await.ok();
    }

    pub(crate) async fn suspend(&self, name: &str) {
        let body = json!({"versioning_status": "SUSPENDED"});
        self.ask("PUT", &format!("/bucket/{name}")).service().json(body).await.ok();
    }

    pub(crate) async fn replace(&self, user: Option<&str>, path: &str, body: &str) -> Reply {
        let asked = self.ask("POST", &format!("/object/{path}")).header("x-upsert", "true");
        let asked = match user {
            Some(user) => asked.user(user),
            None => asked.service(),
        };
        asked.header("content-type", "text/plain").body(body.to_owned()).await
    }

    /// Permanently deletes an object version as a user. Returns the number of deleted versions.
    pub(crate) async fn discard(&self, user: &str, path: &str, version: &str) -> usize {
        let items = json!({"prefixes": [{"path": path, "versionId": version}]});
        let gone = self.ask("DELETE", "/object/b").user(user).json(items).await.ok().json();
        gone.as_array().unwrap().len()
    }

    /// Returns the result of [`World::listed`] with all versions and delete markers of the bucket `b`, as seen by a user.
    pub(crate) async fn all_of(&self, user: &str) -> Vec<(String, String, bool, bool)> {
        let options = json!({"noncurrentVersions": "include", "deleteMarkers": "include"});
        rows(&self.ask("POST", "/object/list-v2/b").user(user).json(options).await.ok().json()["objects"])
    }

    pub(crate) async fn read(&self, path: &str) -> Reply {
        self.ask("GET", path).service().send().await
    }

    pub(crate) async fn remove(&self, items: Value) -> Value {
        self.ask("DELETE", "/object/b").service().json(json!({"prefixes": items})).await.ok().json()
    }

    /// Lists the object versions of the bucket `b` with list-v2: name, version, whether current, whether a delete marker.
    pub(crate) async fn listed(&self, options: Value) -> Vec<(String, String, bool, bool)> {
        let answer = self.ask("POST", "/object/list-v2/b").service().json(options).await.ok().json();
        rows(&answer["objects"])
    }

    pub(crate) async fn all(&self) -> Vec<(String, String, bool, bool)> {
        self.listed(json!({"noncurrentVersions": "include", "deleteMarkers": "include"})).await
    }
}

pub(crate) fn rows(listed: &Value) -> Vec<(String, String, bool, bool)> {
    let row = |entry: &Value| {
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let is_current = entry["archived_at"].is_null();
        (text("name"), text("version"), is_current, entry["is_delete_marker"].as_bool().unwrap())
    };
    listed.as_array().unwrap().iter().map(row).collect()
}
