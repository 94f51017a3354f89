//! Tests of PUT /user and GET /reauthenticate.

use super::{Project, json};

#[tokio::test]
async fn what_a_user_may_not_change() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    project.member("taken@b.example").await;
    let token = session.access_token();
    let put = |body| project.put("/user", body).bearer(&token).send();
    put(json!({"email": "odd"})).await.refused(400, "validation_failed");
    put(json!({"email": "taken@b.example"})).await.refused(422, "email_exists");
    put(json!({"password": "short"})).await.refused(422, "weak_password");
    put(json!({"password": "correct horse"})).await.refused(422, "same_password");
    put(json!({"app_metadata": {"admin": true}})).await.refused(403, "not_admin");
    project.put("/user", json!({})).bearer(&project.service_key()).send().await.refused(403, "bad_jwt");
    let user = put(json!({"role": "service_role", "email_confirmed_at": null})).await.expect(200);
    assert_eq!(user.text("/role"), "authenticated");
}

#[tokio::test]
async fn metadata_is_merged_and_null_removes() {
    let project = Project::new().await;
    let token = project.member("a@b.example").await.access_token();
    let put = |body| project.put("/user", body).bearer(&token).send();
    put(json!({"data": {"a": 1, "b": {"c": 2}}})).await.expect(200);
    let user = put(json!({"data": {"a": null, "b": {"d": 3}}})).await.expect(200);
    assert_eq!(user.body["user_metadata"]["b"], json!({"d": 3}));
    assert!(user.body["user_metadata"].get("a").is_none());
}

#[tokio::test]
async fn a_new_password_ends_other_sessions_and_pending_links() {
    let project = Project::new().await;
    let first = project.member("a@b.example").await;
    let second = project.sign_in("a@b.example", "correct horse").await.expect(200);
    project.post("/recover", json!({"email": "a@b.example"})).send().await.expect(200);
    let link = project.mail("a@b.example").await.link;
    let change = json!({"password": "battery staple"});
    project.put("/user", change).bearer(&first.access_token()).send().await.expect(200);
    project.get("/user").bearer(&first.access_token()).send().await.expect(200);
    project.get("/user").bearer(&second.access_token()).send().await.refused(403, "session_not_found");
    assert!(project.get(&link).send().await.location().contains("otp_expired"));
    project.sign_in("a@b.example", "correct horse").await.refused(400, "invalid_credentials");
    project.sign_in("a@b.example", "battery staple").await.expect(200);
}

#[tokio::test]
async fn an_old_session_needs_a_code_for_a_new_password() {
    let project = Project::with(|settings| settings.email.secure_password_change = true).await;
    let token = project.member("a@b.example").await.access_token();
    let put = |body| project.put("/user", body).bearer(&token).send();
    project.execute("update auth.sessions set created_at = now() - interval '25 hours'").await;
    put(json!({"password": "battery staple"})).await.refused(400, "reauthentication_needed");
    put(json!({"password": "battery staple", "nonce": "000000"})).await.refused(422, "reauthentication_not_valid");
    project.get("/reauthenticate").bearer(&token).send().await.expect(200);
    let mail = project.mail("a@b.example").await;
    assert_eq!(mail.kind, "reauthentication");
    put(json!({"password": "battery staple", "nonce": mail.code})).await.expect(200);
    let again = json!({"password": "another staple", "nonce": mail.code});
    put(again).await.refused(422, "reauthentication_not_valid");
}

/// If several requests are sent at the same time, only the first request sends a code; the minimum interval refuses the others.
#[tokio::test]
async fn concurrent_reauthentications_send_one_code() {
    let project =
        Project::with(|settings| settings.email.max_frequency = crate::settings::GoDuration::from_secs(60)).await;
    let token = project.member("a@b.example").await.access_token();
    let ask = || project.get("/reauthenticate").bearer(&token).send();
    let answers = futures_util::future::join_all([ask(), ask(), ask(), ask()]).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 429, 429, 429]);
}

#[tokio::test]
async fn a_new_address_is_confirmed_at_both() {
    let project = Project::new().await;
    let token = project.member("old@b.example").await.access_token();
    let put = |body| project.put("/user", body).bearer(&token).send();
    let pending = put(json!({"email": "new@b.example"})).await.expect(200);
    assert_eq!((pending.text("/email"), pending.text("/new_email")), ("old@b.example".into(), "new@b.example".into()));
    let (old, new) = (project.mail("old@b.example").await, project.mail("new@b.example").await);
    assert_ne!(old.hash(), new.hash());
    let half = project.get(&new.link).send().await.expect(303).location();
    assert!(half.starts_with("https://club.example#message=Confirmation+link+accepted.") && half.ends_with("&sb="));
    assert!(project.get(&new.link).send().await.location().contains("otp_expired"));
    let body = json!({"type": "email_change", "email": "old@b.example", "token": old.code});
    let session = project.post("/verify", body).send().await.expect(200);
    assert_eq!(session.text("/user/email"), "new@b.example");
    assert_eq!(session.body["user"]["identities"][0]["identity_data"]["email"], "new@b.example");
    assert!(session.body["user"].get("new_email").is_none());
    project.get("/user").bearer(&token).send().await.expect(200);
}

#[tokio::test]
async fn the_first_confirmation_by_code_has_a_message() {
    let project = Project::new().await;
    let token = project.member("old@b.example").await.access_token();
    project.put("/user", json!({"email": "new@b.example"})).bearer(&token).send().await.expect(200);
    let code = project.mail("new@b.example").await.code;
    let body = json!({"type": "email_change", "email": "new@b.example", "token": code});
    let half = project.post("/verify", body).send().await.expect(200);
    assert_eq!(half.text("/code"), "200");
    assert!(half.body.get("access_token").is_none());
}

#[tokio::test]
async fn a_refused_mail_undoes_the_other_changes() {
    let gap = crate::settings::GoDuration::from_secs(60);
    let project = Project::with(|settings| settings.email.max_frequency = gap).await;
    let token = project.member("a@b.example").await.access_token();
    let put = |body| project.put("/user", body).bearer(&token).send();
    put(json!({"email": "b@b.example"})).await.expect(200);
    let change = json!({"email": "c@b.example", "data": {"x": 1}});
    put(change).await.refused(429, "over_email_send_rate_limit");
    let user = project.get("/user").bearer(&token).send().await.expect(200);
    assert!(user.body["user_metadata"].get("x").is_none());
    project.sign_in("a@b.example", "correct horse").await.expect(200);
}

#[tokio::test]
async fn a_new_password_may_need_the_current_one() {
    let project = Project::made(|_| {}, |setup| setup.require_current_password = true).await;
    let token = project.member("a@b.example").await.access_token();
    let change = |body| project.put("/user", body).bearer(&token).send();
    change(json!({"password": "battery staple"})).await.refused(400, "current_password_required");
    let wrong = json!({"password": "battery staple", "current_password": "wrong"});
    change(wrong).await.refused(400, "current_password_invalid");
    change(json!({"data": {"x": 1}})).await.expect(200);
    let right = json!({"password": "battery staple", "current_password": "correct horse"});
    change(right).await.expect(200);
    project.sign_in("a@b.example", "battery staple").await.expect(200);

    // A user who signed in by the link of a recovery mail does not need the current password to set a new password.
    project.post("/recover", json!({"email": "a@b.example"})).send().await.expect(200);
    let mail = project.mail("a@b.example").await;
    let body = json!({"type": "recovery", "email": "a@b.example", "token": mail.code});
    let recovered = project.post("/verify", body).send().await.expect(200).access_token();
    project.put("/user", json!({"password": "another staple"})).bearer(&recovered).send().await.expect(200);
}
