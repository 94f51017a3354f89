//! Tests that unsupported parameters of S3 requests are refused, because ignoring a parameter would execute another operation.

use crate::support::World;

async fn code(world: &World, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let asked = headers
        .iter()
        .fold(world.ask(method, path).signed(), |asked, (name, value)| asked.header(name, value))
        .body(body.to_owned())
        .await;
    let text = asked.text();
    let code = text.split("<Code>").nth(1).and_then(|rest| rest.split("</Code>").next());
    code.map_or_else(|| asked.status.as_str().to_owned(), str::to_owned)
}

#[tokio::test]
async fn sub_resources() {
    let world = World::new().await;
    world.bucket("b", false).await;
    for (method, path) in [
        ("DELETE", "/s3/b?ownershipControls"),
        ("DELETE", "/s3/b?publicAccessBlock"),
        ("DELETE", "/s3/b?somethingNew"),
        ("DELETE", "/s3/b?analytics&id=1"),
        ("PUT", "/s3/new?accelerate"),
        ("PUT", "/s3/b/k?renameObject"),
        ("PUT", "/s3/b/k?append&position=0"),
        ("PUT", "/s3/b/k?versionId=null"),
        ("PUT", "/s3/b/k?response-content-md5=a"),
        ("DELETE", "/s3/b?response-content-type=a"),
        ("POST", "/s3/b/k?uploads&versionId=null"),
        ("POST", "/s3/b/k?more=1&uploads"),
        ("GET", "/s3/b?policyStatus"),
    ] {
        assert_eq!(code(&world, method, path, &[], "").await, "NotImplemented", "{method} {path}");
    }
    assert_eq!(world.count("select count(*) from storage.buckets").await, 1);
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
    assert_eq!(code(&world, "PUT", "/s3/b/k?x-id=PutObject", &[], "x").await, "200");
    assert_eq!(code(&world, "PUT", "/s3/b/k?response-content-type=text%2Fplain", &[], "x").await, "200");
    for (path, status) in
        [("/s3/b/k?v=1", "200"), ("/s3/b?requestPayment", "200"), ("/s3/none?requestPayment", "NoSuchBucket")]
    {
        assert_eq!(code(&world, "GET", path, &[], "").await, status, "{path}");
    }
}

#[tokio::test]
async fn headers_and_documents() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.put("b/k", "first").await.ok();
    let append = [("x-amz-write-offset-bytes", "5")];
    assert_eq!(code(&world, "PUT", "/s3/b/k", &append, "second").await, "NotImplemented");
    assert_eq!(world.ask("GET", "/s3/b/k").signed().send().await.ok().text(), "first");
    assert_eq!(code(&world, "POST", "/s3/b?delete", &[], "<Delete></Delete>").await, "MalformedXML");
    let rule = |inner: &str| {
        format!("<LifecycleConfiguration><Rule><Status>Enabled</Status>{inner}</Rule></LifecycleConfiguration>")
    };
    for inner in [
        "<Filter><Prefixes>logs/</Prefixes></Filter><Expiration><Days>1</Days></Expiration>",
        "<Filter><Prefix>logs/</Prefix></Filter><Expiration><Days>1</Days><Unless>x</Unless></Expiration>",
        "<Except>a</Except><Expiration><Days>1</Days></Expiration>",
    ] {
        assert_eq!(code(&world, "PUT", "/s3/b?lifecycle", &[], &rule(inner)).await, "MalformedXML", "{inner}");
    }
    let known = rule("<Filter><Prefix>logs/</Prefix></Filter><Expiration><Days>1</Days></Expiration>");
    assert_eq!(code(&world, "PUT", "/s3/b?lifecycle", &[], &known).await, "200");
}

#[tokio::test]
async fn metadata_that_cannot_be_read_is_not_left_out() {
    let world = World::new().await;
    world.bucket("b", false).await;
    for metadata in ["{\"a\":1}", "bm8ganNvbg==", "W10=", "é"] {
        let asked = world.ask("POST", "/object/b/a").service().header("x-metadata", metadata);
        asked.body("x").await.refused("400", "InvalidParameter");
    }
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
    for metadata in ["", "bnVsbA==", "eyJhIjoiYj8-In0"] {
        let asked = world.ask("POST", "/object/b/a").service().header("x-metadata", metadata);
        asked.header("x-upsert", "true").body("x").await.ok();
    }
    assert_eq!(world.count("select count(*) from storage.objects where user_metadata->>'a' = 'b?>'").await, 1);
}
