//! Tests of security keys as second factors: /factors. tests/browser/auth tests the ceremonies in a real browser.

use super::authenticator::{Authenticator, PRESENT};
use super::{Answer, Project, json};

const ORIGIN: &str = "https://club.example";
const PARTY: &str = "club.example";

async fn project() -> Project {
    Project::with(|settings| {
        settings.mfa.web_authn.enroll_enabled = true;
        settings.mfa.web_authn.verify_enabled = true;
    })
    .await
}

async fn enroll(project: &Project, token: &str, name: &str) -> Answer {
    project.post("/factors", json!({"factor_type": "webauthn", "friendly_name": name})).bearer(token).send().await
}

async fn challenge(project: &Project, token: &str, factor: &str) -> Answer {
    let body = json!({"webauthn": {"rpId": PARTY, "rpOrigins": [ORIGIN]}});
    project.post(&format!("/factors/{factor}/challenge"), body).bearer(token).send().await
}

async fn answer(
    project: &Project,
    token: &str,
    factor: &str,
    challenge: &Answer,
    kind: &str,
    credential: &serde_json::Value,
) -> Answer {
    let webauthn = json!({"type": kind, "rpId": PARTY, "rpOrigins": [ORIGIN], "credential_response": credential});
    let body = json!({"challenge_id": challenge.text("/id"), "webauthn": webauthn});
    project.post(&format!("/factors/{factor}/verify"), body).bearer(token).send().await
}

fn options(challenge: &Answer) -> &serde_json::Value {
    &challenge.body["webauthn"]["credential_options"]["publicKey"]
}

async fn create(project: &Project, token: &str, factor: &str, key: &mut Authenticator) -> Answer {
    let challenge = challenge(project, token, factor).await.expect(200);
    let credential = key.register(options(&challenge));
    answer(project, token, factor, &challenge, "create", &credential).await
}

async fn prove(project: &Project, token: &str, factor: &str, key: &mut Authenticator) -> Answer {
    let challenge = challenge(project, token, factor).await.expect(200);
    let credential = key.authenticate(options(&challenge));
    answer(project, token, factor, &challenge, "request", &credential).await
}

/// Creates a user with a verified security key. Returns the id of the factor, the key, and an access token at aal2.
async fn with_key(project: &Project, email: &str) -> (String, Authenticator, String) {
    let token = project.member(email).await.access_token();
    let factor = enroll(project, &token, "key").await.expect(200).text("/id");
    let mut key = Authenticator::new(ORIGIN, PARTY);
    let high = create(project, &token, &factor, &mut key).await.expect(200).access_token();
    (factor, key, high)
}

async fn sign_in(project: &Project, email: &str) -> String {
    project.sign_in(email, "correct horse").await.expect(200).access_token()
}

#[tokio::test]
async fn a_key_raises_the_session() {
    let project = project().await;
    let token = project.member("a@b.example").await.access_token();
    let enrolled = enroll(&project, &token, "key").await.expect(200);
    let factor = enrolled.text("/id");
    assert_eq!(enrolled.body, json!({"id": factor, "type": "webauthn", "friendly_name": "key"}));
    let first = challenge(&project, &token, &factor).await.expect(200);
    assert_eq!((first.text("/type"), first.text("/webauthn/type")), ("webauthn".into(), "create".into()));
    assert_eq!(options(&first)["rp"]["id"], PARTY);
    assert!(first.body["expires_at"].as_i64().unwrap() > chrono::Utc::now().timestamp() + 290);
    let mut key = Authenticator::new(ORIGIN, PARTY);
    let credential = key.register(options(&first));
    let raised = answer(&project, &token, &factor, &first, "create", &credential).await.expect(200);
    let caller = project.verifier.verify(&raised.access_token()).unwrap();
    assert_eq!(caller.claim("aal"), Some("aal2"));
    assert_eq!(caller.claims()["amr"][0]["method"], "mfa/webauthn");
    assert_eq!(raised.body["user"]["factors"][0]["status"], "verified");
    // The credential is stored in the same format as in GoTrue.
    let stored = project.value("select web_authn_credential from auth.mfa_factors").await;
    assert!(stored["publicKey"].is_string() && stored["authenticator"]["signCount"].is_number(), "{stored}");

    let low = sign_in(&project, "a@b.example").await;
    let next = challenge(&project, &low, &factor).await.expect(200);
    assert_eq!(next.text("/webauthn/type"), "request");
    assert_eq!(options(&next)["allowCredentials"].as_array().unwrap().len(), 1);
    prove(&project, &low, &factor, &mut key).await.expect(200);
    let used = "select (web_authn_credential -> 'authenticator' ->> 'signCount')::bigint from auth.mfa_factors";
    assert_eq!(project.count(used).await, i64::from(key.counter));
    let attempts = "select count(*) from auth.audit_log_entries where payload ->> 'action' = 'verification_attempted'";
    assert_eq!(project.count(attempts).await, 2);
}

#[tokio::test]
async fn an_answer_is_of_its_ceremony_and_site() {
    let project = project().await;
    let token = project.member("a@b.example").await.access_token();
    let factor = enroll(&project, &token, "key").await.expect(200).text("/id");
    for (origin, party, flags) in
        [("https://evil.example", PARTY, PRESENT), (ORIGIN, "evil.example", PRESENT), (ORIGIN, PARTY, 0)]
    {
        let mut key = Authenticator::new(origin, party);
        key.flags = flags;
        create(&project, &token, &factor, &mut key).await.refused(422, "mfa_verification_failed");
    }
    let open = challenge(&project, &token, &factor).await.expect(200);
    let mut key = Authenticator::new(ORIGIN, PARTY);
    let credential = key.register(options(&open));
    for kind in ["request", "", "delete"] {
        answer(&project, &token, &factor, &open, kind, &credential).await.refused(400, "validation_failed");
    }
    answer(&project, &token, &factor, &open, "create", &json!({"id": 1})).await.refused(400, "validation_failed");
    answer(&project, &token, &factor, &open, "create", &json!(null)).await.refused(400, "validation_failed");
    let body = json!({"challenge_id": open.text("/id"), "code": "123456"});
    let path = format!("/factors/{factor}/verify");
    project.post(&path, body).bearer(&token).send().await.refused(400, "validation_failed");
    assert_eq!(project.count("select count(*) from auth.mfa_factors where status = 'verified'").await, 0);
    answer(&project, &token, &factor, &open, "create", &credential).await.expect(200);
}

#[tokio::test]
async fn a_challenge_is_answered_once_in_time_and_from_its_address() {
    let project = project().await;
    let (factor, mut key, _) = with_key(&project, "a@b.example").await;
    let low = sign_in(&project, "a@b.example").await;
    let late = challenge(&project, &low, &factor).await.expect(200);
    let credential = key.authenticate(options(&late));
    project.execute("update auth.mfa_challenges set created_at = now() - interval '6 minutes'").await;
    answer(&project, &low, &factor, &late, "request", &credential).await.refused(422, "mfa_challenge_expired");
    let elsewhere = challenge(&project, &low, &factor).await.expect(200);
    let credential = key.authenticate(options(&elsewhere));
    project.execute("update auth.mfa_challenges set ip_address = '198.51.100.1'").await;
    answer(&project, &low, &factor, &elsewhere, "request", &credential).await.refused(422, "mfa_ip_address_mismatch");
    // Refuses a response to another challenge, and a response that is sent twice.
    let (first, second) =
        (challenge(&project, &low, &factor).await.expect(200), challenge(&project, &low, &factor).await.expect(200));
    let credential = key.authenticate(options(&first));
    answer(&project, &low, &factor, &second, "request", &credential).await.refused(422, "mfa_verification_failed");
    let uses = (0..5).map(|_| answer(&project, &low, &factor, &first, "request", &credential));
    let uses = futures_util::future::join_all(uses).await;
    assert_eq!(uses.iter().filter(|answer| answer.status == 200).count(), 1);
    answer(&project, &low, &factor, &first, "request", &credential).await.refused(422, "mfa_factor_not_found");
}

#[tokio::test]
async fn only_the_factors_own_key_counts() {
    let project = project().await;
    let (factor, mut key, high) = with_key(&project, "a@b.example").await;
    let (others, mut stranger, _) = with_key(&project, "c@d.example").await;
    let low = sign_in(&project, "a@b.example").await;
    // Refuses a stranger's security key, a stranger's key that sends the id of the correct credential, and a stranger's factor.
    prove(&project, &low, &factor, &mut stranger).await.refused(422, "mfa_verification_failed");
    stranger.id.clone_from(&key.id);
    prove(&project, &low, &factor, &mut stranger).await.refused(422, "mfa_verification_failed");
    challenge(&project, &low, &others).await.refused(404, "mfa_factor_not_found");
    // Refuses a response with the user handle of another user.
    let handle = std::mem::replace(&mut key.user_handle, crate::webauthn::encode(b"someone"));
    prove(&project, &low, &factor, &mut key).await.refused(422, "mfa_verification_failed");
    key.user_handle = handle;
    // A registration response is refused for a verified factor, so that no new credential replaces the verified one.
    let open = challenge(&project, &low, &factor).await.expect(200);
    let made = json!({"challenge": options(&open)["challenge"], "user": {"id": key.user_handle}});
    let credential = Authenticator::new(ORIGIN, PARTY).register(&made);
    answer(&project, &low, &factor, &open, "create", &credential).await.refused(400, "validation_failed");
    // Refuses the same security key as a second factor of the user. Enrolling another factor requires a session at aal2.
    enroll(&project, &low, "second").await.refused(403, "insufficient_aal");
    let second = enroll(&project, &high, "second").await.expect(200).text("/id");
    let open = challenge(&project, &high, &second).await.expect(200);
    assert_eq!(options(&open)["excludeCredentials"].as_array().unwrap().len(), 1);
    create(&project, &high, &second, &mut key).await.refused(422, "webauthn_credential_exists");
    let mut other = Authenticator::new(ORIGIN, PARTY);
    create(&project, &high, &second, &mut other).await.expect(200);
    let low = sign_in(&project, "a@b.example").await;
    prove(&project, &low, &factor, &mut other).await.refused(422, "mfa_verification_failed");
    prove(&project, &low, &second, &mut other).await.expect(200);
}

#[tokio::test]
async fn a_cloned_key_is_refused() {
    let project = project().await;
    let (factor, mut key, _) = with_key(&project, "a@b.example").await;
    let low = sign_in(&project, "a@b.example").await;
    key.counter = 7;
    prove(&project, &low, &factor, &mut key).await.expect(200);
    let low = sign_in(&project, "a@b.example").await;
    key.counter = 5;
    prove(&project, &low, &factor, &mut key).await.refused(422, "mfa_verification_failed");
    key.counter = 8;
    prove(&project, &low, &factor, &mut key).await.expect(200);
}

#[tokio::test]
async fn it_is_removed_at_aal2_and_then_is_no_proof() {
    let project = project().await;
    let (factor, mut key, high) = with_key(&project, "a@b.example").await;
    let low = sign_in(&project, "a@b.example").await;
    let path = format!("/factors/{factor}");
    project.delete(&path).bearer(&low).send().await.refused(422, "insufficient_aal");
    let open = challenge(&project, &low, &factor).await.expect(200);
    let credential = key.authenticate(options(&open));
    project.delete(&path).bearer(&high).send().await.expect(200);
    answer(&project, &low, &factor, &open, "request", &credential).await.refused(404, "mfa_factor_not_found");
    assert_eq!(project.count("select count(*) from auth.sessions where aal = 'aal2'").await, 0);
    let methods = "select count(*) from auth.mfa_amr_claims where authentication_method = 'mfa/webauthn'";
    assert_eq!(project.count(methods).await, 0);
}

#[tokio::test]
async fn proving_may_be_off_while_enrolling_is_on() {
    let project = Project::with(|settings| settings.mfa.web_authn.enroll_enabled = true).await;
    let token = project.member("a@b.example").await.access_token();
    let factor = enroll(&project, &token, "key").await.expect(200).text("/id");
    challenge(&project, &token, &factor).await.refused(422, "mfa_webauthn_verify_not_enabled");
}
