//! Tests of CAPTCHA verification. Every request with which a client can guess secrets or send messages requires a CAPTCHA token, on each
//! path and in each body format.

use super::local_server::LocalServer;
use super::{Project, json};
use crate::settings::Captcha;

async fn project() -> Project {
    let captcha = Captcha { enabled: true, provider: "turnstile".into(), secret: "a secret".to_owned().into() };
    let project = Project::with(|settings| settings.captcha = Some(captcha)).await;
    let user = json!({"email": "a@b.example", "password": "correct horse", "email_confirm": true});
    project.post("/admin/users", user).bearer(&project.service_key()).send().await.expect(200);
    project
}

const PROTECTED: [&str; 8] = [
    "/signup",
    "/token?grant_type=password",
    "/token?grant_type=password&grant_type=refresh_token",
    "/recover",
    "/resend",
    "/otp",
    "/magiclink",
    "/token?grant_type=web3",
];

#[tokio::test]
async fn no_request_passes_without_a_token() {
    let project = project().await;
    let body = json!({
        "email": "a@b.example", "password": "correct horse", "type": "signup", "grant_type": "refresh_token",
    });
    for path in PROTECTED {
        for meta in
            [json!({}), json!({"captcha_token": ""}), json!({"captcha_token": "  "}), json!({"captcha_token": 1})]
        {
            let mut body = body.clone();
            body["gotrue_meta_security"] = meta;
            let answer = project.post(path, body).send().await.refused(400, "captcha_failed");
            assert!(answer.text("/message").starts_with("captcha protection: request disallowed"), "{path}");
        }
        // A token with role `anon` does not exempt a request from the CAPTCHA check, unlike an administrator's token.
        let anon = project.verifier.keys().sign_hs256(&json!({"role": "anon", "exp": 4_000_000_000_i64})).unwrap();
        project.post(path, body.clone()).bearer(&anon).send().await.refused(400, "captcha_failed");
    }
    // A form body cannot bypass the check, even if it contains a valid `grant_type`: it is refused because it is not JSON.
    let form = project.post("/token", json!({})).raw("grant_type=password&email=a%40b.example&password=correct+horse");
    form.send().await.refused(400, "bad_json");
    assert_eq!(project.count("select count(*) from auth.sessions").await, 0);
    assert_eq!(project.count("select count(*) from cloch.mail_outbox").await, 0);
}

#[tokio::test]
async fn no_spelling_of_a_path_goes_around_it() {
    let project = project().await;
    let body = json!({"email": "a@b.example", "password": "correct horse"});
    for path in [
        "//token?grant_type=password",
        "/token/?grant_type=password",
        "/token/verify?grant_type=password",
        "/verify/../token?grant_type=password",
        "/TOKEN?grant_type=password",
        "/tok%65n?grant_type=password",
        "/token%2Fverify?grant_type=password",
        "/token?grant_type=PASSWORD",
        "/token?grant_type=password%20",
        "/token?Grant_Type=password",
        "/token?x=/verify&grant_type=password",
        "/token?grant_type=password#/verify",
    ] {
        let answer = project.post(path, body.clone()).send().await;
        let refused = answer.status == 404
            || answer.body["code"] == "captcha_failed"
            || answer.body["code"] == "invalid_credentials";
        assert!(refused && answer.body.get("access_token").is_none(), "{path}: {} {}", answer.status, answer.body);
    }
    assert_eq!(project.count("select count(*) from auth.sessions").await, 0);
}

#[tokio::test]
async fn the_projects_own_servers_need_none() {
    let project = project().await;
    let body = json!({"email": "a@b.example", "password": "correct horse"});
    let key = project.service_key();
    project.post("/token?grant_type=password", body).bearer(&key).send().await.expect(200);
}

/// Creates a project whose CAPTCHA service is `server`.
async fn verified_by(server: &LocalServer, provider: &str) -> Project {
    let captcha = Captcha { enabled: true, provider: provider.into(), secret: " a secret ".to_owned().into() };
    let url = server.url.clone();
    Project::made(|settings| settings.captcha = Some(captcha), |setup| setup.captcha_api = Some(url)).await
}

#[tokio::test]
async fn the_service_decides() {
    for provider in ["hcaptcha", "turnstile"] {
        let server = LocalServer::answering(200, json!({"success": true})).await;
        let project = verified_by(&server, provider).await;
        let ask = || {
            let meta = json!({"captcha_token": " the token "});
            project.post("/recover", json!({"email": "a@b.example", "gotrue_meta_security": meta})).send()
        };
        ask().await.expect(200);
        let sent = server.last();
        let fields = (sent.field("secret"), sent.field("response"), sent.field("remoteip"));
        assert_eq!(fields, ("a secret", "the token", "192.0.2.7"));
        let errors = json!({"success": false, "error-codes": ["timeout-or-duplicate", "bad-request"]});
        server.answer(200, errors);
        let refused = ask().await.refused(400, "captcha_failed");
        assert_eq!(
            refused.text("/message"),
            "captcha protection: request disallowed (timeout-or-duplicate, bad-request)"
        );
        // If the CAPTCHA service sends an invalid response, the sign-in is refused.
        for (status, body) in [(500, json!("down")), (200, json!({})), (200, json!(true))] {
            server.answer(status, body);
            ask().await.refused(500, "unexpected_failure");
        }
        // The CAPTCHA service refuses a token without giving reasons. A request of an administrator requires no CAPTCHA token.
        server.answer(200, json!({"success": false}));
        ask().await.refused(400, "captcha_failed");
        let count = server.received().len();
        project
            .post("/recover", json!({"email": "a@b.example"}))
            .bearer(&project.service_key())
            .send()
            .await
            .expect(200);
        assert_eq!(server.received().len(), count);
    }
}
