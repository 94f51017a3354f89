//! Tests of dynamic registration and of the administration of OAuth clients.

use super::*;

#[tokio::test]
async fn registration_is_as_the_project_allows_it() {
    let closed = Project::with(|settings| settings.oauth_server.enabled = true).await;
    let body = json!({"redirect_uris": [REDIRECT]});
    let answer = closed.post("/oauth/clients/register", body).send().await;
    answer.refused(403, "oauth_dynamic_client_registration_disabled");
    let open = project().await;
    let register = |body: Value| open.post("/oauth/clients/register", body).send();
    register(json!({})).await.oauth_refused(400, "invalid_redirect_uri");
    register(json!({"redirect_uris": ["http://app.example/cb"]})).await.oauth_refused(400, "invalid_redirect_uri");
    register(json!({"redirect_uris": ["javascript://app/%0aalert(1)"]}))
        .await
        .oauth_refused(400, "invalid_redirect_uri");
    register(json!({"redirect_uris": [REDIRECT], "logo_uri": "javascript:x"}))
        .await
        .oauth_refused(400, "invalid_client_metadata");
    register(json!({"redirect_uris": [REDIRECT], "grant_types": ["implicit"]}))
        .await
        .oauth_refused(400, "invalid_client_metadata");
    register(json!({"redirect_uris": 3})).await.oauth_refused(400, "invalid_client_metadata");
    let made =
        register(json!({"redirect_uris": [REDIRECT], "client_name": "Agent", "contacts": ["x"]})).await.expect(201);
    assert_eq!(
        (made.text("/registration_type"), made.text("/token_endpoint_auth_method")),
        ("dynamic".into(), "client_secret_basic".into())
    );
    assert_eq!(made.body["client_secret_expires_at"], 0);
}

#[tokio::test]
async fn administrators_manage_clients() {
    let project = project().await;
    let key = project.service_key();
    let user = project.member("a@b.example").await.access_token();
    project.get("/admin/oauth/clients").bearer(&user).send().await.refused(403, "not_admin");
    let bad = project.post("/admin/oauth/clients", json!({"redirect_uris": []})).bearer(&key).send().await;
    bad.refused(400, "validation_failed");
    let first = app(&project, json!({})).await;
    let public = app(&project, json!({"client_type": "public", "client_name": "Second"})).await;
    assert_eq!(public.secret, "");

    let list = project.get("/admin/oauth/clients?page=1&per_page=1").bearer(&key).send().await.expect(200);
    assert_eq!(
        (list.text("/clients/0/client_id"), &list.headers["x-total-count"]),
        (public.id.clone(), &"2".parse().unwrap())
    );
    assert!(list.headers["link"].to_str().unwrap().contains("page=2"));
    assert!(!list.body.to_string().contains("secret\""));

    let path = format!("/admin/oauth/clients/{}", first.id);
    let put = |body: Value| project.put(&path, body).bearer(&key).send();
    put(json!({})).await.refused(400, "validation_failed");
    put(json!({"token_endpoint_auth_method": "none"})).await.refused(400, "validation_failed");
    put(json!({"redirect_uris": ["https://evil.example/a,https://evil.example/b"]}))
        .await
        .refused(400, "validation_failed");
    let changed =
        put(json!({"client_name": "New", "token_endpoint_auth_method": "client_secret_post"})).await.expect(200);
    assert_eq!((changed.text("/client_name"), &changed.body["redirect_uris"]), ("New".into(), &json!([REDIRECT])));
    put(json!({"token_endpoint_auth_method": "client_secret_basic"})).await.expect(200);

    let secret =
        |id: &str| project.post(&format!("/admin/oauth/clients/{id}/regenerate_secret"), json!({})).bearer(&key).send();
    secret(&public.id).await.refused(400, "validation_failed");
    let new = secret(&first.id).await.expect(200).text("/client_secret");
    let request = |secret: &str| App { id: first.id.clone(), secret: secret.to_owned() };
    refresh(&project, &request(&first.secret), "abcdefabcdef").await.oauth_refused(401, "invalid_client");
    refresh(&project, &request(&new), "abcdefabcdef").await.oauth_refused(400, "invalid_grant");

    project.get("/admin/oauth/clients/x").bearer(&key).send().await.refused(400, "validation_failed");
    project.delete(&path).bearer(&key).send().await.expect(204);
    project.get(&path).bearer(&key).send().await.refused(404, "oauth_client_not_found");
    assert_eq!(
        project.get("/admin/oauth/clients").bearer(&key).send().await.expect(200).body["clients"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}
