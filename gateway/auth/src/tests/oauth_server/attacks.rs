//! Tests of attacks on the OAuth server: by strangers, by other OAuth clients, and by OAuth clients that request more than the user
//! granted.

use super::*;

#[tokio::test]
async fn nothing_is_redirected_to_an_address_that_is_not_the_clients() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    for redirect in [
        "https://app.example./callback",
        "https://app.example/callback/",
        "https://app.example/callback?x=1",
        "https://app.example/callback#x",
        "https://APP.example/callback",
        "https://evil.example/callback",
        "https://app.example@evil.example/callback",
        "https://app.example/callback,https://evil.example",
        "https://app.example/callback/../evil",
    ] {
        let answer = authorize(&project, &app, &[("redirect_uri", redirect)]).await;
        answer.refused(400, "validation_failed");
    }
    authorize(&project, &app, &[("redirect_uri", "")]).await.refused(400, "validation_failed");
    authorize(&project, &app, &[("client_id", "")]).await.refused(400, "validation_failed");
    authorize(&project, &app, &[("client_id", "x")]).await.refused(400, "oauth_client_not_found");
    authorize(&project, &app, &[("client_id", &uuid::Uuid::new_v4().to_string())])
        .await
        .refused(400, "oauth_client_not_found");
    // An authorization request with a repeated parameter is refused.
    let twice = format!("/oauth/authorize?{}&redirect_uri=https%3A%2F%2Fevil.example", parameters(&app, &[]));
    project.get(&twice).send().await.refused(400, "validation_failed");
    let sent = authorize(&project, &app, &[]).await.expect(302);
    assert!(sent.headers["content-security-policy"].to_str().unwrap().contains("frame-ancestors 'none'"));
    assert_eq!(
        (&sent.headers["x-frame-options"], &sent.headers["cache-control"]),
        (&"DENY".parse().unwrap(), &"no-store".parse().unwrap())
    );
}

#[tokio::test]
async fn pkce_cannot_be_left_out_or_weakened() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let long = "n".repeat(256);
    for (changes, error) in [
        (vec![("code_challenge", ""), ("code_challenge_method", "")], "invalid_request"),
        (vec![("code_challenge_method", "")], "invalid_request"),
        (vec![("code_challenge_method", "plain")], "invalid_request"),
        (vec![("code_challenge", "short")], "invalid_request"),
        (vec![("response_type", "token")], "unsupported_response_type"),
        (vec![("response_type", "code id_token")], "unsupported_response_type"),
        (vec![("response_mode", "fragment")], "invalid_request"),
        (vec![("request", "x.y.z")], "request_not_supported"),
        (vec![("request_uri", "https://evil.example")], "request_uri_not_supported"),
        (vec![("scope", "openid admin")], "invalid_scope"),
        (vec![("resource", "https://api.example/#x")], "invalid_target"),
        (vec![("prompt", "none")], "login_required"),
        (vec![("prompt", "force")], "invalid_request"),
        (vec![("nonce", long.as_str())], "invalid_request"),
    ] {
        let location = authorize(&project, &app, &changes).await.expect(302).location();
        let answer = query(&location);
        assert!(location.starts_with(REDIRECT), "{location}");
        assert_eq!((answer["error"].as_str(), answer["state"].as_str()), (error, "s1"), "{changes:?}");
        assert_eq!(answer["iss"], project.state.issuer());
    }
    let user = project.member("a@b.example").await.access_token();
    let code = code(&project, &app, &user, &[]).await;
    for verifier in ["", "another-code-verifier-of-forty-three-characters", &challenge()] {
        exchange(&project, &app, &code, &[("code_verifier", verifier)]).await.oauth_refused(400, "invalid_grant");
    }
    exchange(&project, &app, &code, &[]).await.expect(200);
}

#[tokio::test]
async fn a_code_is_for_its_client_once_and_in_time() {
    let project = project().await;
    let (app, other) = (app(&project, json!({})).await, app(&project, json!({})).await);
    let user = project.member("a@b.example").await.access_token();
    let code = code(&project, &app, &user, &[]).await;
    // The database does not contain the authorization code itself, only its hash.
    let stored = project.value("select to_jsonb(array_agg(authorization_code)) from auth.oauth_authorizations").await;
    assert!(!stored.to_string().contains(&code));
    exchange(&project, &other, &code, &[]).await.oauth_refused(400, "invalid_grant");
    exchange(&project, &app, &code, &[("redirect_uri", "https://app.example/other")])
        .await
        .oauth_refused(400, "invalid_grant");
    exchange(&project, &app, &code, &[("resource", "https://api.example")]).await.oauth_refused(400, "invalid_target");
    let uses = futures_util::future::join_all((0..5).map(|_| exchange(&project, &app, &code, &[]))).await;
    assert!(uses.iter().filter(|answer| answer.status == 200).count() <= 1);

    // If the client sends a code a second time, the session that was created with the code ends. If another client sends the code, the
    // session remains.
    let code = super::code(&project, &app, &user, &[]).await;
    let granted = exchange(&project, &app, &code, &[]).await.expect(200);
    exchange(&project, &other, &code, &[]).await.oauth_refused(400, "invalid_grant");
    project.get("/oauth/userinfo").bearer(&granted.access_token()).send().await.expect(200);
    exchange(&project, &app, &code, &[]).await.oauth_refused(400, "invalid_grant");
    project.get("/oauth/userinfo").bearer(&granted.access_token()).send().await.refused(403, "session_not_found");
    refresh(&project, &app, &granted.refresh_token()).await.oauth_refused(400, "invalid_grant");

    let late = super::code(&project, &app, &user, &[]).await;
    project.execute("update auth.oauth_authorizations set created_at = now() - interval '20 minutes', expires_at = now() - interval '1 second'").await;
    exchange(&project, &app, &late, &[]).await.oauth_refused(400, "invalid_grant");
    exchange(&project, &app, "", &[]).await.oauth_refused(400, "invalid_request");
}

#[tokio::test]
async fn a_request_is_its_users_alone() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    let stranger = project.member("c@d.example").await.access_token();
    let request = request(&project, &app, &[]).await;
    project.get(&format!("/oauth/authorizations/{request}")).send().await.refused(401, "no_authorization");
    // Only a user who has loaded the details of an authorization request can approve it.
    decide(&project, &request, &user, "approve").await.refused(404, "oauth_authorization_not_found");
    details(&project, &request, &user).await.expect(200);
    details(&project, &request, &stranger).await.refused(404, "oauth_authorization_not_found");
    decide(&project, &request, &stranger, "approve").await.refused(404, "oauth_authorization_not_found");
    details(&project, "unknown", &user).await.refused(404, "oauth_authorization_not_found");
    let path = format!("/oauth/authorizations/{request}/consent");
    let elsewhere =
        project.post(&path, json!({"action": "approve"})).bearer(&user).header("origin", "https://evil.example");
    elsewhere.send().await.refused(400, "validation_failed");
    let here = project.post(&path, json!({"action": "approve"})).bearer(&user).header("origin", "https://club.example");
    here.send().await.expect(200);
    let late = super::request(&project, &app, &[]).await;
    project.execute("update auth.oauth_authorizations set created_at = now() - interval '20 minutes', expires_at = now() - interval '1 second'").await;
    details(&project, &late, &user).await.refused(404, "oauth_authorization_not_found");
}

#[tokio::test]
async fn clients_prove_who_they_are() {
    let project = project().await;
    let (app, other) = (app(&project, json!({})).await, app(&project, json!({})).await);
    let user = project.member("a@b.example").await.access_token();
    let granted = tokens(&project, &app, &user).await;
    let refused = async |app: &App| {
        let answer = refresh(&project, app, &granted.refresh_token()).await;
        answer.oauth_refused(401, "invalid_client")
    };
    let answer = refused(&App { id: app.id.clone(), secret: "wrong".into() }).await;
    assert!(answer.headers["www-authenticate"].to_str().unwrap().starts_with("Basic"));
    refused(&App { id: app.id.clone(), secret: String::new() }).await;
    refused(&App { id: uuid::Uuid::new_v4().to_string(), secret: "x".into() }).await;
    refused(&App { id: "x".into(), secret: "x".into() }).await;
    refused(&App { id: app.id.clone(), secret: other.secret.clone() }).await;
    // A client that registered for authentication in the header cannot send its secret in the body.
    let in_body = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_secret", app.secret.as_str())];
    post(&project, "/oauth/token", &App { id: app.id.clone(), secret: String::new() }, &in_body)
        .await
        .oauth_refused(401, "invalid_client");
    // Refresh tokens of another client and of the user's own session are refused.
    refresh(&project, &other, &granted.refresh_token()).await.oauth_refused(400, "invalid_grant");
    project.refresh(&granted.refresh_token()).await.oauth_refused(400, "invalid_client");
    let own = project.sign_in("a@b.example", "correct horse").await.expect(200).refresh_token();
    refresh(&project, &app, &own).await.oauth_refused(400, "invalid_grant");
    refresh(&project, &app, &granted.refresh_token()).await.expect(200);
    post(&project, "/oauth/token", &app, &[]).await.oauth_refused(400, "invalid_request");
    post(&project, "/oauth/token", &app, &[("grant_type", "password")])
        .await
        .oauth_refused(400, "unsupported_grant_type");
    post(&project, "/oauth/token", &app, &[("grant_type", "x"), ("grant_type", "y")])
        .await
        .oauth_refused(400, "invalid_request");
}

#[tokio::test]
async fn a_refresh_token_that_comes_again_ends_the_session() {
    let project = Project::with(|settings| {
        settings.oauth_server.enabled = true;
        settings.refresh_token_reuse_interval = 0;
    })
    .await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    let first = tokens(&project, &app, &user).await.refresh_token();
    let second = refresh(&project, &app, &first).await.expect(200).refresh_token();
    let third = refresh(&project, &app, &second).await.expect(200).refresh_token();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    refresh(&project, &app, &first).await.oauth_refused(400, "invalid_grant");
    refresh(&project, &app, &third).await.oauth_refused(400, "invalid_grant");
}

/// An OAuth client can act on its user's data, but cannot change how the user signs in, and cannot grant permissions.
#[tokio::test]
async fn a_client_is_not_its_user() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    let granted = tokens(&project, &app, &user).await;
    let client = granted.access_token();
    project.get("/user").bearer(&client).send().await.expect(200);
    let request = request(&project, &app, &[("prompt", "consent")]).await;
    details(&project, &request, &client).await.refused(403, "no_authorization");
    decide(&project, &request, &client, "approve").await.refused(403, "no_authorization");
    project
        .put("/user", json!({"password": "battery staple"}))
        .bearer(&client)
        .send()
        .await
        .refused(403, "no_authorization");
    project
        .post("/factors", json!({"factor_type": "totp"}))
        .bearer(&client)
        .send()
        .await
        .refused(403, "no_authorization");
    project.get("/user/oauth/grants").bearer(&client).send().await.refused(403, "no_authorization");
    project.get("/reauthenticate").bearer(&client).send().await.refused(403, "no_authorization");
    // POST /logout by an OAuth client ends only the client's own session, even if the request contains `scope=global`.
    project.post("/logout?scope=global", json!({})).bearer(&client).send().await.expect(204);
    project.get("/user").bearer(&user).send().await.expect(200);
    refresh(&project, &app, &granted.refresh_token()).await.oauth_refused(400, "invalid_grant");
}

/// The auth API does not accept an ID token as an access token: an ID token only identifies the user to an application.
#[tokio::test]
async fn an_id_token_is_no_access_token() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    let id_token = tokens(&project, &app, &user).await.text("/id_token");
    assert!(project.verifier.verify(&id_token).is_err());
    project.get("/user").bearer(&id_token).send().await.refused(403, "bad_jwt");
    project.get("/oauth/userinfo").bearer(&id_token).send().await.refused(403, "bad_jwt");
}

#[tokio::test]
async fn banned_users_and_deleted_clients_get_nothing() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let session = project.member("a@b.example").await;
    let user = session.access_token();
    let code = code(&project, &app, &user, &[]).await;
    let path = format!("/admin/users/{}", session.text("/user/id"));
    let ban =
        |duration: &str| project.put(&path, json!({"ban_duration": duration})).bearer(&project.service_key()).send();
    ban("1h").await.expect(200);
    exchange(&project, &app, &code, &[]).await.oauth_refused(400, "invalid_grant");
    ban("none").await.expect(200);
    let granted = exchange(&project, &app, &code, &[]).await.expect(200);
    ban("1h").await.expect(200);
    refresh(&project, &app, &granted.refresh_token()).await.oauth_refused(400, "invalid_grant");
    ban("none").await.expect(200);
    let client = format!("/admin/oauth/clients/{}", app.id);
    project.delete(&client).bearer(&project.service_key()).send().await.expect(204);
    refresh(&project, &app, &granted.refresh_token()).await.oauth_refused(401, "invalid_client");
    project.get("/oauth/userinfo").bearer(&granted.access_token()).send().await.refused(403, "session_not_found");
    authorize(&project, &app, &[]).await.refused(400, "oauth_client_not_found");
}

#[tokio::test]
async fn a_flood_of_registrations_and_requests_ends() {
    let project = Project::set_up(
        |settings| {
            settings.oauth_server.enabled = true;
            settings.oauth_server.allow_dynamic_registration = true;
        },
        true,
    )
    .await;
    let register = |from: &'static str| {
        project.post("/oauth/clients/register", json!({"redirect_uris": [REDIRECT]})).from(from).send()
    };
    for _ in 0..10 {
        register("192.0.2.7").await.expect(201);
    }
    register("192.0.2.7").await.refused(429, "over_request_rate_limit");
    let made = register("198.51.100.1").await.expect(201);
    let app = App { id: made.text("/client_id"), secret: made.text("/client_secret") };
    for _ in 0..100 {
        authorize(&project, &app, &[]).await.expect(302);
    }
    authorize(&project, &app, &[]).await.refused(429, "over_request_rate_limit");

    // OAuth clients that no user has used are deleted after some days.
    project.execute("update auth.oauth_clients set created_at = now() - interval '8 days'; delete from auth.oauth_authorizations").await;
    crate::cleanup::once(&project.state).await.unwrap();
    assert_eq!(project.count("select count(*) from auth.oauth_clients").await, 0);
}
