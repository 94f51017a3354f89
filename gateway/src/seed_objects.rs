//! Uploads the initial files of a project once, with requests to the storage API. The files are in seed folders. In the folder that
//! cloch.toml names with `[seed] objects`, each folder of the first level is a bucket, and the path below this folder is the object's name.
//! In a folder that config.toml names with `[storage.buckets.<name>] objects_path`, all files belong to the bucket `<name>`.

use std::path::{Path, PathBuf};

use axum::body::Body;
use cloch_core::Secret;
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::{Request, StatusCode};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use tokio_util::io::ReaderStream;

use cloch_http::{OwnRequest, Pipeline};

/// Characters that are percent-encoded in a URL's path. Slashes are not encoded, because they separate the folders of an object's name.
const PATH_ENCODE_SET: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b'{').add(b'}');

/// Uploads every file of a seed folder and returns the number of uploads. If the storage API refuses a file, only a warning is logged, so
/// that a demonstration project starts even without this file.
///
/// # Errors
/// When the folder cannot be read.
pub async fn upload(
    pipeline: &Pipeline,
    folder: &Path,
    bucket: Option<&str>,
    service_key: &Secret,
) -> std::io::Result<usize> {
    let mut uploaded = 0;
    for (path, name) in files(folder, bucket)? {
        match upload_one(pipeline, &path, &name, service_key).await {
            Ok(StatusCode::OK) => uploaded += 1,
            Ok(status) => tracing::warn!(
                file = %path.display(),
                "seed: seed file {name} refused by storage with status {status}, the file is not uploaded, continuing with the next file"
            ),
            Err(error) => {
                tracing::warn!(%error, file = %path.display(), "seed: uploading seed file {name} failed, continuing with the next file")
            }
        }
    }
    Ok(uploaded)
}

/// Returns the files below a seed folder, sorted by path, each with the text `bucket/name` of its object. If `bucket` is `None`, each
/// folder of the first level is a bucket, and files on the first level, such as a README, are skipped.
fn files(folder: &Path, bucket: Option<&str>) -> std::io::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if let Ok(name) = entry.path().strip_prefix(folder)
                && (bucket.is_some() || name.components().count() > 1)
            {
                let parts = name.iter().map(|part| part.to_string_lossy());
                let parts: Vec<_> = bucket.map(Into::into).into_iter().chain(parts).collect();
                found.push((entry.path(), parts.join("/")));
            }
        }
    }
    found.sort();
    Ok(found)
}

async fn upload_one(
    pipeline: &Pipeline,
    path: &Path,
    name: &str,
    service_key: &Secret,
) -> Result<StatusCode, Box<dyn std::error::Error + Send + Sync>> {
    let file = tokio::fs::File::open(path).await?;
    let size = file.metadata().await?.len();
    let request = Request::post(format!("/storage/v1/object/{}", utf8_percent_encode(name, PATH_ENCODE_SET)))
        .header(AUTHORIZATION, format!("Bearer {}", service_key.expose()))
        .header(CONTENT_TYPE, mime_guess::from_path(path).first_or_octet_stream().as_ref())
        .header(CONTENT_LENGTH, size)
        .header(CACHE_CONTROL, "max-age=3600")
        .extension(OwnRequest)
        .body(Body::from_stream(ReaderStream::new(file)))?;
    Ok(pipeline.handle(request).await.status())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_level_is_the_bucket() {
        let folder = std::env::temp_dir().join(format!("cloch-objects-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("bucket/a b")).unwrap();
        std::fs::write(folder.join("README.md"), "no object").unwrap();
        std::fs::write(folder.join("bucket/a b/1.txt"), "x").unwrap();
        std::fs::write(folder.join("bucket/0.txt"), "x").unwrap();
        let names = |folder: &Path, bucket: Option<&str>| -> Vec<String> {
            files(folder, bucket).unwrap().into_iter().map(|(_, name)| name).collect()
        };
        assert_eq!(names(&folder, None), ["bucket/0.txt", "bucket/a b/1.txt"]);
        assert_eq!(names(&folder.join("bucket"), Some("b")), ["b/0.txt", "b/a b/1.txt"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
