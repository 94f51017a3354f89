//! Tests of POST /token with a password or a code, /user and /logout.

use super::{Project, json};

#[tokio::test]
async fn unknown_and_wrong_are_one_answer() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    let wrong = project.sign_in("a@b.example", "wrong horse").await.refused(400, "invalid_credentials");
    let unknown = project.sign_in("nobody@b.example", "wrong horse").await.refused(400, "invalid_credentials");
    assert_eq!(wrong.body, unknown.body);
    assert_eq!(wrong.text("/message"), "Invalid login credentials");
    project.sign_in("a@b.example", "").await.refused(400, "invalid_credentials");
    project.sign_in("a@b.example", &"a".repeat(73)).await.refused(400, "invalid_credentials");
    let token = |query: &str, body| project.post(&format!("/token{query}"), body).send();
    token("?grant_type=password", json!({})).await.refused(400, "validation_failed");
    token("?grant_type=password", json!({"email": "a", "phone": "1"})).await.refused(400, "validation_failed");
    let odd = token("?grant_type=magic", json!({})).await.refused(400, "invalid_credentials");
    assert_eq!(odd.text("/message"), "unsupported_grant_type");
}

/// Go's JSON parser ignores the case of field names, and clients written in Go rely on it.
#[tokio::test]
async fn field_names_may_be_in_any_case() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    let sign_in = |body| project.post("/token?grant_type=password", body).send();
    sign_in(json!({"Email": "a@b.example", "PASSWORD": "correct horse", "Data": null})).await.expect(200);
    sign_in(json!({"Email": "other@b.example", "email": "a@b.example", "password": "correct horse"})).await.expect(200);
    sign_in(json!({"email": "a@b.example", "Email": null, "password": "correct horse"})).await.expect(200);
    let data = json!({"Nick": "Up"});
    let made = json!({"Email": "up@b.example", "Password": "correct horse", "Data": data});
    let made = project.post("/signup", made).send().await.expect(200);
    assert_eq!(made.text("/user_metadata/Nick"), "Up", "names in metadata are kept: {}", made.body);
}

/// A sign-in or sign-up computes exactly one password hash, for known and unknown addresses, because hashing takes most of the response
/// time.
#[tokio::test]
async fn known_and_unknown_cost_the_same_work() {
    let project =
        Project::with(|settings| (settings.sms.enable_signup, settings.sms.enable_confirmations) = (true, true)).await;
    project.member("a@b.example").await;
    let nothing = json!({"email": "without@b.example", "email_confirm": true});
    project.post("/admin/users", nothing).bearer(&project.service_key()).send().await.expect(200);
    let invited = json!({"email": "invited@b.example"});
    project.post("/invite", invited).bearer(&project.service_key()).send().await.expect(200);
    let pending = json!({"email": "pending@b.example", "password": "correct horse"});
    project.post("/signup", pending).send().await.expect(200);

    let computed = || project.state.passwords.computed.load(std::sync::atomic::Ordering::Relaxed);
    let cost = async |call: super::project::Call<'_>| {
        let before = computed();
        let status = call.send().await.status.as_u16();
        (status, computed() - before)
    };
    for email in [
        "a@b.example",
        "A@B.example",
        "nobody@b.example",
        "without@b.example",
        "invited@b.example",
        "pending@b.example",
    ] {
        for password in ["wrong horse", "", &"x".repeat(73)] {
            let body = json!({"email": email, "password": password});
            assert_eq!(cost(project.post("/token?grant_type=password", body)).await, (400, 1), "{email}");
        }
    }
    let body = json!({"phone": "441475000000", "password": "wrong horse"});
    assert_eq!(cost(project.post("/token?grant_type=password", body)).await, (400, 1));
    for email in ["a@b.example", "new@b.example", "without@b.example", "invited@b.example", "pending@b.example"] {
        let body = json!({"email": email, "password": "another horse"});
        assert_eq!(cost(project.post("/signup", body)).await, (200, 1), "{email}");
    }
    // Other requests of clients that are not signed in compute no password hash.
    for (path, email) in [("/recover", "a@b.example"), ("/recover", "nobody@b.example"), ("/otp", "a@b.example")] {
        assert_eq!(cost(project.post(path, json!({"email": email}))).await, (200, 0), "{path} {email}");
    }
}

#[tokio::test]
async fn a_banned_user_is_out_everywhere() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    let id = session.text("/user/id");
    let ban = |duration: &str| {
        project
            .put(&format!("/admin/users/{id}"), json!({"ban_duration": duration}))
            .bearer(&project.service_key())
            .send()
    };
    ban("1 day").await.refused(400, "validation_failed");
    ban("24h").await.expect(200);
    // A client that does not have the password does not learn that the account exists.
    project.sign_in("a@b.example", "wrong horse").await.refused(400, "invalid_credentials");
    project.sign_in("a@b.example", "correct horse").await.refused(400, "user_banned");
    project.refresh(&session.refresh_token()).await.refused(400, "user_banned");
    project.get("/user").bearer(&session.access_token()).send().await.refused(403, "user_banned");
    assert!(ban("none").await.expect(200).body.get("banned_until").is_none());
    project.sign_in("a@b.example", "correct horse").await.expect(200);
}

#[tokio::test]
async fn a_session_has_everything_clients_read() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    assert_eq!((session.text("/token_type"), session.body["expires_in"].as_i64()), ("bearer".into(), Some(3600)));
    assert!(session.body["expires_at"].is_i64() && session.refresh_token().len() == 12);
    assert_eq!(session.headers["cache-control"], "no-store");
    let user = &session.body["user"];
    for secret in ["encrypted_password", "confirmation_token", "is_sso_user", "instance_id", "is_super_admin"] {
        assert!(user.get(secret).is_none(), "{secret}");
    }
    assert!(user.get("invited_at").is_none() && user["last_sign_in_at"].as_str().unwrap().ends_with('Z'));
    let caller = project.verifier.verify(&session.access_token()).unwrap();
    let claims = serde_json::Value::Object(caller.claims().clone());
    assert_eq!((claims["aud"].as_str(), claims["role"].as_str()), (Some("authenticated"), Some("authenticated")));
    assert_eq!((claims["aal"].as_str(), claims["amr"][0]["method"].as_str()), (Some("aal1"), Some("password")));
    assert_eq!((&claims["sub"], &claims["phone"]), (&user["id"], &json!("")));
    assert_eq!(claims["iss"], "http://127.0.0.1:54321/auth/v1");
    let header = jsonwebtoken::decode_header(session.access_token()).unwrap();
    assert!(header.alg == jsonwebtoken::Algorithm::ES256 && header.kid.is_some());
    let ip = "select count(*) from auth.sessions where host(ip) = '192.0.2.7' and user_agent = 'test'";
    assert_eq!(project.count(ip).await, 1);
}

#[tokio::test]
async fn tokens_that_are_none() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    let keys = project.verifier.keys();
    let user = |token: &str| project.get("/user").bearer(token).send();
    project.get("/user").send().await.refused(401, "no_authorization");
    project.get("/user").header("authorization", "Basic abc").send().await.refused(401, "no_authorization");
    user("a.b.c").await.refused(403, "bad_jwt");
    user(&project.service_key()).await.refused(403, "bad_jwt");
    let sign = |claims| keys.sign(&claims).unwrap();
    user(&sign(json!({"sub": "x", "role": "authenticated"}))).await.refused(400, "bad_jwt");
    let stranger = uuid::Uuid::new_v4();
    user(&sign(json!({"sub": stranger, "role": "authenticated"}))).await.refused(403, "user_not_found");
    let id = session.text("/user/id");
    user(&sign(json!({"sub": id, "session_id": "x", "aud": "authenticated"}))).await.refused(403, "bad_jwt");
    user(&sign(json!({"sub": id, "session_id": stranger, "aud": "authenticated"})))
        .await
        .refused(403, "session_not_found");
    user(&sign(json!({"sub": id, "exp": 1}))).await.refused(403, "bad_jwt");
    user(&sign(json!({"sub": id, "aud": "other"}))).await.expect(200);
    let mixed = project.get("/user").header("x-jwt-aud", "other").bearer(&session.access_token()).send().await;
    mixed.refused(400, "validation_failed");
    // A token that names the session of another user is refused.
    let other = project.member("c@d.example").await;
    let caller = project.verifier.verify(&other.access_token()).unwrap();
    let crossed = json!({"sub": id, "session_id": caller.claim("session_id"), "aud": "authenticated"});
    user(&sign(crossed)).await.refused(403, "session_not_found");
}

#[tokio::test]
async fn signing_out_ends_what_its_scope_says() {
    let project = Project::new().await;
    let first = project.member("a@b.example").await;
    let second = project.sign_in("a@b.example", "correct horse").await;
    let third = project.sign_in("a@b.example", "correct horse").await;
    let logout =
        |scope: &str, token: &str| project.post(&format!("/logout?scope={scope}"), json!({})).bearer(token).send();
    let alive = async |token: &str| project.get("/user").bearer(token).send().await.status == 200;
    logout("everyone", &first.access_token()).await.refused(400, "validation_failed");
    let answer = logout("local", &first.access_token()).await.expect(204);
    assert_eq!(answer.body, "");
    assert!(!alive(&first.access_token()).await && alive(&second.access_token()).await);
    logout("others", &second.access_token()).await.expect(204);
    assert!(alive(&second.access_token()).await && !alive(&third.access_token()).await);
    logout("", &second.access_token()).await.expect(204);
    project.get("/user").bearer(&second.access_token()).send().await.refused(403, "session_not_found");
    project.refresh(&second.refresh_token()).await.refused(400, "refresh_token_not_found");
}

#[tokio::test]
async fn a_weak_password_of_old_still_signs_in_and_is_told() {
    let project = Project::with(|settings| settings.minimum_password_length = 20).await;
    let session = project.member("a@b.example").await;
    assert_eq!(session.body["weak_password"]["reasons"], json!(["length"]));
}

#[tokio::test]
async fn hashes_of_other_systems_are_understood() {
    let project = Project::new().await;
    let argon2 = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    let user = json!({"email": "a@b.example", "password_hash": argon2, "email_confirm": true});
    let create = |user| project.post("/admin/users", user).bearer(&project.service_key()).send();
    create(user).await.expect(200);
    project.sign_in("a@b.example", "Password").await.refused(400, "invalid_credentials");
    project.sign_in("a@b.example", "password").await.expect(200);
    for odd in ["plain", "$2a$10$short", "$argon2id$v=19$m=65536", "$fbscrypt$v=1,n=14,r=8,p=1"] {
        create(json!({"email": "c@d.example", "password_hash": odd})).await.refused(400, "validation_failed");
    }
}

#[tokio::test]
async fn limits_hold_where_they_are_switched_on() {
    let project = Project::set_up(|settings| settings.rate_limit.token_refresh = 3, true).await;
    for _ in 0..3 {
        project.sign_in("a@b.example", "x").await.refused(400, "invalid_credentials");
    }
    let answer = project.sign_in("a@b.example", "x").await.refused(429, "over_request_rate_limit");
    assert_eq!(answer.text("/message"), "Request rate limit reached");
}
