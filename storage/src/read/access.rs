//! Checks read access to an object. The caller's RLS policies, a public bucket or a signed URL can give this access. One extractor
//! authorizes requests for GET, HEAD, info and image rendering.

mod version;

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::{FromRequestParts, RawQuery};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};

use super::response::ResponseOptions;
use crate::db::objects::Object;
use crate::db::read_object::Decides;
use crate::db::transaction::Tx;
use crate::db::{buckets, objects, read_object};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::model::meta::Meta;
use crate::model::object_path::ObjectPath;
use crate::object_cache::CachedObject;
use crate::operation::Operation;
use crate::request::{Authenticated, MaybeAuthenticated};
use crate::signed_url::{self, SignedDownload};
use crate::state::StorageState;
use crate::validation::names;

/// Extractor for read access to the object of a request. `A` is the kind of access that the route accepts.
pub(crate) struct ReadAccess<A> {
    pub(crate) grant: ReadGrant,
    accepts: PhantomData<fn() -> A>,
}

/// A kind of read access, which a route accepts.
pub(crate) trait Access: 'static {
    /// Checks the credentials of the request, but not yet the access to the object.
    ///
    /// # Errors
    ///
    /// If credentials that the route requires are missing or invalid.
    fn right(request: Unauthorised<'_>) -> Result<Right>;
}

/// A request whose read access is not authorized yet.
pub(crate) struct Unauthorised<'a> {
    identity: MaybeAuthenticated,
    state: &'a StorageState,
    path: &'a ObjectPath,
    query: Option<&'a str>,
}

/// Access by [`ByToken`] if the request has a token, otherwise by [`Public`].
pub(crate) struct Any;
/// Access by the caller's RLS policies or because the bucket is public. Requires a token.
pub(crate) struct ByToken;
/// Access by the caller's RLS policies, even if the bucket is public. Requires a token.
pub(crate) struct ByPolicies;
/// Access because the bucket is public, for any caller.
pub(crate) struct Public;
/// Access by a signed URL.
pub(crate) struct BySignedUrl;

impl Access for Any {
    fn right(request: Unauthorised<'_>) -> Result<Right> {
        Ok(match request.identity.authenticated() {
            Some(identity) => Right::PoliciesOrPublic(identity),
            None => Right::Public(request.identity),
        })
    }
}

impl Access for ByToken {
    fn right(request: Unauthorised<'_>) -> Result<Right> {
        request.identity.require().map(Right::PoliciesOrPublic)
    }
}

impl Access for ByPolicies {
    fn right(request: Unauthorised<'_>) -> Result<Right> {
        request.identity.require().map(Right::Policies)
    }
}

impl Access for Public {
    fn right(request: Unauthorised<'_>) -> Result<Right> {
        Ok(Right::Public(request.identity))
    }
}

impl Access for BySignedUrl {
    fn right(request: Unauthorised<'_>) -> Result<Right> {
        let token = signed_url::token(request.query)?;
        let url = request.state.signed_urls().verify(&token, request.path)?;
        Ok(Right::SignedUrl(request.identity, url))
    }
}

impl<A: Access> FromRequestParts<StorageState> for ReadAccess<A> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &StorageState) -> Result<Self, Response> {
        let path = ObjectPath::from_request_parts(parts, state).await.map_err(IntoResponse::into_response)?;
        let Ok(RawQuery(query)) = RawQuery::from_request_parts(parts, state).await;
        let Ok(identity) = MaybeAuthenticated::from_request_parts(parts, state).await;
        let request = Unauthorised { identity, state, path: &path, query: query.as_deref() };
        let right = A::right(request).map_err(IntoResponse::into_response)?;
        Ok(Self { grant: ReadGrant { path, query, right }, accepts: PhantomData })
    }
}

/// The kind of read access of a request, with the caller of the request or the claims of its signed URL.
pub(crate) enum Right {
    PoliciesOrPublic(Authenticated),
    Policies(Authenticated),
    Public(MaybeAuthenticated),
    SignedUrl(MaybeAuthenticated, SignedDownload),
}

/// Operation names of a read endpoint, which RLS policies read with `storage.operation()`. Each kind of access has its own name, because
/// RLS policies can compare the name.
pub(crate) struct ReadOperations {
    pub(crate) by_token: Operation,
    pub(crate) public: Operation,
    pub(crate) signed: Operation,
}

/// A request to read an object, with its kind of read access.
pub(crate) struct ReadGrant {
    path: ObjectPath,
    query: Option<String>,
    right: Right,
}

impl ReadGrant {
    /// Creates a read grant by a caller's RLS policies, for reads that are not HTTP requests.
    pub(crate) fn by_token(path: ObjectPath, identity: Authenticated) -> Self {
        Self { path, query: None, right: Right::PoliciesOrPublic(identity) }
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        match &self.right {
            Right::PoliciesOrPublic(identity) | Right::Policies(identity) => identity.headers(),
            Right::Public(identity) | Right::SignedUrl(identity, _) => identity.headers(),
        }
    }

    pub(crate) fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// Returns the claims of the signed URL. `None` for other kinds of read access.
    pub(crate) fn signed_url(&self) -> Option<&SignedDownload> {
        match &self.right {
            Right::SignedUrl(_, url) => Some(url),
            _ => None,
        }
    }

    /// Returns the response options in the query and the signed URL of the request.
    ///
    /// # Errors
    /// If a query parameter is given more than once.
    pub(crate) fn response_options(&self) -> Result<ResponseOptions> {
        let mut fields = Fields::of_query(self.query());
        let save_as = fields.text("download");
        fields.finish()?;
        Ok(ResponseOptions { expires: self.signed_url().map(|url| url.expires.clone()), save_as })
    }

    /// Loads the metadata of an object. Uses the object cache if access does not depend on RLS policies.
    ///
    /// # Errors
    /// The same errors as [`ReadGrant::load_row`].
    pub(crate) async fn load(&self, state: &StorageState, operations: &ReadOperations) -> Result<Arc<Meta>> {
        let (identity, operation, must_be_public) = match &self.right {
            Right::Public(identity) => (identity, operations.public, true),
            Right::SignedUrl(identity, _) => (identity, operations.signed, false),
            Right::PoliciesOrPublic(_) | Right::Policies(_) => {
                let object = Box::pin(self.load_row(state, operations)).await?;
                return Ok(Arc::new(object.meta()));
            }
        };
        if self.version()?.is_some() {
            // The object cache contains only current versions, so an archived version is loaded from the database.
            return Ok(Arc::new(Box::pin(self.load_row(state, operations)).await?.meta()));
        }
        let object = match state.object_cache().get(&self.path) {
            Some(object) => object,
            // The future is boxed, so that the future of a cache hit stays small.
            None => Box::pin(self.load_into_cache(state, identity, operation, must_be_public)).await?,
        };
        if must_be_public && !object.public { Err(Error::NoSuchBucket) } else { Ok(object.meta.clone()) }
    }

    async fn load_into_cache(
        &self,
        state: &StorageState,
        identity: &MaybeAuthenticated,
        operation: Operation,
        must_be_public: bool,
    ) -> Result<Arc<CachedObject>> {
        let read = state.object_cache().begin_read();
        let mut tx = identity.begin_service(state.database(), operation).await?;
        let public = buckets::find(&mut *tx, &self.path.bucket).await?.is_some_and(|bucket| bucket.public);
        if must_be_public && !public {
            return Err(Error::NoSuchBucket);
        }
        let object = self.find(&mut tx).await?;
        let object = Arc::new(CachedObject { meta: Arc::new(object.meta()), public });
        state.object_cache().insert(read, &self.path, &object);
        Ok(object)
    }

    /// Loads an object's row from the database.
    ///
    /// # Errors
    /// [`Error::NoSuchBucket`] or [`Error::NoSuchKey`] if the object does not exist or the caller has no access to it. For public access, a
    /// private bucket counts as missing.
    pub(crate) async fn load_row(&self, state: &StorageState, operations: &ReadOperations) -> Result<Object> {
        let database = state.database();
        if let Some(version) = self.version()? {
            return self.load_version(state, operations, &version).await?.into_object();
        }
        match &self.right {
            Right::Policies(identity) => {
                let found = by_token(state, identity, operations, Decides::Policies, &self.path).await?;
                found.ok_or(Error::NoSuchKey)
            }
            Right::PoliciesOrPublic(identity) => {
                let name = names::valid_object(&self.path.name);
                // A missing bucket must be reported before an invalid object name. Therefore the query also runs if the name is invalid. In
                // this case, it searches for an empty name, which no object has.
                let path = ObjectPath::new(&self.path.bucket, *name.as_ref().unwrap_or(&""));
                let found = by_token(state, identity, operations, Decides::PoliciesOrPublic, &path).await?;
                name.and(found.ok_or(Error::NoSuchKey))
            }
            Right::Public(identity) => {
                let mut tx = identity.begin_service(database, operations.public).await?;
                if !buckets::get(&mut tx, &self.path.bucket).await?.public {
                    return Err(Error::NoSuchBucket);
                }
                self.find(&mut tx).await
            }
            Right::SignedUrl(identity, _) => {
                let mut tx = identity.begin_service(database, operations.signed).await?;
                objects::get(&mut tx, &self.path).await
            }
        }
    }

    async fn find(&self, tx: &mut Tx) -> Result<Object> {
        names::valid_object(&self.path.name)?;
        objects::get(tx, &self.path).await
    }
}

async fn by_token(
    state: &StorageState,
    identity: &Authenticated,
    operations: &ReadOperations,
    decides: Decides,
    path: &ObjectPath,
) -> Result<Option<Object>> {
    let (caller, pool) = (identity.caller(), state.database().objects());
    let settings = identity.local_settings(caller, operations.by_token);
    read_object::find(pool, &settings, caller.role(), decides, path).await
}
