//! Responses to S3 operations that may take minutes. Clients close a connection after about a minute without data. If the result is not
//! available after [`KEEP_ALIVE_INTERVAL`], the response starts without the result, as with Amazon S3: status 200, white space at regular
//! intervals, and finally the XML document, which may contain an error. The operation continues if the client disconnects.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{Stream, stream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::xml::{self, Document};
use crate::error::{Error, Result};

/// Time after which white space is sent if no data was sent on the connection.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);

/// Runs `work` and responds with the XML document that `work` returns. `resource` is the `Resource` element of an error document.
pub(crate) async fn respond<W>(resource: String, work: W) -> Result<Response>
where
    W: Future<Output = Result<Document>> + Send + 'static,
{
    let mut working = tokio::spawn(work);
    match timeout(KEEP_ALIVE_INTERVAL, &mut working).await {
        Ok(done) => Ok(done.map_err(panicked)??.into_response()),
        Err(_) => {
            Ok(([(CONTENT_TYPE, xml::CONTENT_TYPE_XML)], Body::from_stream(keep_alive(working, resource)))
                .into_response())
        }
    }
}

fn panicked(source: tokio::task::JoinError) -> Error {
    Error::Internal { context: "running a long S3 operation", source: source.into() }
}

/// Streams the XML declaration, one space per [`KEEP_ALIVE_INTERVAL`] until the result is available, and finally the document.
fn keep_alive(working: JoinHandle<Result<Document>>, resource: String) -> impl Stream<Item = Result<Bytes>> {
    let begun = stream::iter([Ok(Bytes::from_static(xml::DECLARATION.as_bytes()))]);
    let rest = stream::unfold(Some((working, resource)), |state| async move {
        let (mut working, resource) = state?;
        let Ok(done) = timeout(KEEP_ALIVE_INTERVAL, &mut working).await else {
            return Some((Ok(Bytes::from_static(b" ")), Some((working, resource))));
        };
        let document = done.map_err(panicked).flatten().unwrap_or_else(|error| {
            error.log();
            xml::error(&resource, &error)
        });
        Some((Ok(document.without_declaration().into()), None))
    });
    futures_util::StreamExt::chain(begun, rest)
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use axum::http::StatusCode;
    use serde::Deserialize;
    use tokio::time::sleep;

    use super::*;

    async fn text(response: Response) -> String {
        String::from_utf8(to_bytes(response.into_body(), 10_000).await.unwrap().to_vec()).unwrap()
    }

    fn done() -> Document {
        let mut document = Document::new("CompleteMultipartUploadResult");
        document.element("Key", "k");
        document
    }

    #[tokio::test(start_paused = true)]
    async fn a_quick_failure_keeps_its_status() {
        let refused = respond("b/k".to_owned(), async { Err(Error::NoSuchUpload) }).await;
        assert!(matches!(refused, Err(Error::NoSuchUpload)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_failure_is_in_the_body() {
        let response = respond("b/k".to_owned(), async {
            sleep(KEEP_ALIVE_INTERVAL * 3).await;
            Err(Error::NoSuchUpload)
        });
        let response = response.await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        #[derive(Deserialize)]
        struct Failure {
            #[serde(rename = "Code")]
            code: String,
        }
        assert_eq!(xml::read::<Failure>(text(response).await.as_bytes()).unwrap().code, "NoSuchUpload");
    }

    #[tokio::test(start_paused = true)]
    async fn white_space_keeps_the_connection_alive_until_the_result_is_there() {
        let quick = text(respond(String::new(), async { Ok(done()) }).await.unwrap()).await;
        let late = async {
            sleep(KEEP_ALIVE_INTERVAL * 3 + KEEP_ALIVE_INTERVAL / 2).await;
            Ok(done())
        };
        let late = text(respond(String::new(), late).await.unwrap()).await;
        assert_eq!(late, quick.replace("?>", "?>  "));
    }

    #[tokio::test(start_paused = true)]
    async fn the_work_goes_on_when_the_client_leaves() {
        let (ended, finished) = tokio::sync::oneshot::channel();
        let work = async move {
            sleep(KEEP_ALIVE_INTERVAL * 3).await;
            let _ = ended.send(());
            Ok(done())
        };
        drop(respond(String::new(), work).await.unwrap());
        finished.await.unwrap();
    }
}
