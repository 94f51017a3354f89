//! Reads the file of an upload from a `multipart/form-data` body. The form fields that describe the file may come before the file, as in
//! the requests of Supabase Storage's clients, or after it.

use axum::http::header::CONTENT_TYPE;
use futures_util::{StreamExt, stream};
use multer::Field;
use tokio::sync::oneshot;

use super::request::{FileDetails, IncomingFile};
use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::request::custom_metadata;
use crate::request::multipart_form::{Form, Part};
use crate::validation::cache_control::CacheControl;
use crate::validation::media_type::MediaType;

const MAX_FIELDS: usize = 10;
const MAX_FIELD_BYTES: usize = 1024 * 1024;

/// Form fields that describe an uploaded file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FormFields {
    cache_control: Option<String>,
    metadata: Option<Vec<u8>>,
    content_type: Option<String>,
    part_type: Option<String>,
    seen: usize,
}

/// Receiver of the form fields, which are available after the whole form is read.
pub(crate) type TrailingFields = oneshot::Receiver<FormFields>;

impl FormFields {
    /// Sets the file properties that the form fields determine.
    ///
    /// # Errors
    /// If the metadata is not a JSON object or the cache control is too long.
    pub(crate) fn describe(&self, details: &mut FileDetails) -> Result<()> {
        details.cache_control = CacheControl::max_age(self.cache_control.as_deref())?;
        let content_type = self.content_type.as_deref().filter(|text| !text.is_empty());
        let mimetype = content_type.or(self.part_type.as_deref()).unwrap_or("text/plain");
        details.mimetype = MediaType::parse_or_default(mimetype);
        details.user_metadata = custom_metadata::of_json(self.metadata.as_deref())?;
        Ok(())
    }

    /// Reads a form field that is not a file.
    async fn read(&mut self, mut field: Part) -> Result<()> {
        self.seen += 1;
        if self.seen > MAX_FIELDS {
            return Err(Error::InvalidRequest("Request stream closed before upload could begin".to_owned()));
        }
        let name = field.name().unwrap_or_default().to_owned();
        let mut value = Vec::new();
        while let Some(chunk) = field.chunk().await? {
            if value.len() + chunk.len() > MAX_FIELD_BYTES {
                return Err(Error::InvalidRequest(format!("The field {name} is longer than {MAX_FIELD_BYTES} bytes")));
            }
            value.extend_from_slice(&chunk);
        }
        let text = |value: Vec<u8>| String::from_utf8_lossy(&value).into_owned();
        match name.as_str() {
            "cacheControl" => self.cache_control = Some(text(value)).filter(|text| !text.is_empty()),
            "metadata" => self.metadata = Some(value),
            "userMetadata" if self.metadata.is_none() => self.metadata = Some(value),
            "contentType" => self.content_type = Some(text(value)),
            _ => {}
        }
        Ok(())
    }
}

/// Whether a part of a form is a file: it has a file name or the media type `application/octet-stream`, which text fields do not have.
fn is_file(field: &Field<'_>) -> bool {
    field.file_name().is_some() || part_type(field).is_some_and(|kind| kind == "application/octet-stream")
}

/// Reads a form up to its file.
///
/// # Errors
/// If the form contains no file or is malformed.
pub(crate) async fn open(content_type: &str, bytes: ByteStream) -> Result<IncomingFile> {
    let mut form = Form::new(content_type, bytes)?;
    let mut fields = FormFields::default();
    let file = loop {
        let field = form.next_part().await?;
        let field = field.ok_or_else(|| Error::InvalidRequest("No content provided".to_owned()))?;
        if is_file(&field) {
            fields.part_type = part_type(&field).map(str::to_owned);
            break field;
        }
        fields.read(field).await?;
    };
    let mut details = FileDetails::default();
    fields.describe(&mut details)?;
    let (sender, trailing) = oneshot::channel();
    Ok(IncomingFile { details, bytes: bytes_of(file, form, fields, sender), trailing: Some(trailing) })
}

/// Returns the `Content-Type` header of a form part; `None` if the part has none.
fn part_type<'a>(field: &'a Field<'_>) -> Option<&'a str> {
    field.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok())
}

/// Returns the content of a file part. After the end of the file, the rest of the form is read and the form's fields are sent to `done`.
fn bytes_of(file: Part, form: Form, fields: FormFields, done: oneshot::Sender<FormFields>) -> ByteStream {
    stream::unfold(Some((file, form, fields, done)), |state| async move {
        let (mut file, form, fields, done) = state?;
        match file.chunk().await {
            Ok(Some(chunk)) => Some((Ok(chunk), Some((file, form, fields, done)))),
            Ok(None) => {
                drop(file);
                match rest_of(form, fields).await {
                    Ok(fields) => {
                        // Ignore a failure: if the upload has failed in the meantime, the receiver is already dropped.
                        let _ = done.send(fields);
                        None
                    }
                    Err(error) => Some((Err(error), None)),
                }
            }
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed()
}

async fn rest_of(mut form: Form, mut fields: FormFields) -> Result<FormFields> {
    while let Some(field) = form.next_part().await? {
        if is_file(&field) {
            return Err(Error::InvalidRequest("Only one file is taken at a time".to_owned()));
        }
        fields.read(field).await?;
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn form(parts: &[(&str, &str)]) -> ByteStream {
        let text: String = parts
            .iter()
            .map(|(head, body)| format!("--b\r\ncontent-disposition: form-data; {head}\r\n\r\n{body}\r\n"))
            .collect();
        stream::iter([Ok(Bytes::from(text + "--b--\r\n"))]).boxed()
    }

    async fn read(parts: &[(&str, &str)]) -> Result<(Vec<u8>, FileDetails)> {
        let IncomingFile { mut details, bytes, trailing } =
            open("multipart/form-data; boundary=b", form(parts)).await?;
        let chunks: Vec<Result<Bytes>> = bytes.collect().await;
        let bytes = chunks.into_iter().collect::<Result<Vec<_>>>()?.concat();
        trailing.unwrap().await.unwrap().describe(&mut details)?;
        Ok((bytes, details))
    }

    #[tokio::test]
    async fn refuses_a_form_without_a_file() {
        let error = read(&[("name=\"cacheControl\"", "3600")]).await.unwrap_err();
        assert_eq!(error.message(), "No content provided");
        let error = open("multipart/form-data", form(&[])).await.map(drop).unwrap_err();
        assert_eq!(error.message(), "Multipart: Boundary not found");
    }

    #[tokio::test]
    async fn refuses_a_form_cut_short() {
        let cut = stream::iter([Ok(Bytes::from_static(
            b"--b\r\ncontent-disposition: form-data; name=\"\"; filename=\"x\"\r\n\r\nabc",
        ))]);
        let file = open("multipart/form-data; boundary=b", cut.boxed()).await.unwrap();
        let last = file.bytes.collect::<Vec<_>>().await.pop().unwrap();
        assert_eq!(last.unwrap_err().message(), "Unexpected end of multipart data");
    }

    #[tokio::test]
    async fn fields_count_before_and_after_the_file() {
        let file = ("name=\"\"; filename=\"x\"\r\ncontent-type: image/png", "PNG");
        let cache = ("name=\"cacheControl\"", "60");
        let metadata = ("name=\"metadata\"", "{\"a\":1}");
        for parts in [[cache, metadata, file], [file, cache, metadata]] {
            let (bytes, details) = read(&parts).await.unwrap();
            assert_eq!((bytes.as_slice(), details.mimetype.as_str()), (&b"PNG"[..], "image/png"));
            assert_eq!(details.cache_control.as_str(), "max-age=60");
            assert_eq!(details.user_metadata.unwrap(), serde_json::json!({"a": 1}));
        }
    }
}
