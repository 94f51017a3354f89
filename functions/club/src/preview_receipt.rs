//! `preview-receipt` {award, entry}: shows an administrator the receipt of an entry, composed by the code that sends it. Nothing is sent.

use std::sync::Arc;

use cloch_functions::limits::Limits;
use cloch_functions::{Call, Function, FunctionError, FunctionResponse};
use cloch_sql::caller::{AUTHENTICATED, SERVICE_ROLE};
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use crate::admin::require_admin;
use crate::mail_jobs;
use crate::settings::Recipients;

pub(crate) struct PreviewReceipt {
    pub(crate) recipients: Arc<Recipients>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    award: String,
    entry: Uuid,
}

impl Function for PreviewReceipt {
    type Input = Input;

    fn name(&self) -> &'static str {
        "preview-receipt"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        Limits { body_bytes: 4096, per_user_hourly: Some(2000), ..Limits::default() }
    }

    async fn call(&self, call: Call, input: Input) -> Result<FunctionResponse, FunctionError> {
        require_admin(&call).await?;
        let found = mail_jobs::preview_receipt(call.services(), &self.recipients, &input.award, input.entry).await?;
        let (address, receipt) = found.ok_or_else(|| {
            FunctionError::new(StatusCode::NOT_FOUND, "not_found", "There is no entry with this award and id")
        })?;
        Ok(FunctionResponse::Json(json!({
            "address": address,
            "subject": receipt.subject,
            // The text part of the mail. The HTML part has the same words.
            "body": cloch_mail::text_from_html(&receipt.html),
        })))
    }
}
