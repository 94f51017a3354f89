//! Tests conditional writes of the S3 protocol.

use futures_util::future::join_all;

use crate::multipart;
use crate::support::{Reply, World};

async fn put(world: &World, text: &str, condition: Option<(&str, &str)>) -> Reply {
    let asked = world.ask("PUT", "/s3/b/k").signed();
    let asked = condition.into_iter().fold(asked, |asked, (name, value)| asked.header(name, value));
    asked.body(text.to_owned()).await
}

#[tokio::test]
async fn a_condition_that_does_not_hold_leaves_what_is_there() {
    let world = World::new().await;
    world.bucket("b", false).await;
    assert_eq!(put(&world, "x", Some(("if-match", "\"0\""))).await.status, 404);
    assert_eq!(put(&world, "x", Some(("if-none-match", "\"0\""))).await.status, 501);
    assert_eq!(put(&world, "x", Some(("if-match", "*"))).await.status, 501);
    world.settle(0).await;
    let first = put(&world, "first", Some(("if-none-match", "*"))).await.ok().header("etag").to_owned();
    assert_eq!(put(&world, "x", Some(("if-none-match", "*"))).await.status, 412);
    assert_eq!(put(&world, "x", Some(("if-match", "\"0\""))).await.status, 412);
    let copied = world.ask("PUT", "/s3/b/k").signed().header("x-amz-copy-source", "b/k").header("if-none-match", "*");
    assert_eq!(copied.send().await.status, 412);
    assert_eq!(world.ask("GET", "/object/b/k").service().send().await.text(), "first");
    world.settle(1).await;
    put(&world, "second", Some(("if-match", &first))).await.ok();
    assert_eq!(put(&world, "x", Some(("if-match", &first))).await.status, 412);
    assert_eq!(world.ask("GET", "/object/b/k").service().send().await.text(), "second");
    world.settle(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_writers_at_once_one_wins() {
    let world = World::new().await;
    world.bucket("b", false).await;
    let mut etag = None::<String>;
    for round in 0..5 {
        let condition = match &etag {
            None => ("if-none-match", "*"),
            Some(etag) => ("if-match", etag.as_str()),
        };
        let texts: Vec<_> = (0..6).map(|writer| format!("{round} {writer}")).collect();
        let replies = join_all(texts.iter().map(|text| put(&world, text, Some(condition)))).await;
        let won: Vec<_> = replies.iter().filter(|reply| reply.status.is_success()).collect();
        assert_eq!(won.len(), 1);
        assert!(replies.iter().all(|reply| reply.status.is_success() || reply.status == 412));
        let shown = world.ask("HEAD", "/s3/b/k").signed().send().await.ok();
        assert_eq!(shown.header("etag"), won[0].header("etag"));
        etag = Some(shown.header("etag").to_owned());
    }
    world.settle(1).await;
}

#[tokio::test]
async fn a_multipart_upload_is_completed_on_condition() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/k", "old").await.ok();
    let id = multipart::begin(&world, "k").await;
    let part = multipart::part(&world, ("k", &id), 1, Ok("new")).await.ok();
    let body = format!(
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{}</ETag></Part></CompleteMultipartUpload>",
        part.header("etag")
    );
    let complete = async |name: &str, value: &str| {
        let asked = world.ask("POST", &format!("/s3/b/k?uploadId={id}")).signed();
        asked.header(name, value).body(body.clone()).await
    };
    assert_eq!(complete("if-none-match", "*").await.status, 412);
    assert_eq!(complete("if-match", "\"0\"").await.status, 412);
    assert_eq!(world.ask("GET", "/object/b/k").service().send().await.text(), "old");
    let etag = world.ask("HEAD", "/s3/b/k").signed().send().await.ok().header("etag").to_owned();
    complete("if-match", &etag).await.ok();
    assert_eq!(world.ask("GET", "/object/b/k").service().send().await.text(), "new");
}
