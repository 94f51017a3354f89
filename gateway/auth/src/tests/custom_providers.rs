//! Tests of custom providers: /admin/custom-providers and the outbound rules. tests/client/custom_providers.test.mjs tests sign-ins with
//! custom providers.

use serde_json::Value;

use super::{Answer, Project, json};

const PATH: &str = "/admin/custom-providers";

/// Returns the request body for a custom provider whose URLs are never requested.
fn oauth2(changes: &Value) -> Value {
    let mut body = json!({
        "provider_type": "oauth2", "identifier": "custom:school", "name": "School", "client_id": "club",
        "client_secret": "their-secret", "authorization_url": "https://1.1.1.1/authorize", "token_url": "https://1.1.1.1/token",
        "userinfo_url": "https://1.1.1.1/userinfo",
    });
    for (name, value) in changes.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

async fn create(project: &Project, changes: Value) -> Answer {
    project.post(PATH, oauth2(&changes)).bearer(&project.service_key()).send().await
}

async fn change(project: &Project, changes: Value) -> Answer {
    project.put(&format!("{PATH}/custom:school"), changes).bearer(&project.service_key()).send().await
}

#[tokio::test]
async fn only_administrators_and_only_names_of_their_own() {
    let project = Project::new().await;
    let user = project.member("a@b.example").await.access_token();
    project.get(PATH).send().await.refused(401, "no_authorization");
    for call in
        [project.get(PATH), project.post(PATH, oauth2(&json!({}))), project.delete(&format!("{PATH}/custom:school"))]
    {
        call.bearer(&user).send().await.refused(403, "not_admin");
    }
    let key = project.service_key();
    for name in ["google", "custom:absent"] {
        let (status, code) =
            if name == "google" { (400, "validation_failed") } else { (404, "custom_provider_not_found") };
        let path = format!("{PATH}/{name}");
        project.get(&path).bearer(&key).send().await.refused(status, code);
        project.put(&path, json!({"name": "x"})).bearer(&key).send().await.refused(status, code);
        project.delete(&path).bearer(&key).send().await.refused(status, code);
    }
    project.get(&format!("{PATH}?type=saml")).bearer(&key).send().await.refused(400, "validation_failed");
}

#[tokio::test]
async fn what_no_provider_may_be() {
    let project = Project::new().await;
    let long = "x".repeat(3000);
    let many = vec!["x"; 101];
    for changes in [
        json!({"provider_type": "saml"}),
        json!({"identifier": ""}),
        json!({"identifier": "school"}),
        json!({"identifier": "custom:School"}),
        json!({"identifier": "custom:a b"}),
        json!({"identifier": "custom:a-"}),
        json!({"identifier": "custom:"}),
        json!({"identifier": format!("custom:{}", "x".repeat(44))}),
        json!({"name": ""}),
        json!({"name": "x".repeat(101)}),
        json!({"client_id": ""}),
        json!({"client_id": "a,b"}),
        json!({"client_id": "x".repeat(513)}),
        json!({"client_secret": ""}),
        json!({"acceptable_client_ids": ["a,b"]}),
        json!({"token_url": ""}),
        json!({"userinfo_url": ""}),
        json!({"authorization_url": ""}),
        json!({"provider_type": "oidc"}),
        json!({"scopes": many}),
        json!({"scopes": [long]}),
        json!({"custom_claims_allowlist": [" "]}),
        json!({"authorization_params": {"state": "x"}}),
        json!({"authorization_params": {"nonce": "x"}}),
        json!({"authorization_params": {"prompt": 1}}),
        json!({"attribute_mapping": {"role": "groups"}}),
        json!({"attribute_mapping": {"email_verified": true}}),
        json!({"attribute_mapping": {"app_metadata": {"admin": true}}}),
    ] {
        create(&project, changes).await.refused(400, "validation_failed");
    }
    create(&project, json!({"scopes": "email"})).await.refused(400, "bad_json");
    create(&project, json!({"name": "a\u{0}"})).await.refused(400, "bad_json");
    assert_eq!(project.count("select count(*) from auth.custom_oauth_providers").await, 0);
}

#[tokio::test]
async fn no_address_within_and_none_without_tls() {
    let project = Project::new().await;
    let outside = "https://1.1.1.1";
    for address in [
        "https",
        "http://1.1.1.1/",
        "https://127.0.0.1/",
        "https://localhost/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest",
        "https://[::1]/",
        "https://ann:secret@1.1.1.1/",
        "https://no-such-host.invalid/",
    ] {
        for field in ["authorization_url", "token_url", "userinfo_url", "jwks_uri"] {
            create(&project, json!({ field: address })).await.refused(400, "validation_failed");
        }
        let openid = json!({"provider_type": "oidc", "issuer": address});
        create(&project, openid).await.refused(400, "validation_failed");
        let openid = json!({"provider_type": "oidc", "issuer": outside, "discovery_url": address});
        create(&project, openid).await.refused(400, "validation_failed");
    }
    create(&project, json!({})).await.expect(201);
    change(&project, json!({"token_url": "https://127.0.0.1/"})).await.refused(400, "validation_failed");
    change(&project, json!({"attribute_mapping": {"role": "x"}})).await.refused(400, "validation_failed");
    // The server does not request a forbidden URL that an SQL statement stored without validation.
    project.execute("update auth.custom_oauth_providers set token_url = 'https://127.0.0.1/token'").await;
    let sent = project.get("/authorize?provider=custom:school").send().await.expect(302).location();
    let state = sent.split("state=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    let back = project.get(&format!("/callback?code=abc&state={state}")).send().await.expect(302).location();
    assert!(back.contains("error_code=validation_failed") && back.contains("private"), "{back}");
}

#[tokio::test]
async fn a_provider_is_made_changed_and_removed() {
    let project = Project::new().await;
    let key = project.service_key();
    let more = json!({
        "scopes": ["read"], "authorization_params": {"prompt": "select_account"}, "custom_claims_allowlist": ["groups"],
        "attribute_mapping": {"sub": "id"}, "acceptable_client_ids": ["app"],
    });
    let made = create(&project, more).await.expect(201);
    assert_eq!(
        (made.text("/identifier"), made.text("/token_url")),
        ("custom:school".into(), "https://1.1.1.1/token".into())
    );
    assert_eq!(
        (&made.body["pkce_enabled"], &made.body["enabled"], &made.body["email_optional"]),
        (&json!(true), &json!(true), &json!(false))
    );
    assert!(!made.body.to_string().contains("their-secret") && made.body.get("issuer").is_none());
    create(&project, json!({})).await.refused(400, "conflict");
    let stored = project.value("select to_jsonb(client_secret) from auth.custom_oauth_providers").await;
    assert!(stored.as_str().unwrap().starts_with("cloch:sealed:1:"), "{stored}");

    let sent = project.get("/authorize?provider=custom:school&scopes=&prompt=none").send().await.expect(302).location();
    assert!(sent.starts_with("https://1.1.1.1/authorize?client_id=club&"), "{sent}");
    assert!(sent.contains("scope=read&") && sent.contains("prompt=select_account") && !sent.contains("prompt=none"));
    assert!(sent.contains("code_challenge_method=S256"), "{sent}");
    let changed =
        change(&project, json!({"name": "College", "pkce_enabled": false, "scopes": ["read", "groups"]})).await;
    assert_eq!((changed.text("/name"), changed.text("/client_id")), ("College".into(), "club".into()));
    assert_eq!(project.value("select to_jsonb(client_secret) from auth.custom_oauth_providers").await, stored);
    let sent = project.get("/authorize?provider=custom:school").send().await.expect(302).location();
    assert!(sent.contains("scope=read+groups&") && !sent.contains("code_challenge"), "{sent}");

    let list = async |query: &str| project.get(&format!("{PATH}{query}")).bearer(&key).send().await.expect(200);
    assert_eq!(list("").await.text("/providers/0/identifier"), "custom:school");
    assert_eq!(list("?type=oidc").await.body["providers"], json!([]));
    change(&project, json!({"enabled": false})).await.expect(200);
    project.get("/authorize?provider=custom:school").send().await.refused(400, "validation_failed");
    let token = json!({"provider": "custom:school", "id_token": "e30.e30.x"});
    project.post("/token?grant_type=id_token", token.clone()).send().await.refused(400, "provider_disabled");
    change(&project, json!({"enabled": true})).await.expect(200);
    // A provider of type OAuth 2.0 issues no ID tokens.
    project.post("/token?grant_type=id_token", token.clone()).send().await.refused(400, "validation_failed");
    project.delete(&format!("{PATH}/custom:school")).bearer(&key).send().await.expect(204);
    project.get("/authorize?provider=custom:school").send().await.refused(400, "validation_failed");
    project.post("/token?grant_type=id_token", token).send().await.refused(400, "validation_failed");
}

#[tokio::test]
async fn two_of_one_name_at_once_are_one() {
    let project = Project::new().await;
    let answers = futures_util::future::join_all((0..5).map(|_| create(&project, json!({})))).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!(made.len(), 1);
    for answer in refused {
        answer.refused(400, "conflict");
    }
}

#[tokio::test]
async fn a_secret_of_another_key_is_not_used() {
    let project = Project::new().await;
    create(&project, json!({})).await.expect(201);
    project.execute("update auth.custom_oauth_providers set id = gen_random_uuid()").await;
    let answer = project.get("/authorize?provider=custom:school").send().await;
    assert_eq!((answer.status.as_u16(), answer.body["code"].as_str()), (500, Some("unexpected_failure")));
    change(&project, json!({"client_secret": "anew"})).await.expect(200);
    project.get("/authorize?provider=custom:school").send().await.expect(302);
}
