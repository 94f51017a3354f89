//! Grants read access to a version of an object.

use cloch_sql::caller::SERVICE_ROLE;

use super::{ReadGrant, ReadOperations, Right};
use crate::db::buckets;
use crate::db::transaction::Tx;
use crate::db::versions::{self, NULL_VERSION, Version};
use crate::error::{Error, Result};
use crate::model::object_path::ObjectPath;
use crate::request::version_of_query;
use crate::state::StorageState;

impl ReadGrant {
    /// Returns the version id in the signed URL or, without a signed URL, in the request's query. `None` means the current version: a
    /// signed URL without a version id gives access only to the current version.
    ///
    /// # Errors
    /// If the query contains the parameter more than once.
    pub(crate) fn version(&self) -> Result<Option<String>> {
        match &self.right {
            Right::SignedUrl(_, url) => Ok(url.version.clone()),
            _ => version_of_query(self.query()),
        }
    }

    /// Loads a version of the object. If the bucket is public or the request has a signed URL, RLS policies are not checked. The same
    /// applies to current objects.
    ///
    /// # Errors
    /// The same errors as [`ReadGrant::load_row`].
    pub(crate) async fn load_version(
        &self,
        state: &StorageState,
        operations: &ReadOperations,
        version: &str,
    ) -> Result<Version> {
        let (database, path) = (state.database(), &self.path);
        match &self.right {
            Right::Policies(identity) => {
                let mut tx = identity.begin_as_service(database, operations.by_token).await?;
                versions::get(&mut tx, identity.caller().role(), path, version).await
            }
            Right::PoliciesOrPublic(identity) => {
                let mut tx = identity.begin_as_service(database, operations.by_token).await?;
                if buckets::get(&mut tx, &path.bucket).await?.public {
                    match public_version(&mut tx, path, version).await {
                        Err(Error::NoSuchKey) => {}
                        found => return found,
                    }
                }
                versions::get(&mut tx, identity.caller().role(), path, version).await
            }
            Right::Public(identity) => {
                let mut tx = identity.begin_service(database, operations.public).await?;
                if !buckets::get(&mut tx, &path.bucket).await?.public {
                    return Err(Error::NoSuchBucket);
                }
                public_version(&mut tx, path, version).await
            }
            Right::SignedUrl(identity, _) => {
                let mut tx = identity.begin_service(database, operations.signed).await?;
                versions::get(&mut tx, SERVICE_ROLE, path, version).await
            }
        }
    }
}

/// Loads an object version in a public bucket. The caller needs no permission, only the version id. Everybody can guess the version id
/// `null`. Therefore `null` gives no access to an archived version: its owner may have deleted it.
async fn public_version(tx: &mut Tx, path: &ObjectPath, version: &str) -> Result<Version> {
    let found = versions::get(tx, SERVICE_ROLE, path, version).await?;
    if version == NULL_VERSION && !found.is_current() { Err(Error::NoSuchKey) } else { Ok(found) }
}
