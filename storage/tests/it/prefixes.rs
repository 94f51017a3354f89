//! Tests that the configuration determines the mount point of the API, and no request header changes it.

use crate::support::World;

#[tokio::test]
async fn a_prefix_that_a_client_claims_does_not_move_a_signed_request() {
    let world = World::new().await;
    world.bucket("mine", false).await;
    world.bucket("theirs", false).await;
    world.put("theirs/secret", "secret").await.ok();
    world.put("mine/x/s3/theirs/secret", "mine").await.ok();
    let signed = "/s3/mine/x/s3/theirs/secret".parse().unwrap();
    for method in ["GET", "PUT", "DELETE"] {
        let asked = world.ask(method, "/s3/theirs/secret").signed_for(&signed);
        let refused = asked.header("x-forwarded-prefix", "/storage/v1/s3/mine/x").send().await;
        let code = refused.text().contains("<Code>SignatureDoesNotMatch</Code>");
        assert!(refused.status.as_u16() == 403 && code, "{method}: {} {}", refused.status, refused.text());
    }
    assert_eq!(world.ask("GET", "/object/theirs/secret").service().send().await.text(), "secret");
    let asked = world.ask("GET", "/s3/mine/x/s3/theirs/secret").signed();
    assert_eq!(asked.header("x-forwarded-prefix", "/elsewhere").send().await.ok().text(), "mine");
}
