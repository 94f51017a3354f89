//! Handles S3 operations on buckets.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use cloch_sql::caller::SERVICE_ROLE;

use super::request::S3Request;
use super::xml::Document;
use crate::db::buckets::{self, BucketSettings, ListBuckets};
use crate::db::transaction::set_role;
use crate::db::{iso, lifecycles, versions};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::validation::names;

/// Handles ListBuckets.
pub(crate) async fn list(request: S3Request) -> Result<Response> {
    let mut tx = request.identity.begin(request.state.database(), Operation::S3BucketList).await?;
    let wanted = ListBuckets { sort_column: Some("name"), ..ListBuckets::default() };
    let buckets = buckets::list(&mut tx, &wanted).await?;
    tx.commit().await?;
    let mut document = Document::new("ListAllMyBucketsResult");
    document.nested("Buckets", |list| {
        for bucket in &buckets {
            list.nested("Bucket", |shown| {
                shown.element("Name", &bucket.name).optional("CreationDate", bucket.created_at.map(iso));
            });
        }
    });
    Ok(document.into_response())
}

/// Handles CreateBucket.
pub(crate) async fn create(request: S3Request) -> Result<Response> {
    let name = names::valid_new_bucket(&request.path.bucket)?;
    let public = request.header("x-amz-acl") == Some("public-read");
    let settings = BucketSettings { public: Some(public), ..BucketSettings::default() };
    let mut tx = request.identity.begin(request.state.database(), Operation::S3BucketCreate).await?;
    buckets::insert(&mut tx, name, name, &request.identity.owner(), &settings).await?;
    tx.commit().await?;
    Ok((StatusCode::OK, [("location", format!("/{name}"))]).into_response())
}

/// Handles HeadBucket.
pub(crate) async fn head(request: S3Request) -> Result<Response> {
    let mut tx = request.identity.begin(request.state.database(), Operation::S3BucketHead).await?;
    buckets::get(&mut tx, &request.path.bucket).await?;
    tx.commit().await?;
    let region = request.state.settings().s3_protocol.region.clone();
    Ok((StatusCode::OK, [("x-amz-bucket-region", region)]).into_response())
}

/// Handles DeleteBucket.
pub(crate) async fn delete(request: S3Request) -> Result<Response> {
    let mut tx = request.identity.begin(request.state.database(), Operation::S3BucketDelete).await?;
    set_role(&mut tx, SERVICE_ROLE).await?;
    if !buckets::lock(&mut tx, &request.path.bucket).await? {
        return Err(Error::NoSuchBucket);
    }
    let bucket = &request.path.bucket;
    if buckets::has_objects(&mut tx, bucket).await? || versions::has_any(&mut tx, bucket).await? {
        return Err(Error::BucketNotEmpty);
    }
    lifecycles::delete(&mut tx, bucket).await?;
    set_role(&mut tx, request.identity.caller().role()).await?;
    if !buckets::delete(&mut tx, &request.path.bucket).await? {
        return Err(Error::NoSuchBucket);
    }
    tx.commit().await?;
    request.state.object_cache().invalidate_all();
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Handles GetBucketRequestPayment.
pub(crate) async fn request_payment(request: S3Request) -> Result<Response> {
    let mut tx = request.identity.begin(request.state.database(), Operation::S3BucketHead).await?;
    buckets::get(&mut tx, &request.path.bucket).await?;
    let mut document = Document::new("RequestPaymentConfiguration");
    document.element("Payer", "BucketOwner");
    Ok(document.into_response())
}

/// Handles GetBucketLocation.
pub(crate) async fn location(request: S3Request) -> Result<Response> {
    let mut tx = request.identity.begin(request.state.database(), Operation::S3BucketLocation).await?;
    buckets::get(&mut tx, &request.path.bucket).await?;
    let mut document = Document::new("LocationConstraint");
    document.content(&request.state.settings().s3_protocol.region);
    Ok(document.into_response())
}

/// Handles GetBucketVersioning.
pub(crate) async fn versioning(request: S3Request) -> Result<Response> {
    let mut tx = request.identity.begin(request.state.database(), Operation::S3BucketVersioning).await?;
    let bucket = buckets::get(&mut tx, &request.path.bucket).await?;
    let mut document = Document::new("VersioningConfiguration");
    // For a bucket without versioning, Supabase Storage also returns `Suspended`.
    let status = if bucket.versioning_status == "ENABLED" { "Enabled" } else { "Suspended" };
    document.element("Status", status).element("MfaDelete", "Disabled");
    Ok(document.into_response())
}
