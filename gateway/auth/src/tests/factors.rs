//! Tests of authenticator apps (TOTP) as second factors: /factors.

use totp_rs::{Algorithm, Builder, Secret};

use super::{Answer, Project, json};

pub(super) async fn project() -> Project {
    Project::with(|settings| {
        settings.mfa.totp.enroll_enabled = true;
        settings.mfa.totp.verify_enabled = true;
    })
    .await
}

pub(super) fn code(secret: &str) -> String {
    let totp = Builder::new()
        .with_algorithm(Algorithm::SHA1)
        .with_digits(6)
        .with_secret(Secret::try_from_base32(secret).unwrap())
        .build_noncompliant();
    totp.generate(chrono::Utc::now().timestamp().cast_unsigned()).to_string()
}

pub(super) async fn enroll(project: &Project, token: &str, name: &str) -> Answer {
    project.post("/factors", json!({"factor_type": "totp", "friendly_name": name})).bearer(token).send().await
}

pub(super) async fn prove(project: &Project, token: &str, factor: &str, code: &str) -> Answer {
    let challenge =
        project.post(&format!("/factors/{factor}/challenge"), json!({})).raw("").bearer(token).send().await.expect(200);
    let body = json!({"challenge_id": challenge.text("/id"), "code": code});
    project.post(&format!("/factors/{factor}/verify"), body).bearer(token).send().await
}

#[tokio::test]
async fn what_is_switched_off_says_so() {
    let project = Project::new().await;
    let token = project.member("a@b.example").await.access_token();
    let enroll = |kind: &str| project.post("/factors", json!({"factor_type": kind})).bearer(&token).send();
    enroll("totp").await.refused(422, "mfa_totp_enroll_not_enabled");
    enroll("phone").await.refused(422, "mfa_phone_enroll_not_enabled");
    enroll("webauthn").await.refused(422, "mfa_webauthn_enroll_not_enabled");
    enroll("carrier pigeon").await.refused(400, "validation_failed");
    project.post("/factors", json!({})).send().await.refused(401, "no_authorization");
}

#[tokio::test]
async fn a_factor_is_only_its_owners() {
    let project = project().await;
    let owner = project.member("a@b.example").await.access_token();
    let stranger = project.member("c@d.example").await.access_token();
    let factor = enroll(&project, &owner, "app").await.expect(200).text("/id");
    for path in [format!("/factors/{factor}/challenge"), format!("/factors/{factor}/verify")] {
        project.post(&path, json!({})).bearer(&stranger).send().await.refused(404, "mfa_factor_not_found");
    }
    project.delete(&format!("/factors/{factor}")).bearer(&stranger).send().await.refused(404, "mfa_factor_not_found");
    project.delete("/factors/x").bearer(&owner).send().await.refused(404, "validation_failed");
    enroll(&project, &owner, "app").await.refused(422, "mfa_factor_name_conflict");
}

#[tokio::test]
async fn names_have_an_end_and_what_has_no_picture_is_no_factor() {
    let project = project().await;
    let session = project.member("a@b.example").await;
    let token = session.access_token();
    let enroll = |name: &str, issuer: &str| {
        let body = json!({"factor_type": "totp", "friendly_name": name, "issuer": issuer});
        project.post("/factors", body).bearer(&token).send()
    };
    for (name, issuer) in [("x".repeat(900_000), String::new()), (String::new(), "x".repeat(900_000))] {
        enroll(&name, &issuer).await.refused(422, "validation_failed");
    }
    enroll(&"n".repeat(256), "").await.refused(422, "validation_failed");
    // The issuer is refused because the key URI would be too long for a QR code. The URI contains the issuer twice, and each of these
    // characters has twelve characters in percent-encoding.
    enroll("app", &"🗼".repeat(255)).await.refused(422, "validation_failed");
    assert_eq!(project.count("select count(*) from auth.mfa_factors").await, 0);
    let made = enroll(&"é".repeat(255), &"i".repeat(255)).await.expect(200).text("/id");
    enroll("app", "").await.expect(200);
    let path = format!("/admin/users/{}/factors/{made}", session.text("/user/id"));
    let rename = |name: &str| project.put(&path, json!({"friendly_name": name})).bearer(&project.service_key()).send();
    rename(&"n".repeat(256)).await.refused(422, "validation_failed");
    rename("app").await.refused(422, "mfa_factor_name_conflict");
}

#[tokio::test]
async fn of_two_of_one_name_at_once_one_is_made() {
    let project = project().await;
    let token = project.member("a@b.example").await.access_token();
    let answers = futures_util::future::join_all((0..5).map(|_| enroll(&project, &token, "app"))).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(made.len(), 1);
    for answer in refused {
        answer.refused(422, "mfa_factor_name_conflict");
    }
}

#[tokio::test]
async fn a_code_raises_the_session_and_ends_the_others() {
    let project = project().await;
    let session = project.member("a@b.example").await;
    let other = project.sign_in("a@b.example", "correct horse").await;
    let token = session.access_token();
    let enrolled = enroll(&project, &token, "app").await.expect(200);
    let (factor, secret) = (enrolled.text("/id"), enrolled.text("/totp/secret"));
    assert!(enrolled.text("/totp/uri").starts_with("otpauth://totp/club.example:a@b.example?algorithm=SHA1"));
    assert!(enrolled.text("/totp/qr_code").starts_with("<svg"));
    prove(&project, &token, &factor, "").await.refused(400, "validation_failed");
    prove(&project, &token, &factor, "000000").await.refused(422, "mfa_verification_failed");
    let raised = prove(&project, &token, &factor, &code(&secret)).await.expect(200);
    let caller = project.verifier.verify(&raised.access_token()).unwrap();
    assert_eq!(caller.claim("aal"), Some("aal2"));
    assert_eq!(caller.claims()["amr"][0]["method"], "totp");
    assert_eq!(raised.body["user"]["factors"][0]["status"], "verified");
    project.get("/user").bearer(&other.access_token()).send().await.refused(403, "session_not_found");
    project.refresh(&raised.refresh_token()).await.expect(200);

    // A session at aal1 of a user with a second factor can read data, but cannot change how the user signs in.
    let low = project.sign_in("a@b.example", "correct horse").await.expect(200).access_token();
    project
        .put("/user", json!({"password": "battery staple"}))
        .bearer(&low)
        .send()
        .await
        .refused(401, "insufficient_aal");
    project.put("/user", json!({"data": {"x": 1}})).bearer(&low).send().await.expect(200);
    enroll(&project, &low, "second").await.refused(403, "insufficient_aal");
    let path = format!("/factors/{factor}");
    project.delete(&path).bearer(&low).send().await.refused(422, "insufficient_aal");
    project.delete(&path).bearer(&raised.access_token()).send().await.expect(200);
    assert_eq!(project.count("select count(*) from auth.sessions where aal = 'aal2'").await, 0);
    assert_eq!(project.count("select count(*) from auth.mfa_amr_claims where authentication_method = 'totp'").await, 0);
}

#[tokio::test]
async fn a_question_is_answered_once_and_in_time() {
    let project = project().await;
    let token = project.member("a@b.example").await.access_token();
    let enrolled = enroll(&project, &token, "app").await.expect(200);
    let (factor, secret) = (enrolled.text("/id"), enrolled.text("/totp/secret"));
    let challenge = || project.post(&format!("/factors/{factor}/challenge"), json!({})).bearer(&token).send();
    let verify = |challenge: &str| {
        let body = json!({"challenge_id": challenge, "code": code(&secret)});
        project.post(&format!("/factors/{factor}/verify"), body).bearer(&token).send()
    };
    verify(&uuid::Uuid::new_v4().to_string()).await.refused(422, "mfa_factor_not_found");
    let late = challenge().await.expect(200).text("/id");
    project.execute("update auth.mfa_challenges set created_at = now() - interval '6 minutes'").await;
    verify(&late).await.refused(422, "mfa_challenge_expired");
    let elsewhere = challenge().await.expect(200).text("/id");
    project.execute("update auth.mfa_challenges set ip_address = '198.51.100.1'").await;
    verify(&elsewhere).await.refused(422, "mfa_ip_address_mismatch");
    let open = challenge().await.expect(200).text("/id");
    let answers = futures_util::future::join_all((0..5).map(|_| verify(&open))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
}

/// A TOTP code is accepted only once, even in two sessions of the user, and in twenty concurrent requests with different challenges.
#[tokio::test]
async fn a_code_counts_once() {
    let project = project().await;
    let first = project.member("a@b.example").await.access_token();
    let second = project.sign_in("a@b.example", "correct horse").await.expect(200).access_token();
    let enrolled = enroll(&project, &first, "app").await.expect(200);
    let (factor, secret) = (enrolled.text("/id"), enrolled.text("/totp/secret"));
    let mut challenges = Vec::new();
    for token in [&first, &second].into_iter().cycle().take(20) {
        let path = format!("/factors/{factor}/challenge");
        challenges.push((token, project.post(&path, json!({})).bearer(token).send().await.expect(200).text("/id")));
    }
    let code = code(&secret);
    let verify = |(token, challenge): &(&String, String)| {
        let body = json!({"challenge_id": challenge, "code": code});
        project.post(&format!("/factors/{factor}/verify"), body).bearer(token).send()
    };
    let answers = futures_util::future::join_all(challenges.iter().map(verify)).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);

    // The code is also refused in a third session of the user.
    let third = project.sign_in("a@b.example", "correct horse").await.expect(200).access_token();
    prove(&project, &third, &factor, &code).await.refused(422, "mfa_verification_failed");
    project.execute("update cloch.totp_steps set step = step - 2").await;
    prove(&project, &third, &factor, &code).await.expect(200);
}

#[tokio::test]
async fn guessing_ends_soon() {
    let project = project().await;
    let token = project.member("a@b.example").await.access_token();
    let enrolled = enroll(&project, &token, "app").await.expect(200);
    let (factor, secret) = (enrolled.text("/id"), enrolled.text("/totp/secret"));
    let right = code(&secret);
    let wrong = if right == "000000" { "111111" } else { "000000" };
    for _ in 0..10 {
        prove(&project, &token, &factor, wrong).await.refused(422, "mfa_verification_failed");
    }
    prove(&project, &token, &factor, &code(&secret)).await.refused(422, "mfa_verification_failed");
}

#[tokio::test]
async fn administrators_see_rename_and_remove() {
    let project = project().await;
    let session = project.member("a@b.example").await;
    let factor = enroll(&project, &session.access_token(), "app").await.expect(200).text("/id");
    let path = format!("/admin/users/{}/factors", session.text("/user/id"));
    project.get(&path).bearer(&session.access_token()).send().await.refused(403, "not_admin");
    let key = project.service_key();
    let list = project.get(&path).bearer(&key).send().await.expect(200);
    assert_eq!((list.text("/0/friendly_name"), list.body[0].get("secret")), ("app".into(), None));
    let one = format!("{path}/{factor}");
    let renamed = project.put(&one, json!({"friendly_name": "phone"})).bearer(&key).send().await.expect(200);
    assert_eq!(renamed.text("/friendly_name"), "phone");
    project.delete(&one).bearer(&key).send().await.expect(200);
    project.delete(&one).bearer(&key).send().await.refused(404, "mfa_factor_not_found");
}
