//! By which right an upload is written: the policies of the caller, or a signed link.

use axum::http::HeaderMap;

use super::address::UploadId;
use super::error::{Result, TusError};
use super::record::Record;
use crate::error::Error;
use crate::object::link;
use crate::object::upload::wants_upsert;
use crate::operation::Operation;
use crate::request::asking::Owner;
use crate::request::{Asking, Visitor};
use crate::rows::write::NewObject;
use crate::rules::mime::MediaType;
use crate::state::StorageState;
use crate::upload::body::header;
use crate::upload::permit::{self, trial_metadata};
use crate::visitors;

/// Whoever writes to an upload.
#[derive(Clone, Debug)]
pub(crate) struct Right {
    pub(crate) asking: Asking,
    pub(crate) owner: Owner,
    pub(crate) upsert: bool,
    by_link: bool,
}

impl Right {
    /// The right of a caller with a token.
    ///
    /// # Errors
    /// When the token is missing or bad.
    pub(crate) fn of_caller(visitor: &Visitor) -> Result<Self> {
        let asking = visitor.identified().map_err(TusError::Token)?;
        let (owner, upsert) = (asking.owner(), wants_upsert(asking.headers()));
        Ok(Self { asking, owner, upsert, by_link: false })
    }

    /// The right of whoever holds a link to the upload's key.
    ///
    /// # Errors
    /// When the link is missing, bad, or for another key.
    pub(crate) fn of_link(state: &StorageState, visitor: &Visitor, bucket: &str, object: &str) -> Result<Self> {
        let token = signature(visitor.headers())?;
        let link = link::verify_upload(state.verifier(), token, bucket, object)?;
        let owner = Owner::of(link.owner.as_deref());
        Ok(Self { asking: visitor.through_link(), owner, upsert: link.upsert, by_link: true })
    }

    /// Asks the policies, unless the link has settled it. `bytes` is how many an upload brings that begins: a visitor's must fit.
    ///
    /// # Errors
    /// What the policies say; 409 when the key is taken; 429 when the visitor's network has uploaded too much.
    pub(crate) async fn check(
        &self,
        state: &StorageState,
        operation: Operation,
        upload: &Upload<'_>,
        bytes: Option<u64>,
    ) -> Result<()> {
        if self.by_link {
            return match bytes {
                Some(bytes) => Ok(visitors::check(state, &self.asking, bytes).await?),
                None => Ok(()),
            };
        }
        let wanted = NewObject {
            bucket: &upload.id.bucket,
            name: &upload.id.object,
            owner: &self.owner,
            upsert: self.upsert,
            metadata: &trial_metadata(upload.content_type, upload.length),
            user_metadata: upload.user_metadata,
        };
        permit::ask(state, &self.asking, operation, &wanted, bytes).await?;
        Ok(())
    }

    /// Whether an upload is the caller's own: any visitor's is that of whoever knows its id.
    pub(crate) fn owns(&self, record: &Record) -> bool {
        self.by_link || self.asking.caller().is_service_role() || self.owner == record.owner
    }
}

/// What the policies may test of an upload.
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
