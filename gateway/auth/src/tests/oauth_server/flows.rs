//! Tests of successful OAuth flows: consent, tokens, claims, refresh, userinfo, grants, discovery.

use super::*;

#[tokio::test]
async fn a_server_that_is_off_says_so() {
    let project = Project::new().await;
    let user = project.member("a@b.example").await.access_token();
    for path in ["/oauth/authorize?client_id=x", "/oauth/userinfo", "/.well-known/oauth-authorization-server"] {
        project.get(path).send().await.refused(404, "feature_disabled");
    }
    project.post("/oauth/token", json!({})).send().await.refused(404, "feature_disabled");
    project.get("/user/oauth/grants").bearer(&user).send().await.refused(404, "feature_disabled");
    project.get("/admin/oauth/clients").bearer(&project.service_key()).send().await.refused(404, "feature_disabled");
    // With the OAuth server disabled, the discovery document still contains the URL of the public keys, for programs that verify tokens.
    let document = project.get("/.well-known/openid-configuration").send().await.expect(200);
    assert!(document.text("/jwks_uri").ends_with("/auth/v1/.well-known/jwks.json"));
}

#[tokio::test]
async fn a_user_signs_in_to_an_application() {
    let project = project().await;
    let app = app(&project, json!({"client_uri": "https://app.example"})).await;
    let session = project.member("a@b.example").await;
    let (user, id) = (session.access_token(), session.text("/user/id"));
    let request = request(&project, &app, &[]).await;
    let shown = details(&project, &request, &user).await.expect(200);
    assert_eq!(shown.body["client"], json!({"id": app.id, "name": "App", "uri": "https://app.example"}));
    assert_eq!((shown.text("/scope"), shown.text("/user/id")), ("openid email".into(), id.clone()));
    let address = decide(&project, &request, &user, "approve").await.expect(200).text("/redirect_url");
    let answer = query(&address);
    assert_eq!((answer["state"].as_str(), answer["iss"].as_str()), ("s1", project.state.issuer()));

    let granted = exchange(&project, &app, &answer["code"], &[("redirect_uri", REDIRECT)]).await.expect(200);
    assert_eq!((granted.text("/token_type"), granted.text("/scope")), ("bearer".into(), "openid email".into()));
    assert_eq!((granted.headers["cache-control"].to_str().unwrap(), granted.body.get("user")), ("no-store", None));
    let caller = project.verifier.verify(&granted.access_token()).unwrap();
    assert_eq!((caller.role(), caller.claim("client_id")), ("authenticated", Some(app.id.as_str())));
    assert_eq!(caller.claims()["amr"][0]["method"], "oauth_provider/authorization_code");
    let claims = project.verifier.claims(&granted.text("/id_token")).unwrap();
    assert_eq!((&claims["aud"], &claims["sub"], &claims["nonce"]), (&json!([app.id]), &json!(id), &json!("n1")));
    assert_eq!(
        (&claims["email"], &claims["email_verified"], claims.get("name")),
        (&json!("a@b.example"), &json!(true), None)
    );
    assert_eq!(jsonwebtoken::decode_header(granted.text("/id_token")).unwrap().alg, jsonwebtoken::Algorithm::ES256);

    let info = project.get("/oauth/userinfo").bearer(&granted.access_token()).send().await.expect(200);
    assert_eq!(info.body, json!({"sub": id, "email": "a@b.example", "email_verified": true}));
    let next = refresh(&project, &app, &granted.refresh_token()).await.expect(200);
    assert_ne!(next.refresh_token(), granted.refresh_token());
    assert_eq!(project.verifier.verify(&next.access_token()).unwrap().claim("client_id"), Some(app.id.as_str()));

    // The OAuth client's session did not count as a sign-in of the user. The next authorization request requires no consent.
    assert_eq!(project.count("select count(*) from cloch.sign_in_networks").await, 1);
    let again = super::request(&project, &app, &[]).await;
    assert!(details(&project, &again, &user).await.expect(200).text("/redirect_url").contains("code="));
    // The user must consent again if the client requests more scopes, or if the request contains `prompt=consent`.
    for changes in [[("scope", "openid phone")], [("prompt", "consent")]] {
        let request = super::request(&project, &app, &changes).await;
        assert_eq!(details(&project, &request, &user).await.expect(200).body.get("redirect_url"), None);
    }
}

#[tokio::test]
async fn a_public_client_has_no_secret_and_needs_its_verifier() {
    let project = project().await;
    let metadata = json!({"client_name": "Agent", "redirect_uris": ["http://127.0.0.1:7777/cb"], "token_endpoint_auth_method": "none"});
    let made = project.post("/oauth/clients/register", metadata).send().await.expect(201);
    assert_eq!((made.body.get("client_secret"), made.text("/client_type")), (None, "public".into()));
    let app = App { id: made.text("/client_id"), secret: String::new() };
    let user = project.member("a@b.example").await.access_token();
    let local = [("redirect_uri", "http://127.0.0.1:7777/cb")];
    for _ in 0..2 {
        // The redirect URI is a loopback address, on which another program may listen, so the user must consent each time.
        let request = request(&project, &app, &local).await;
        assert_eq!(details(&project, &request, &user).await.expect(200).body.get("redirect_url"), None);
        let address = decide(&project, &request, &user, "approve").await.expect(200).text("/redirect_url");
        let code = query(&address)["code"].clone();
        exchange(&project, &app, &code, &[("code_verifier", "")]).await.oauth_refused(400, "invalid_grant");
        let granted = exchange(&project, &app, &code, &[]).await.expect(200);
        refresh(&project, &app, &granted.refresh_token()).await.expect(200);
    }
}

/// A native app listens on a port that the operating system chooses (RFC 8252, section 7.3). The exchange of the code must name the redirect
/// URI of the request, with its port.
#[tokio::test]
async fn a_native_app_has_any_port_at_the_loopback_address() {
    let project = project().await;
    let metadata = json!({"redirect_uris": ["http://127.0.0.1/cb"], "token_endpoint_auth_method": "none"});
    let made = project.post("/oauth/clients/register", metadata).send().await.expect(201);
    let app = App { id: made.text("/client_id"), secret: String::new() };
    for wrong in ["http://127.0.0.1:49152/other", "http://127.0.0.1:49152@evil.example/cb", "http://localhost:49152/cb"]
    {
        authorize(&project, &app, &[("redirect_uri", wrong)]).await.refused(400, "validation_failed");
    }
    let user = project.member("a@b.example").await.access_token();
    let own = "http://127.0.0.1:49152/cb";
    let request = request(&project, &app, &[("redirect_uri", own)]).await;
    assert_eq!(details(&project, &request, &user).await.expect(200).body.get("redirect_url"), None);
    let address = decide(&project, &request, &user, "approve").await.expect(200).text("/redirect_url");
    assert!(address.starts_with("http://127.0.0.1:49152/cb?code="), "{address}");
    let code = query(&address)["code"].clone();
    for other in ["http://127.0.0.1/cb", "http://127.0.0.1:49153/cb"] {
        exchange(&project, &app, &code, &[("redirect_uri", other)]).await.oauth_refused(400, "invalid_grant");
    }
    exchange(&project, &app, &code, &[("redirect_uri", own)]).await.expect(200);
}

#[tokio::test]
async fn a_user_denies() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    let request = request(&project, &app, &[]).await;
    details(&project, &request, &user).await.expect(200);
    decide(&project, &request, &user, "maybe").await.refused(400, "validation_failed");
    let answer = query(&decide(&project, &request, &user, "deny").await.expect(200).text("/redirect_url"));
    assert_eq!((answer["error"].as_str(), answer["state"].as_str()), ("access_denied", "s1"));
    decide(&project, &request, &user, "approve").await.refused(400, "validation_failed");
    assert_eq!(project.get("/user/oauth/grants").bearer(&user).send().await.expect(200).body, json!([]));
}

#[tokio::test]
async fn grants_are_listed_and_revoked() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    let granted = tokens(&project, &app, &user).await;
    let list = project.get("/user/oauth/grants").bearer(&user).send().await.expect(200);
    assert_eq!((list.text("/0/client/id"), &list.body[0]["scopes"]), (app.id.clone(), &json!(["openid", "email"])));
    let path = format!("/user/oauth/grants?client_id={}", app.id);
    let stranger = project.member("c@d.example").await.access_token();
    project.delete(&path).bearer(&stranger).send().await.refused(404, "oauth_consent_not_found");
    project.delete("/user/oauth/grants").bearer(&user).send().await.refused(400, "validation_failed");
    project.delete(&path).bearer(&user).send().await.expect(204);
    project.get("/oauth/userinfo").bearer(&granted.access_token()).send().await.refused(403, "session_not_found");
    refresh(&project, &app, &granted.refresh_token()).await.oauth_refused(400, "invalid_grant");
    let request = request(&project, &app, &[]).await;
    assert_eq!(details(&project, &request, &user).await.expect(200).body.get("redirect_url"), None);
}

#[tokio::test]
async fn tokens_are_revoked_by_their_client() {
    let project = project().await;
    let (app, other) = (app(&project, json!({})).await, app(&project, json!({})).await);
    let user = project.member("a@b.example").await.access_token();
    for kind in ["/refresh_token", "/access_token"] {
        let granted = tokens(&project, &app, &user).await;
        let token = granted.text(kind);
        post(&project, "/oauth/revoke", &other, &[("token", &token)]).await.expect(200);
        project.get("/oauth/userinfo").bearer(&granted.access_token()).send().await.expect(200);
        post(&project, "/oauth/revoke", &app, &[("token", &token)]).await.expect(200);
        project.get("/oauth/userinfo").bearer(&granted.access_token()).send().await.refused(403, "session_not_found");
        refresh(&project, &app, &granted.refresh_token()).await.oauth_refused(400, "invalid_grant");
    }
    post(&project, "/oauth/revoke", &app, &[("token", "unknown")]).await.expect(200);
    post(&project, "/oauth/revoke", &app, &[]).await.oauth_refused(400, "invalid_request");
    // An OAuth client cannot revoke the access token of the user's own session, which belongs to no client.
    post(&project, "/oauth/revoke", &app, &[("token", &user)]).await.expect(200);
    project.get("/user").bearer(&user).send().await.expect(200);
}

#[tokio::test]
async fn a_client_may_ask_about_its_own_access_tokens() {
    let project = project().await;
    let (app, other) = (app(&project, json!({})).await, app(&project, json!({})).await);
    let member = project.member("a@b.example").await;
    let user = member.access_token();
    let granted = tokens(&project, &app, &user).await;
    let token = granted.access_token();
    let ask = async |app: &App, token: String| post(&project, "/oauth/introspect", app, &[("token", &token)]).await;
    let inactive = json!({"active": false});
    // Introspection is refused with a wrong client secret, for a public client, and without a token.
    let forged = App { id: app.id.clone(), secret: "forged".into() };
    ask(&forged, token.clone()).await.oauth_refused(401, "invalid_client");
    let public = self::app(&project, json!({"client_type": "public"})).await;
    ask(&public, token.clone()).await.oauth_refused(401, "invalid_client");
    ask(&app, String::new()).await.oauth_refused(400, "invalid_request");
    // For tokens that do not belong to the client, the response is `inactive`: another client's token, the token of the user's own session,
    // a service key, an ID token, a refresh token and an invalid token.
    assert_eq!(ask(&other, token.clone()).await.expect(200).body, inactive);
    let mut altered = token.clone();
    altered.truncate(token.len() - 4);
    for token in
        [user.clone(), project.service_key(), granted.text("/id_token"), granted.refresh_token(), altered, "x".into()]
    {
        assert_eq!(ask(&app, token.clone()).await.expect(200).body, inactive, "{token}");
    }
    let told = ask(&app, token.clone()).await.expect(200);
    assert_eq!(told.body["active"], true);
    assert_eq!((told.text("/sub"), told.text("/client_id")), (member.text("/user/id"), app.id.clone()));
    assert_eq!((told.text("/token_type"), told.text("/scope")), ("Bearer".into(), "openid email".into()));
    assert_eq!(told.text("/iss"), project.state.issuer());
    assert!(told.body["exp"].as_i64().unwrap() > chrono::Utc::now().timestamp());
    // Introspection reports access tokens as inactive if the user is banned or the session has ended.
    let path = format!("/admin/users/{}", member.text("/user/id"));
    for (duration, active) in [("1h", false), ("none", true)] {
        let body = json!({"ban_duration": duration});
        project.put(&path, body).bearer(&project.service_key()).send().await.expect(200);
        assert_eq!(ask(&app, token.clone()).await.expect(200).body["active"], active);
    }
    post(&project, "/oauth/revoke", &app, &[("token", &token)]).await.expect(200);
    assert_eq!(ask(&app, token).await.expect(200).body, inactive);
}

#[tokio::test]
async fn discovery_names_what_there_is() {
    let project = project().await;
    let document = project.get("/.well-known/oauth-authorization-server").send().await.expect(200);
    assert_eq!(document.text("/issuer"), project.state.issuer());
    assert_eq!(document.body["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(document.body["id_token_signing_alg_values_supported"], json!(["ES256"]));
    assert_eq!(document.body["authorization_response_iss_parameter_supported"], true);
    assert!(document.text("/introspection_endpoint").ends_with("/oauth/introspect"));
    assert!(document.text("/registration_endpoint").ends_with("/oauth/clients/register"));
    let openid = project.get("/.well-known/openid-configuration").send().await.expect(200);
    assert_eq!(openid.body, document.body);
}

/// When the user verifies a second factor, the user's own sessions at aal1 end, but not the sessions of OAuth clients.
#[tokio::test]
async fn a_clients_session_outlives_the_users_own() {
    let project = Project::with(|settings| {
        settings.oauth_server.enabled = true;
        settings.mfa.totp.enroll_enabled = true;
        settings.mfa.totp.verify_enabled = true;
        settings.sessions.single_per_user = true;
    })
    .await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    let granted = tokens(&project, &app, &user).await;
    let enrolled = super::super::factors::enroll(&project, &user, "app").await.expect(200);
    let code = super::super::factors::code(&enrolled.text("/totp/secret"));
    super::super::factors::prove(&project, &user, &enrolled.text("/id"), &code).await.expect(200);
    project.sign_in("a@b.example", "correct horse").await.expect(200);
    refresh(&project, &app, &granted.refresh_token()).await.expect(200);
}
