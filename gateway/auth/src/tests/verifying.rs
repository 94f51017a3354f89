//! Tests of mailed links and codes: /verify, /recover, /otp, /resend, PKCE.

use super::{Project, json};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

#[tokio::test]
async fn links_that_hold_no_more() {
    let project = Project::new().await;
    project.get("/verify").send().await.refused(400, "validation_failed");
    project.get("/verify?type=signup").send().await.refused(400, "validation_failed");
    let expired = "https://club.example#error=access_denied&error_code=otp_expired\
                   &error_description=Email+link+is+invalid+or+has+expired&sb=";
    let location = async |path: &str| project.get(path).send().await.expect(303).location();
    assert_eq!(location("/verify?type=signup&token=abc").await, expired);
    assert!(location("/verify?type=sms&token=abc").await.contains("error_code=validation_failed"));
    project.get("/verify?type=email&token=pkce_abc").send().await.refused(500, "unexpected_failure");

    project.post("/signup", json!({"email": "a@b.example", "password": "correct horse"})).send().await.expect(200);
    let link = project.mail("a@b.example").await.link;
    project.execute("update auth.users set confirmation_sent_at = now() - interval '2 hours'").await;
    assert_eq!(location(&link).await, expired);
    project.execute("update auth.users set confirmation_sent_at = now()").await;
    assert!(location(&link).await.starts_with("https://club.example#access_token="));
    assert_eq!(location(&link).await, expired);
}

/// A HEAD request, as mail scanners send it, does not use up a mailed link.
#[tokio::test]
async fn a_link_is_not_used_up_by_head() {
    let project = Project::new().await;
    project.post("/signup", json!({"email": "a@b.example", "password": "correct horse"})).send().await.expect(200);
    let link = project.mail("a@b.example").await.link;
    for path in [link.as_str(), "/authorize?provider=google", "/reauthenticate", "/health"] {
        project.head(path).send().await.expect(405);
    }
    let location = project.get(&link).send().await.expect(303).location();
    assert!(location.starts_with("https://club.example#access_token="));
}

#[tokio::test]
async fn a_confirmation_ends_in_a_session() {
    let project = Project::new().await;
    let target = "https://x.preview.example/welcome";
    let body = json!({"email": "a@b.example", "password": "correct horse", "data": {"name": "Ann"}});
    project.post(&format!("/signup?redirect_to={target}"), body).send().await.expect(200);
    project.sign_in("a@b.example", "correct horse").await.refused(400, "email_not_confirmed");
    let mail = project.mail("a@b.example").await;
    assert_eq!(mail.kind, "confirmation");
    let location = project.get(&mail.link).send().await.expect(303).location();
    let (page, fragment) = location.split_once('#').unwrap();
    assert_eq!(page, target);
    let names: Vec<&str> = fragment.split('&').map(|pair| pair.split('=').next().unwrap()).collect();
    assert_eq!(names, ["access_token", "expires_at", "expires_in", "refresh_token", "sb", "token_type", "type"]);
    assert!(fragment.ends_with("type=signup"));
    let session = project.sign_in("a@b.example", "correct horse").await.expect(200);
    assert_eq!(session.body["user"]["identities"][0]["identity_data"]["email_verified"], true);
    assert_eq!(session.body["user"]["user_metadata"]["email_verified"], true);
}

#[tokio::test]
async fn a_link_never_follows_a_header_or_a_stranger() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    for target in ["https://evil.example", "https://club.example@evil.example", "https://club.example\\@evil.example"] {
        let path = format!(
            "/recover?redirect_to={}",
            url::form_urlencoded::byte_serialize(target.as_bytes()).collect::<String>()
        );
        project
            .post(&path, json!({"email": "a@b.example"}))
            .header("host", "evil.example")
            .header("x-forwarded-host", "evil.example")
            .header("referer", "https://evil.example/x")
            .send()
            .await
            .expect(200);
        let mail = project.mail("a@b.example").await;
        assert!(
            !mail.html.contains("evil") && mail.link.ends_with("redirect_to=https://club.example"),
            "{}",
            mail.html
        );
    }
}

#[tokio::test]
async fn codes_are_tied_to_their_address_and_purpose() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    project.member("c@d.example").await;
    project.post("/otp", json!({"email": "a@b.example"})).send().await.expect(200);
    let code = project.mail("a@b.example").await.code;
    let verify = |body| project.post("/verify", body).send();
    for body in [
        json!({"type": "email", "email": "c@d.example", "token": code}),
        json!({"type": "signup", "email": "a@b.example", "token": code}),
        json!({"type": "email_change", "email": "a@b.example", "token": code}),
        json!({"type": "nonsense", "email": "a@b.example", "token": code}),
    ] {
        verify(body).await.refused(403, "otp_expired");
    }
    verify(json!({"type": "email", "token": code})).await.refused(400, "validation_failed");
    verify(json!({"type": "email", "email": "a@b.example"})).await.refused(400, "validation_failed");
    verify(json!({"token": code, "email": "a@b.example"})).await.refused(400, "validation_failed");
    verify(json!({"type": "email", "email": "odd", "token": code})).await.refused(422, "validation_failed");
    let session = verify(json!({"type": "email", "email": "a@b.example", "token": code})).await.expect(200);
    assert_eq!(session.text("/user/email"), "a@b.example");
    verify(json!({"type": "email", "email": "a@b.example", "token": code})).await.refused(403, "otp_expired");
}

#[tokio::test]
async fn guessing_a_code_ends_soon() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    project.post("/otp", json!({"email": "a@b.example"})).send().await.expect(200);
    let mail = project.mail("a@b.example").await;
    let wrong = if mail.code == "000000" { "111111" } else { "000000" };
    let guess =
        |code: &str| project.post("/verify", json!({"type": "email", "email": "a@b.example", "token": code})).send();
    for _ in 0..10 {
        guess(wrong).await.refused(403, "otp_expired");
    }
    guess(&mail.code).await.refused(403, "otp_expired");
    // The token hash in the mailed link remains valid although the number of wrong codes is exhausted, because nobody can guess the hash.
    let hash = json!({"type": "magiclink", "token_hash": mail.hash()});
    project.post("/verify", hash).send().await.expect(200);
}

#[tokio::test]
async fn a_code_used_at_once_holds_once() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    project.post("/otp", json!({"email": "a@b.example"})).send().await.expect(200);
    let mail = project.mail("a@b.example").await;
    let body = json!({"type": "email", "token_hash": mail.hash()});
    let answers = futures_util::future::join_all((0..6).map(|_| project.post("/verify", body.clone()).send())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
}

#[tokio::test]
async fn recovery_says_nothing_about_who_is_known() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    let known = project.post("/recover", json!({"email": "a@b.example"})).send().await.expect(200);
    let unknown = project.post("/recover", json!({"email": "nobody@b.example"})).send().await.expect(200);
    assert_eq!((&known.body, &unknown.body), (&json!({}), &json!({})));
    project.post("/recover", json!({})).send().await.refused(400, "validation_failed");
    let location = project.get(&project.mail("a@b.example").await.link).send().await.expect(303).location();
    assert!(location.ends_with("type=recovery"));
}

#[tokio::test]
async fn a_code_needs_its_verifier_and_is_spent_once() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    let body = json!({"email": "a@b.example", "code_challenge": CHALLENGE, "code_challenge_method": "s256"});
    project.post("/recover", body).send().await.expect(200);
    let mail = project.mail("a@b.example").await;
    assert!(mail.hash().starts_with("pkce_"));
    let location = project.get(&mail.link).send().await.expect(303).location();
    let code = location.strip_prefix("https://club.example?code=").unwrap().to_owned();
    let exchange = |code: &str, verifier: &str| {
        project.post("/token?grant_type=pkce", json!({"auth_code": code, "code_verifier": verifier})).send()
    };
    exchange("", VERIFIER).await.refused(400, "validation_failed");
    exchange("nothing", VERIFIER).await.refused(404, "flow_state_not_found");
    exchange(&code, "wrong").await.refused(400, "bad_code_verifier");
    let answers = futures_util::future::join_all((0..6).map(|_| exchange(&code, VERIFIER))).await;
    let good: Vec<_> = answers.into_iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(good.len(), 1);
    let caller = project.verifier.verify(&good[0].access_token()).unwrap();
    assert_eq!(caller.claims()["amr"][0]["method"], "recovery");
}

#[tokio::test]
async fn a_flow_that_took_too_long() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    let body = json!({"email": "a@b.example", "code_challenge": CHALLENGE, "code_challenge_method": "s256"});
    project.post("/recover", body).send().await.expect(200);
    let location = project.get(&project.mail("a@b.example").await.link).send().await.location();
    let code = location.split("code=").nth(1).unwrap();
    project.execute("update auth.flow_state set created_at = now() - interval '6 minutes'").await;
    let body = json!({"auth_code": code, "code_verifier": VERIFIER});
    project.post("/token?grant_type=pkce", body).send().await.refused(422, "flow_state_expired");
}

#[tokio::test]
async fn a_magic_link_signs_up_whoever_is_new() {
    let project = Project::new().await;
    let otp = |body| project.post("/otp", body).send();
    otp(json!({"email": "new@b.example", "create_user": false})).await.refused(422, "otp_disabled");
    otp(json!({"email": "odd", "create_user": false})).await.refused(422, "otp_disabled");
    otp(json!({"email": "odd"})).await.refused(400, "validation_failed");
    otp(json!({})).await.refused(400, "validation_failed");
    otp(json!({"email": "new@b.example", "data": {"name": "Ann"}})).await.expect(200);
    let mail = project.mail("new@b.example").await;
    assert_eq!(mail.kind, "confirmation");
    let body = json!({"type": "email", "email": "new@b.example", "token": mail.code});
    let session = project.post("/verify", body).send().await.expect(200);
    assert_eq!(session.body["user"]["user_metadata"]["name"], "Ann");
    otp(json!({"email": "new@b.example"})).await.expect(200);
    assert_eq!(project.mail("new@b.example").await.kind, "magic_link");
}

#[tokio::test]
async fn resending_says_nothing_and_sends_what_is_pending() {
    let project = Project::new().await;
    let resend = |body| project.post("/resend", body).send();
    resend(json!({"type": "recovery", "email": "a@b.example"})).await.refused(400, "validation_failed");
    resend(json!({"type": "signup"})).await.refused(400, "validation_failed");
    assert_eq!(resend(json!({"type": "signup", "email": "nobody@b.example"})).await.expect(200).body, json!({}));
    project.post("/signup", json!({"email": "a@b.example", "password": "correct horse"})).send().await.expect(200);
    let first = project.mail("a@b.example").await;
    resend(json!({"type": "signup", "email": "a@b.example"})).await.expect(200);
    assert_ne!(project.mail("a@b.example").await.hash(), first.hash());
}
