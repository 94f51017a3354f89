//! Tests of phones as second factors: /factors.

use super::local_server::LocalServer;
use super::{Answer, Project, factors, json};
use crate::settings::{GoDuration, Hook, Settings};

const NUMBER: &str = "441475000000";

fn enabled(settings: &mut Settings) {
    settings.mfa.phone.enroll_enabled = true;
    settings.mfa.phone.verify_enabled = true;
    settings.mfa.phone.max_frequency = GoDuration::from_secs(0);
    settings.mfa.phone.template = "Second: {{ .Code }}".into();
    settings.sms.vonage.enabled = true;
    settings.sms.vonage.from = "Club".into();
    settings.sms.vonage.api_key = "key".to_owned().into();
    settings.sms.vonage.api_secret = "secret".to_owned().into();
}

async fn project(change: impl FnOnce(&mut Settings)) -> (Project, LocalServer) {
    let server = LocalServer::answering(200, json!({"messages": [{"status": "0"}]})).await;
    let url = server.url.clone();
    let change = |settings: &mut Settings| {
        enabled(settings);
        change(settings);
    };
    (Project::made(change, |setup| setup.sms_api = Some(url)).await, server)
}

async fn enroll(project: &Project, token: &str, name: &str, phone: &str) -> Answer {
    let body = json!({"factor_type": "phone", "friendly_name": name, "phone": phone});
    project.post("/factors", body).bearer(token).send().await
}

async fn challenge(project: &Project, token: &str, factor: &str) -> Answer {
    project.post(&format!("/factors/{factor}/challenge"), json!({"channel": "sms"})).bearer(token).send().await
}

async fn verify(project: &Project, token: &str, factor: &str, challenge: &str, code: &str) -> Answer {
    let body = json!({"challenge_id": challenge, "code": code});
    project.post(&format!("/factors/{factor}/verify"), body).bearer(token).send().await
}

fn code(server: &LocalServer) -> String {
    server.last().field("text").strip_prefix("Second: ").unwrap().to_owned()
}

fn other(code: &str) -> &'static str {
    if code == "000000" { "000001" } else { "000000" }
}

#[tokio::test]
async fn a_code_raises_the_session_once() {
    let (project, server) = project(|_| {}).await;
    let token = project.member("a@b.example").await.access_token();
    enroll(&project, &token, "p", "").await.refused(400, "validation_failed");
    enroll(&project, &token, "p", "0141").await.refused(400, "validation_failed");
    let enrolled = enroll(&project, &token, "p", "+44 1475 000000").await.expect(200);
    let factor = enrolled.text("/id");
    assert_eq!(enrolled.body, json!({"id": factor, "type": "phone", "friendly_name": "p", "phone": "+44 1475 000000"}));
    let path = format!("/factors/{factor}/challenge");
    project.post(&path, json!({})).raw("").bearer(&token).send().await.refused(400, "bad_json");
    project.post(&path, json!({"channel": "fax"})).bearer(&token).send().await.refused(400, "validation_failed");
    let open = challenge(&project, &token, &factor).await.expect(200);
    assert_eq!(open.text("/type"), "phone");
    assert_eq!(server.last().field("to"), NUMBER);
    let code = code(&server);
    // The database does not contain the code in plain text.
    let kept = project.value("select to_jsonb(otp_code) from auth.mfa_challenges").await;
    assert_ne!(kept, json!(code));
    let id = open.text("/id");
    verify(&project, &token, &factor, &id, "").await.refused(400, "validation_failed");
    verify(&project, &token, &factor, &id, other(&code)).await.refused(422, "mfa_verification_failed");
    let uses = futures_util::future::join_all((0..5).map(|_| verify(&project, &token, &factor, &id, &code))).await;
    let raised: Vec<_> = uses.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(raised.len(), 1);
    let caller = project.verifier.verify(&raised[0].access_token()).unwrap();
    assert_eq!((caller.claim("aal"), &caller.claims()["amr"][0]["method"]), (Some("aal2"), &json!("mfa/phone")));
    verify(&project, &token, &factor, &id, &code).await.refused(422, "mfa_ip_address_mismatch");
    enroll(&project, &raised[0].access_token(), "q", NUMBER).await.refused(422, "mfa_verified_factor_exists");
}

/// The `amr` claim of a session contains no deleted factor, even if another factor was the last one that raised the session.
#[tokio::test]
async fn a_deleted_factor_leaves_all_sessions() {
    let (project, server) = project(|settings| {
        settings.mfa.totp.enroll_enabled = true;
        settings.mfa.totp.verify_enabled = true;
    })
    .await;
    let session = project.member("a@b.example").await;
    let app = factors::enroll(&project, &session.access_token(), "app").await.expect(200);
    let code_of_app = factors::code(&app.text("/totp/secret"));
    let raised = factors::prove(&project, &session.access_token(), &app.text("/id"), &code_of_app).await.expect(200);
    let token = raised.access_token();
    let phone = enroll(&project, &token, "p", NUMBER).await.expect(200).text("/id");
    let open = challenge(&project, &token, &phone).await.expect(200).text("/id");
    let raised = verify(&project, &token, &phone, &open, &code(&server)).await.expect(200);
    let level = |answer: &Answer| {
        let caller = project.verifier.verify(&answer.access_token()).unwrap();
        let methods = caller.claims()["amr"].as_array().unwrap().iter().map(|one| one["method"].clone());
        let mut methods: Vec<_> = methods.map(|method| method.as_str().unwrap().to_owned()).collect();
        methods.sort();
        (caller.claim("aal").unwrap().to_owned(), methods.join(" "))
    };
    assert_eq!(level(&raised), ("aal2".into(), "mfa/phone password totp".into()));
    project.delete(&format!("/factors/{}", app.text("/id"))).bearer(&raised.access_token()).send().await.expect(200);
    let left = project.refresh(&raised.refresh_token()).await.expect(200);
    assert_eq!(level(&left), ("aal2".into(), "mfa/phone password".into()));
    let path = format!("/admin/users/{}/factors/{phone}", session.text("/user/id"));
    project.delete(&path).bearer(&project.service_key()).send().await.expect(200);
    let left = project.refresh(&left.refresh_token()).await.expect(200);
    assert_eq!(level(&left), ("aal1".into(), "password".into()));
}

#[tokio::test]
async fn one_number_at_once_is_one_factor() {
    let (project, _) = project(|_| {}).await;
    let token = project.member("a@b.example").await.access_token();
    // Each of several concurrent enrollments replaces the unverified factor of the previous one, so one factor remains.
    let answers = futures_util::future::join_all((0..5).map(|_| enroll(&project, &token, "p", NUMBER))).await;
    for answer in answers {
        answer.expect(200);
    }
    assert_eq!(project.count("select count(*) from auth.mfa_factors").await, 1);
}

#[tokio::test]
async fn a_code_is_of_its_challenge_in_time_and_of_its_owner() {
    let (project, server) = project(|_| {}).await;
    let token = project.member("a@b.example").await.access_token();
    let stranger = project.member("c@d.example").await.access_token();
    let factor = enroll(&project, &token, "p", NUMBER).await.expect(200).text("/id");
    challenge(&project, &stranger, &factor).await.refused(404, "mfa_factor_not_found");
    let first = challenge(&project, &token, &factor).await.expect(200).text("/id");
    let code = code(&server);
    let second = challenge(&project, &token, &factor).await.expect(200).text("/id");
    if self::code(&server) != code {
        verify(&project, &token, &factor, &second, &code).await.refused(422, "mfa_verification_failed");
    }
    // The code for one user's factor is refused for the factor of another user with the same number.
    let others = enroll(&project, &stranger, "p", NUMBER).await.expect(200).text("/id");
    verify(&project, &stranger, &others, &first, &code).await.refused(422, "mfa_factor_not_found");
    project.execute("update auth.mfa_challenges set created_at = now() - interval '6 minutes'").await;
    verify(&project, &token, &factor, &first, &code).await.refused(422, "mfa_challenge_expired");
}

#[tokio::test]
async fn guessing_ends_soon() {
    let (project, server) = project(|_| {}).await;
    let token = project.member("a@b.example").await.access_token();
    let factor = enroll(&project, &token, "p", NUMBER).await.expect(200).text("/id");
    let open = challenge(&project, &token, &factor).await.expect(200).text("/id");
    let code = code(&server);
    for _ in 0..10 {
        verify(&project, &token, &factor, &open, other(&code)).await.refused(422, "mfa_verification_failed");
    }
    verify(&project, &token, &factor, &open, &code).await.refused(422, "mfa_verification_failed");
    assert_eq!(project.count("select count(*) from auth.sessions where aal = 'aal2'").await, 0);
}

#[tokio::test]
async fn messages_are_counted_for_the_number_and_for_the_project() {
    let (project, server) = project(|settings| {
        settings.mfa.phone.max_frequency = GoDuration::from_secs(60);
        settings.rate_limit.sms_sent = 2;
    })
    .await;
    let token = project.member("a@b.example").await.access_token();
    let factor = enroll(&project, &token, "p", NUMBER).await.expect(200).text("/id");
    challenge(&project, &token, &factor).await.expect(200);
    challenge(&project, &token, &factor).await.refused(429, "over_sms_send_rate_limit");
    // The minimum interval between two codes also applies to a factor that is deleted and enrolled again with the same number.
    let again = enroll(&project, &token, "q", NUMBER).await.expect(200).text("/id");
    challenge(&project, &token, &factor).await.refused(404, "mfa_factor_not_found");
    challenge(&project, &token, &again).await.refused(429, "over_sms_send_rate_limit");
    for (number, status) in [("441475000001", 200), ("441475000002", 429)] {
        let factor = enroll(&project, &token, number, number).await.expect(200).text("/id");
        challenge(&project, &token, &factor).await.expect(status);
    }
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn a_message_that_is_not_sent_makes_no_challenge() {
    let (project, server) = project(|_| {}).await;
    let token = project.member("a@b.example").await.access_token();
    let factor = enroll(&project, &token, "p", NUMBER).await.expect(200).text("/id");
    server.answer(200, json!({"messages": [{"status": "4", "error-text": "bad key"}]}));
    challenge(&project, &token, &factor).await.refused(500, "unexpected_failure");
    assert_eq!(project.count("select count(*) from auth.mfa_challenges").await, 0);
}

#[tokio::test]
async fn the_hook_sends_in_the_place_of_a_provider() {
    let (project, server) = project(|settings| {
        let uri = "pg-functions://postgres/public/send".into();
        settings.hook.send_sms = Hook { enabled: true, uri, ..Hook::default() };
    })
    .await;
    project
        .execute(
            "create table public.sent (event jsonb);
             create function public.send(event jsonb) returns jsonb language sql security definer as $$
               insert into public.sent values (event); select '{}'::jsonb $$;
             grant usage on schema public to supabase_auth_admin;",
        )
        .await;
    let token = project.member("a@b.example").await.access_token();
    let factor = enroll(&project, &token, "p", NUMBER).await.expect(200).text("/id");
    let open = challenge(&project, &token, &factor).await.expect(200).text("/id");
    let sent = project.value("select event -> 'sms' from public.sent").await;
    assert_eq!((&sent["sms_type"], &sent["phone"]), (&json!("mfa"), &json!(NUMBER)));
    verify(&project, &token, &factor, &open, sent["otp"].as_str().unwrap()).await.expect(200);
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn proving_may_be_off_while_enrolling_is_on() {
    let (project, _) = project(|settings| settings.mfa.phone.verify_enabled = false).await;
    let token = project.member("a@b.example").await.access_token();
    let factor = enroll(&project, &token, "p", NUMBER).await.expect(200).text("/id");
    challenge(&project, &token, &factor).await.refused(422, "mfa_phone_verify_not_enabled");
}
