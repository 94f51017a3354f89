//! Authorizes writes to a resumable upload: by the caller's RLS policies or by a signed URL.

use axum::http::HeaderMap;

use super::error::{Result, TusError};
use super::record::Record;
use super::upload_url::UploadId;
use crate::db::write_object::NewObject;
use crate::error::Error;
use crate::http_headers::header;
use crate::model::object_path::ObjectPath;
use crate::model::owner::Owner;
use crate::operation::Operation;
use crate::request::{Authenticated, MaybeAuthenticated};
use crate::signed_url;
use crate::state::StorageState;
use crate::upload::authorize::{check_policies, trial_metadata};
use crate::upload::request::wants_upsert;
use crate::upload::visitor_quota;
use crate::validation::media_type::MediaType;

/// Authorization of a request that writes to a resumable upload.
#[derive(Clone, Debug)]
pub(crate) struct Authorization {
    pub(crate) identity: Authenticated,
    pub(crate) owner: Owner,
    pub(crate) upsert: bool,
    by_signed_url: bool,
}

impl Authorization {
    /// Authorizes a write by the caller's token.
    ///
    /// # Errors
    /// If the token is missing or invalid.
    pub(crate) fn by_token(identity: &MaybeAuthenticated) -> Result<Self> {
        let identity = identity.require().map_err(TusError::Token)?;
        let (owner, upsert) = (identity.owner(), wants_upsert(identity.headers()));
        Ok(Self { identity, owner, upsert, by_signed_url: false })
    }

    /// Authorizes a write by a signed URL, whose token is in the header `x-signature`.
    ///
    /// # Errors
    /// If the token is missing, invalid, or for another object path.
    pub(crate) fn by_signed_url(
        state: &StorageState,
        identity: &MaybeAuthenticated,
        path: &ObjectPath,
    ) -> Result<Self> {
        let token = signature(identity.headers())?;
        let signed = signed_url::verify_upload(state.verifier(), token, path)?;
        let owner = Owner::of(signed.owner.as_deref());
        Ok(Self { identity: identity.by_signed_url(), owner, upsert: signed.upsert, by_signed_url: true })
    }

    /// If this request has no `x-upsert` header, applies the `x-upsert` header of the request that created the upload, because supabase-kt
    /// sends this header only when it creates an upload. The header determines whether the RLS policies are checked for an upsert or for an
    /// insert.
    pub(crate) fn of_upload(self, record: &Record) -> Self {
        let is_stated = self.by_signed_url || header(self.identity.headers(), "x-upsert").is_some();
        Self { upsert: if is_stated { self.upsert } else { record.upsert }, ..self }
    }

    /// Checks the RLS policies. An upload by a signed URL needs no check, because the policies were checked when the URL was signed.
    /// `bytes` is the size of a new upload, which must fit into the quota of a visitor (a caller without a session).
    ///
    /// # Errors
    /// Errors of policies; 409 if the object exists; 429 if the visitor's network has exceeded its upload quota.
    pub(crate) async fn check(
        &self,
        state: &StorageState,
        operation: Operation,
        upload: &Upload<'_>,
        bytes: Option<u64>,
    ) -> Result<()> {
        if self.by_signed_url {
            return match bytes {
                Some(bytes) => Ok(visitor_quota::check(state, &self.identity, bytes).await?),
                None => Ok(()),
            };
        }
        let wanted = NewObject {
            path: &upload.id.path,
            owner: &self.owner,
            upsert: self.upsert,
            metadata: &trial_metadata(upload.content_type, upload.length),
            user_metadata: upload.user_metadata,
        };
        check_policies(state, &self.identity, operation, &wanted, bytes).await?;
        Ok(())
    }

    /// Whether the caller counts as the owner of the resumable upload, who may change it. Requests by signed URL and requests of the
    /// service role always count as owner. If the upload was created without a user, every caller without a user counts as owner.
    pub(crate) fn owns(&self, record: &Record) -> bool {
        self.by_signed_url || self.identity.caller().is_service_role() || self.owner == record.owner
    }

    /// Refuses a change of a resumable upload that another user created. This applies even if the caller may upload to the same object key.
    /// In Supabase Storage, by contrast, everybody who has the URL may continue or abort an upload. The error is the same as for a
    /// violation of an RLS policy.
    ///
    /// # Errors
    /// 403 if another user created the upload.
    pub(crate) fn require_owner(&self, record: &Record) -> Result<()> {
        match self.owns(record) {
            true => Ok(()),
            false => Err(Error::AccessDenied("new row violates row-level security policy".to_owned()).into()),
        }
    }
}

/// Properties of a resumable upload that RLS policies can check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Upload<'a> {
    pub(crate) id: &'a UploadId,
    pub(crate) content_type: Option<&'a MediaType>,
    pub(crate) length: Option<u64>,
    pub(crate) user_metadata: Option<&'a serde_json::Value>,
}

impl<'a> From<&'a Record> for Upload<'a> {
    fn from(record: &'a Record) -> Self {
        Self {
            id: &record.id,
            content_type: record.content_type.as_ref(),
            length: record.length,
            user_metadata: record.user_metadata.as_ref(),
        }
    }
}

fn signature(headers: &HeaderMap) -> Result<&str> {
    header(headers, "x-signature")
        .filter(|token| !token.is_empty())
        .ok_or(TusError::Storage(Error::InvalidSignature("Missing x-signature header")))
}
