//! Finding the object that a request may read: through the policies, or past them where the bucket is public.

use std::sync::Arc;

use cloch_sql::caller::SERVICE_ROLE;

use crate::error::{Error, Result};
use crate::object::meta::Meta;
use crate::object_cache::CachedObject;
use crate::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::asking::set_role;
use crate::request::{Asking, Visitor};
use crate::rows::object::Object;
use crate::rows::{bucket, object};
use crate::rules::name;
use crate::state::StorageState;

/// An object of a public bucket, for anybody. A private bucket is as good as none.
pub(crate) async fn public(
    state: &StorageState,
    visitor: &Visitor,
    operation: Operation,
    (bucket, name): (&str, &str),
) -> Result<Object> {
    let mut tx = visitor.begin_service(state, operation).await?;
    if !bucket::get(&mut tx, bucket).await?.public {
        return Err(Error::NoSuchBucket);
    }
    object::get(&mut tx, bucket, name::valid_object(name)?).await
}

/// An object that the caller's policies show, or any object of a public bucket.
pub(crate) async fn to_caller(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    (bucket, name): (&str, &str),
) -> Result<Object> {
    let mut tx = asking.begin(state, operation).await?;
    set_role(&mut tx, SERVICE_ROLE).await?;
    if !bucket::get(&mut tx, bucket).await?.public {
        set_role(&mut tx, asking.caller().role()).await?;
    }
    object::get(&mut tx, bucket, name::valid_object(name)?).await
}

/// As [`to_caller`] for a request with a good token, else as [`public`].
pub(crate) async fn to_visitor(
    state: &StorageState,
    visitor: &Visitor,
    operation: Operation,
    at: (&str, &str),
) -> Result<Object> {
    match visitor.known() {
        Some(asking) => to_caller(state, &asking, operation, at).await,
        None => public(state, visitor, operation, at).await,
    }
}

/// Any object: for links whose token has been checked.
pub(crate) async fn to_link(
    state: &StorageState,
    visitor: &Visitor,
    operation: Operation,
    (bucket, name): (&str, &str),
) -> Result<Object> {
    let mut tx = visitor.begin_service(state, operation).await?;
    object::get(&mut tx, bucket, name).await
}

/// What is to be served of an object of a public bucket: remembered, or looked up.
pub(crate) async fn known_public(
    state: &StorageState,
    visitor: &Visitor,
    operation: Operation,
    at: (&str, &str),
) -> Result<Arc<CachedObject>> {
    let known = known(state, visitor, operation, at, true).await?;
    if known.public { Ok(known) } else { Err(Error::NoSuchBucket) }
}

/// What is to be served of any object, through a link whose token has been checked: remembered, or looked up.
pub(crate) async fn known_to_link(
    state: &StorageState,
    visitor: &Visitor,
    operation: Operation,
    at: (&str, &str),
) -> Result<Arc<CachedObject>> {
    known(state, visitor, operation, at, false).await
}

async fn known(
    state: &StorageState,
    visitor: &Visitor,
    operation: Operation,
    at: (&str, &str),
    must_be_public: bool,
) -> Result<Arc<CachedObject>> {
    let path = ObjectPath::new(at.0, at.1);
    match state.object_cache().get(&path) {
        Some(known) => Ok(known),
        // On the heap, for what is remembered needs no room for it.
        None => Box::pin(looked_up(state, visitor, operation, (at, &path), must_be_public)).await,
    }
}

async fn looked_up(
    state: &StorageState,
    visitor: &Visitor,
    operation: Operation,
    ((bucket, name), path): ((&str, &str), &ObjectPath),
    must_be_public: bool,
) -> Result<Arc<CachedObject>> {
    let read = state.object_cache().begin_read();
    let mut tx = visitor.begin_service(state, operation).await?;
    let found = bucket::find(&mut *tx, bucket).await?;
    let public = found.is_some_and(|bucket| bucket.public);
    if must_be_public && !public {
        return Err(Error::NoSuchBucket);
    }
    let object = object::get(&mut tx, bucket, name::valid_object(name)?).await?;
    let known = Arc::new(CachedObject { meta: Arc::new(Meta::of(&object)), public });
    state.object_cache().insert(read, path, &known);
    Ok(known)
}
