use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use cloch_sql::Caller;
use cloch_storage::Error;
use cloch_storage::backend::file::FileBackend;
use cloch_storage::backend::{Assembly, Backend, BlobKey, ByteStream, Content, Listed, Piece};
use cloch_storage::sweep::Swept;

use crate::support::World;

#[tokio::test]
async fn only_old_bytes_without_a_row_go() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "kept").await.ok();
    world.put("b/lost", "x").await.ok();
    world.sql("set storage.allow_delete_query = 'true'; delete from storage.objects where name = 'lost'").await;
    let unfinished = world.folder.path().join("objects/00/00000000-0000-4000-8000-000000000000.part");
    std::fs::write(unfinished, "x").unwrap();
    let young = world.try_sweep(Some(Duration::from_secs(3600))).await;
    assert_eq!(young.unwrap(), Swept::default());
    assert_eq!(world.files(), 3);
    let swept = world.sweep().await;
    assert_eq!(swept, Swept { blobs: 1, unfinished: 1, ..Swept::default() });
    assert_eq!(world.ask("GET", "/object/b/a").service().send().await.text(), "kept");
}

/// A storage backend that inserts the rows of blobs between the two checks of the periodic cleanup.
#[derive(Debug)]
struct Late {
    files: FileBackend,
    rows: tokio::sync::OnceCell<sqlx::PgPool>,
}

type Doing<'a, T> = futures_util::future::BoxFuture<'a, Result<T, Error>>;

impl Backend for Late {
    fn list(&self, after: Option<BlobKey>, limit: usize) -> Doing<'_, Vec<Listed>> {
        Box::pin(async move {
            let listed = self.files.list(after, limit).await?;
            // The periodic cleanup has now listed all blobs.
            if let (true, Some(database), Some(key)) = (listed.is_empty(), self.rows.get(), after) {
                let row = "insert into storage.objects (bucket_id, name, version) values ('b', $1, $1)";
                sqlx::query(row).bind(key.to_string()).execute(database).await.unwrap();
            }
            Ok(listed)
        })
    }

    fn delete(&self, key: BlobKey) -> Doing<'_, ()> {
        self.files.delete(key)
    }

    fn clear_unfinished(&self, before: SystemTime) -> Doing<'_, u64> {
        self.files.clear_unfinished(before)
    }

    fn put(&self, key: BlobKey, body: ByteStream) -> Doing<'_, u64> {
        self.files.put(key, body)
    }

    fn get(&self, key: BlobKey, range: Range<u64>) -> Doing<'_, Content> {
        self.files.get(key, range)
    }

    fn copy(&self, from: BlobKey, to: BlobKey) -> Doing<'_, ()> {
        self.files.copy(from, to)
    }

    fn concatenate(&self, key: BlobKey, pieces: Vec<Piece>) -> Doing<'_, u64> {
        self.files.concatenate(key, pieces)
    }

    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> Doing<'_, Assembly> {
        self.files.append(key, assembly, body)
    }

    fn assemble(&self, key: BlobKey, assembly: Assembly) -> Doing<'_, ()> {
        self.files.assemble(key, assembly)
    }

    fn abandon(&self, key: BlobKey, assembly: Assembly) -> Doing<'_, ()> {
        self.files.abandon(key, assembly)
    }
}

#[tokio::test]
async fn bytes_whose_row_is_written_meanwhile_stay() {
    let folder = tempfile::tempdir().unwrap();
    let files = FileBackend::open(folder.path()).unwrap();
    let late = Arc::new(Late { files: files.clone(), rows: tokio::sync::OnceCell::new() });
    let world = World::with_backend(late.clone()).await;
    world.bucket("b", false).await;
    let key = BlobKey::fresh();
    files.put(key, Box::pin(futures_util::stream::iter([Ok("bytes".into())]))).await.unwrap();
    late.rows.set(world.database.superuser().clone()).unwrap();
    assert_eq!(world.sweep().await.blobs, 0);
    assert_eq!(files.list(None, 10).await.unwrap().len(), 1);
    // Without a row, the blob is deleted.
    world.sql("set storage.allow_delete_query = 'true'; delete from storage.objects").await;
    let other = World::with_backend(Arc::new(files.clone())).await;
    assert_eq!(other.sweep().await.blobs, 1);
}

#[tokio::test]
async fn uploads_that_nobody_goes_on_with_expire() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let metadata = "bucketName Yg==,objectName YQ==";
    let begun =
        world.ask("POST", "/upload/resumable").service().header("tus-resumable", "1.0.0").header("upload-length", "5");
    let begun = begun.header("upload-metadata", metadata).header("content-type", "application/offset+octet-stream");
    assert_eq!(begun.body("abc").await.status, 201);
    assert_eq!(world.sweep().await, Swept::default());
    assert_eq!(world.files(), 1);
    world.sql("update cloch.storage_uploads set expires_at = now()").await;
    assert_eq!(world.sweep().await.expired_uploads, 1);
    assert_eq!(world.files(), 0);
}

#[tokio::test]
async fn functions_read_as_the_caller() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/a", "hello").await.ok();
    let anon = world.state.on_behalf_of(Caller::anon());
    assert_eq!(anon.read("b", "a", 100).await.unwrap_err().code(), "NoSuchKey");
    assert_eq!(anon.signed_path("b", "a", 60).await.unwrap_err().code(), "NoSuchKey");
    let service = world.state.on_behalf_of(Caller::service_role());
    assert_eq!(service.read("b", "a", 3).await.unwrap_err().code(), "EntityTooLarge");
    assert_eq!(&service.read("b", "a", 100).await.unwrap()[..], b"hello");
    let path = service.signed_path("b", "a", 60).await.unwrap();
    assert_eq!(world.ask("GET", &path).send().await.ok().text(), "hello");
}
