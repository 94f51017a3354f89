//! Tests of passkeys: /passkeys. tests/browser/auth tests the ceremonies in a real browser.

use super::authenticator::{Authenticator, PRESENT};
use super::{Answer, Project, json};

const ORIGIN: &str = "https://club.example";
const PARTY: &str = "club.example";

async fn project() -> Project {
    Project::with(|settings| settings.passkey.enabled = true).await
}

async fn start(project: &Project, token: &str) -> Answer {
    project.post("/passkeys/registration/options", json!({})).bearer(token).send().await
}

async fn finish(project: &Project, token: &str, options: &Answer, authenticator: &mut Authenticator) -> Answer {
    let credential = authenticator.register(&options.body["options"]);
    let body = json!({"challenge_id": options.text("/challenge_id"), "credential": credential});
    project.post("/passkeys/registration/verify", body).bearer(token).send().await
}

async fn registered(project: &Project, token: &str) -> Authenticator {
    let mut authenticator = Authenticator::new(ORIGIN, PARTY);
    let options = start(project, token).await.expect(200);
    finish(project, token, &options, &mut authenticator).await.expect(200);
    authenticator
}

async fn ask(project: &Project) -> Answer {
    project.post("/passkeys/authentication/options", json!({})).send().await.expect(200)
}

async fn answer(project: &Project, options: &Answer, credential: serde_json::Value) -> Answer {
    let body = json!({"challenge_id": options.text("/challenge_id"), "credential": credential});
    project.post("/passkeys/authentication/verify", body).send().await
}

async fn sign_in(project: &Project, authenticator: &mut Authenticator) -> Answer {
    let options = ask(project).await;
    let credential = authenticator.authenticate(&options.body["options"]);
    answer(project, &options, credential).await
}

#[tokio::test]
async fn they_are_off_unless_switched_on_and_for_users_only() {
    let off = Project::new().await;
    off.post("/passkeys/authentication/options", json!({})).send().await.refused(404, "passkey_disabled");
    let project = project().await;
    start(&project, "x.y.z").await.refused(403, "bad_jwt");
    project.get("/passkeys").send().await.refused(401, "no_authorization");
    let token = project.member("a@b.example").await.access_token();
    let body = |id: &str| json!({"challenge_id": id, "credential": {}});
    let verify = |body| project.post("/passkeys/registration/verify", body).bearer(&token).send();
    verify(json!({"challenge_id": "x"})).await.refused(400, "validation_failed");
    verify(body("x")).await.refused(400, "webauthn_verification_failed");
}

#[tokio::test]
async fn a_user_signs_in_without_an_address() {
    let project = project().await;
    let session = project.member("a@b.example").await;
    let token = session.access_token();
    let options = start(&project, &token).await.expect(200);
    assert_eq!(options.body["options"]["rp"], json!({"id": PARTY, "name": PARTY}));
    assert_eq!(options.body["options"]["authenticatorSelection"]["residentKey"], "required");
    let mut authenticator = Authenticator::new(ORIGIN, PARTY);
    let made = finish(&project, &token, &options, &mut authenticator).await.expect(200);
    assert_eq!(made.text("/friendly_name"), "Passkey");
    let again = start(&project, &token).await.expect(200);
    assert_eq!(again.body["options"]["excludeCredentials"].as_array().unwrap().len(), 1);

    assert_eq!(ask(&project).await.body["options"].get("allowCredentials"), None);
    for count in 1..3 {
        let granted = sign_in(&project, &mut authenticator).await.expect(200);
        assert_eq!(granted.text("/user/id"), session.text("/user/id"));
        let caller = project.verifier.verify(&granted.access_token()).unwrap();
        assert_eq!((&caller.claims()["amr"][0]["method"], caller.claim("aal")), (&json!("passkey"), Some("aal1")));
        assert_eq!(project.count("select sign_count from auth.webauthn_credentials").await, count);
    }
    let actions = "select count(*) from auth.audit_log_entries where payload ->> 'action' = 'passkey_created'";
    assert_eq!(project.count(actions).await, 1);
}

#[tokio::test]
async fn a_registration_is_of_this_site_and_challenge() {
    let project = project().await;
    let token = project.member("a@b.example").await.access_token();
    let stranger = project.member("c@d.example").await.access_token();
    let refused = async |origin: &str, party: &str, flags: u8| {
        let options = start(&project, &token).await.expect(200);
        let mut authenticator = Authenticator::new(origin, party);
        authenticator.flags = flags;
        finish(&project, &token, &options, &mut authenticator).await.refused(400, "webauthn_verification_failed")
    };
    refused("https://evil.example", PARTY, PRESENT).await;
    refused("http://club.example", PARTY, PRESENT).await;
    refused(ORIGIN, "evil.example", PRESENT).await;
    refused(ORIGIN, PARTY, 0).await;
    // Refuses a challenge of another user, a used challenge and an expired challenge.
    let options = start(&project, &token).await.expect(200);
    let mut authenticator = Authenticator::new(ORIGIN, PARTY);
    finish(&project, &stranger, &options, &mut authenticator).await.refused(400, "webauthn_challenge_not_found");
    finish(&project, &token, &options, &mut authenticator).await.expect(200);
    finish(&project, &token, &options, &mut authenticator).await.refused(400, "webauthn_challenge_not_found");
    let options = start(&project, &token).await.expect(200);
    project.execute("update auth.webauthn_challenges set expires_at = now()").await;
    finish(&project, &token, &options, &mut authenticator).await.refused(400, "webauthn_challenge_expired");
    // Refuses the registration of a credential that another account already has.
    let options = start(&project, &stranger).await.expect(200);
    finish(&project, &stranger, &options, &mut authenticator).await.refused(422, "webauthn_credential_exists");
}

#[tokio::test]
async fn an_assertion_is_of_its_credential_challenge_and_site() {
    let project = project().await;
    let token = project.member("a@b.example").await.access_token();
    let other = project.member("c@d.example").await.text("/user/id");
    let mut authenticator = registered(&project, &token).await;
    let refused = |answer: Answer| answer.refused(400, "webauthn_verification_failed");
    // Refuses a signature by a key that is not registered, sent with the id of a registered credential.
    let mut forger = Authenticator::new(ORIGIN, PARTY);
    forger.id.clone_from(&authenticator.id);
    forger.user_handle.clone_from(&authenticator.user_handle);
    refused(sign_in(&project, &mut forger).await);
    let handle = std::mem::replace(&mut authenticator.user_handle, crate::webauthn::encode(other.as_bytes()));
    refused(sign_in(&project, &mut authenticator).await);
    authenticator.user_handle = handle;
    for (origin, party) in [("https://evil.example", PARTY), (ORIGIN, "evil.example")] {
        (authenticator.origin, authenticator.party) = (origin.to_owned(), party.to_owned());
        refused(sign_in(&project, &mut authenticator).await);
    }
    (authenticator.origin, authenticator.party) = (ORIGIN.to_owned(), PARTY.to_owned());
    authenticator.flags = 0;
    refused(sign_in(&project, &mut authenticator).await);
    authenticator.flags = PRESENT;
    // Refuses a response to another challenge, and a response that is sent twice.
    let (first, second) = (ask(&project).await, ask(&project).await);
    let credential = authenticator.authenticate(&first.body["options"]);
    refused(answer(&project, &second, credential.clone()).await);
    let uses = futures_util::future::join_all((0..5).map(|_| answer(&project, &first, credential.clone()))).await;
    assert_eq!(uses.iter().filter(|answer| answer.status == 200).count(), 1);
    answer(&project, &first, credential).await.refused(400, "webauthn_challenge_not_found");
}

#[tokio::test]
async fn a_cloned_authenticator_is_refused() {
    let project = project().await;
    let token = project.member("a@b.example").await.access_token();
    let mut authenticator = registered(&project, &token).await;
    authenticator.counter = 7;
    sign_in(&project, &mut authenticator).await.expect(200);
    authenticator.counter = 5;
    sign_in(&project, &mut authenticator).await.refused(400, "webauthn_verification_failed");
    authenticator.counter = 8;
    sign_in(&project, &mut authenticator).await.expect(200);
}

#[tokio::test]
async fn verification_is_asked_for_where_it_is_required() {
    let project =
        Project::made(|settings| settings.passkey.enabled = true, |setup| setup.passkeys_require_verification = true)
            .await;
    let token = project.member("a@b.example").await.access_token();
    assert_eq!(ask(&project).await.body["options"]["userVerification"], "required");
    let mut authenticator = registered(&project, &token).await;
    sign_in(&project, &mut authenticator).await.expect(200);
    authenticator.flags = PRESENT;
    sign_in(&project, &mut authenticator).await.refused(400, "webauthn_verification_failed");
}

#[tokio::test]
async fn they_are_their_owners_ten_at_most() {
    let project = project().await;
    let token = project.member("a@b.example").await.access_token();
    let stranger = project.member("c@d.example").await.access_token();
    let mut first = registered(&project, &token).await;
    for _ in 0..9 {
        registered(&project, &token).await;
    }
    start(&project, &token).await.refused(422, "too_many_passkeys");
    let list = project.get("/passkeys").bearer(&token).send().await.expect(200);
    assert_eq!(list.body.as_array().unwrap().len(), 10);
    let path = format!("/passkeys/{}", list.text("/0/id"));
    let rename = |token: &str, name: &str| project.patch(&path, json!({"friendly_name": name})).bearer(token).send();
    rename(&stranger, "x").await.refused(404, "validation_failed");
    rename(&token, "").await.refused(400, "validation_failed");
    rename(&token, &"x".repeat(121)).await.refused(400, "validation_failed");
    assert_eq!(rename(&token, "Laptop").await.expect(200).text("/friendly_name"), "Laptop");
    project.delete(&path).bearer(&stranger).send().await.refused(404, "validation_failed");
    project.delete(&path).bearer(&token).send().await.expect(204);
    sign_in(&project, &mut first).await.refused(400, "webauthn_verification_failed");
}

/// A user with a second factor must verify this factor before adding or removing a passkey.
#[tokio::test]
async fn a_second_factor_guards_them() {
    let project = Project::with(|settings| {
        settings.passkey.enabled = true;
        settings.mfa.totp.enroll_enabled = true;
        settings.mfa.totp.verify_enabled = true;
    })
    .await;
    let session = project.member("a@b.example").await;
    let token = session.access_token();
    let mut authenticator = registered(&project, &token).await;
    let enrolled = super::factors::enroll(&project, &token, "app").await.expect(200);
    let code = super::factors::code(&enrolled.text("/totp/secret"));
    let high = super::factors::prove(&project, &token, &enrolled.text("/id"), &code).await.expect(200).access_token();
    let low = sign_in(&project, &mut authenticator).await.expect(200).access_token();
    start(&project, &low).await.refused(403, "insufficient_aal");
    let id = project.get("/passkeys").bearer(&low).send().await.expect(200).text("/0/id");
    project.delete(&format!("/passkeys/{id}")).bearer(&low).send().await.refused(403, "insufficient_aal");
    start(&project, &high).await.expect(200);

    let ban = json!({"ban_duration": "1h"});
    let path = format!("/admin/users/{}", session.text("/user/id"));
    project.put(&path, ban).bearer(&project.service_key()).send().await.expect(200);
    sign_in(&project, &mut authenticator).await.refused(403, "user_banned");
}
