//! Tests of recovery codes: /factors/recovery-codes.

use super::factors::{code, enroll, project, prove};
use super::{Answer, Project, json};

const PATH: &str = "/factors/recovery-codes";

/// Creates a user with a verified authenticator app and a session at aal2. Returns the access token and the id of the factor.
async fn raised(project: &Project) -> (String, String) {
    let token = project.member("a@b.example").await.access_token();
    let enrolled = enroll(project, &token, "app").await.expect(200);
    let (factor, secret) = (enrolled.text("/id"), enrolled.text("/totp/secret"));
    (prove(project, &token, &factor, &code(&secret)).await.expect(200).access_token(), factor)
}

async fn low(project: &Project) -> String {
    project.sign_in("a@b.example", "correct horse").await.expect(200).access_token()
}

async fn generate(project: &Project, token: &str) -> Answer {
    project.post(PATH, json!({})).raw("").bearer(token).send().await
}

async fn verify(project: &Project, token: &str, code: &str) -> Answer {
    project.post(&format!("{PATH}/verify"), json!({ "code": code })).bearer(token).send().await
}

fn codes(answer: &Answer) -> Vec<String> {
    answer.body["codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn they_are_for_users_with_another_factor_only() {
    let project = project().await;
    project.get(PATH).send().await.refused(401, "no_authorization");
    let token = project.member("a@b.example").await.access_token();
    project.get(PATH).bearer(&token).send().await.refused(404, "mfa_factor_not_found");
    generate(&project, &token).await.refused(403, "insufficient_aal");
    verify(&project, &token, "0123456789abcdef").await.refused(404, "mfa_factor_not_found");
    // Even a session at aal2 cannot create recovery codes if the user has no other second factor.
    project.execute("update auth.sessions set aal = 'aal2'").await;
    generate(&project, &token).await.refused(422, "mfa_recovery_codes_sole_factor");

    let off = Project::made(|_| {}, |setup| setup.recovery_codes = false).await;
    let token = off.member("a@b.example").await.access_token();
    generate(&off, &token).await.refused(422, "mfa_recovery_codes_enroll_not_enabled");
    verify(&off, &token, "x").await.refused(422, "mfa_recovery_codes_verify_not_enabled");
}

#[tokio::test]
async fn a_code_raises_a_session_once() {
    let project = project().await;
    let (token, _) = raised(&project).await;
    let made = generate(&project, &token).await.expect(200);
    let codes = codes(&made);
    assert_eq!(
        (made.text("/type"), made.text("/friendly_name"), codes.len()),
        ("recovery_code".into(), "Recovery codes".into(), 10)
    );
    generate(&project, &token).await.refused(422, "mfa_verified_factor_exists");
    // The database contains only the hashes of the recovery codes.
    let stored = project.value("select coalesce(jsonb_agg(encode(hash, 'hex')), '[]') from cloch.recovery_codes").await;
    assert_eq!(stored.as_array().unwrap().len(), 10);
    assert!(codes.iter().all(|code| !stored.to_string().contains(code.as_str())));

    let first = low(&project).await;
    verify(&project, &first, "0000000000000000").await.refused(422, "mfa_verification_failed");
    verify(&project, &first, "").await.refused(422, "mfa_verification_failed");
    let typed = format!(" {}-{} ", &codes[0][..8].to_uppercase(), &codes[0][8..]);
    let granted = verify(&project, &first, &typed).await.expect(200);
    let caller = project.verifier.verify(&granted.access_token()).unwrap();
    assert_eq!(
        (caller.claim("aal"), &caller.claims()["amr"][0]["method"]),
        (Some("aal2"), &json!("mfa/recovery_code"))
    );
    let kinds: Vec<_> =
        granted.body["user"]["factors"].as_array().unwrap().iter().map(|f| f["factor_type"].clone()).collect();
    assert_eq!(kinds, ["totp", "recovery_code"]);
    let second = low(&project).await;
    verify(&project, &second, &codes[0]).await.refused(422, "mfa_verification_failed");
    let status = project.get(PATH).bearer(&second).send().await.expect(200);
    assert_eq!((&status.body["total"], &status.body["remaining"]), (&json!(10), &json!(9)));

    // If twenty concurrent requests use the same recovery code, only one request succeeds.
    let mut tokens = Vec::new();
    for _ in 0..20 {
        tokens.push(low(&project).await);
    }
    let uses = tokens.iter().map(|token| verify(&project, token, &codes[1]));
    let answers = futures_util::future::join_all(uses).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
}

#[tokio::test]
async fn two_sets_at_once_are_one() {
    let project = project().await;
    let (token, _) = raised(&project).await;
    let answers = futures_util::future::join_all((0..5).map(|_| generate(&project, &token))).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 422].contains(status)), "{statuses:?}");
}

#[tokio::test]
async fn new_codes_end_the_old_ones_and_the_lock() {
    let project = project().await;
    let (token, _) = raised(&project).await;
    let old = codes(&generate(&project, &token).await.expect(200));
    let low = low(&project).await;
    let regenerate = |token: &str| project.post(&format!("{PATH}/regenerate"), json!({})).raw("").bearer(token).send();
    regenerate(&low).await.refused(403, "insufficient_aal");
    for _ in 0..10 {
        verify(&project, &low, "0000000000000000").await.refused(422, "mfa_verification_failed");
    }
    verify(&project, &low, &old[0]).await.refused(429, "mfa_recovery_codes_locked");
    let new = codes(&regenerate(&token).await.expect(200));
    verify(&project, &low, &old[0]).await.refused(422, "mfa_verification_failed");
    verify(&project, &low, &new[0]).await.expect(200);
}

#[tokio::test]
async fn they_go_with_the_last_other_factor() {
    let project = project().await;
    let (token, factor) = raised(&project).await;
    let set = generate(&project, &token).await.expect(200).text("/id");
    let stranger = project.member("c@d.example").await.access_token();
    project.delete(&format!("/factors/{set}")).bearer(&stranger).send().await.refused(404, "mfa_factor_not_found");
    let low = low(&project).await;
    project.delete(PATH).bearer(&low).send().await.refused(422, "insufficient_aal");
    project.delete(PATH).bearer(&token).send().await.expect(200);
    assert_eq!(project.count("select count(*) from cloch.recovery_codes").await, 0);
    generate(&project, &token).await.expect(200);
    project.delete(&format!("/factors/{factor}")).bearer(&token).send().await.expect(200);
    assert_eq!(project.count("select count(*) from cloch.recovery_code_sets").await, 0);
}
