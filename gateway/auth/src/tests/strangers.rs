//! Tests that responses to unauthenticated clients do not reveal whether an address has an account.
//!
//! Two responses differ, because GoTrue's differ and apps depend on it: for an address with an account, POST /signup returns empty
//! `identities` and an empty `role`; POST /otp with `create_user: false` refuses an address without an account.

use serde_json::Value;

use super::{Answer, Project, json};
use crate::settings::GoDuration;

const UNKNOWN: &str = "unknown@b.example";
const KNOWN: [&str; 6] = [
    "confirmed@b.example",
    "pending@b.example",
    "made@b.example",
    "invited@b.example",
    "banned@b.example",
    "other-audience@b.example",
];

async fn project(gap: u64) -> Project {
    let project = Project::with(|settings| settings.email.max_frequency = GoDuration::from_secs(gap)).await;
    let key = project.service_key();
    project.member("confirmed@b.example").await;
    project
        .post("/signup", json!({"email": "pending@b.example", "password": "correct horse"}))
        .send()
        .await
        .expect(200);
    let made = json!({"email": "made@b.example", "password": "correct horse", "user_metadata": {"name": "Ann"}});
    project.post("/admin/users", made).bearer(&key).send().await.expect(200);
    project.post("/invite", json!({"email": "invited@b.example"})).bearer(&key).send().await.expect(200);
    let banned =
        json!({"email": "banned@b.example", "password": "correct horse", "email_confirm": true, "ban_duration": "24h"});
    project.post("/admin/users", banned).bearer(&key).send().await.expect(200);
    let other = json!({"email": "other-audience@b.example", "password": "correct horse", "email_confirm": true, "aud": "other"});
    project.post("/admin/users", other).bearer(&key).send().await.expect(200);
    // Resets all rate limits, as if the previous requests had been made long ago.
    project.execute("delete from cloch.rate_limits").await;
    project
}

/// Returns the parts of a response that must not differ between addresses: status, headers, and the structure and texts of the body. Times
/// and ids are left out.
fn told(answer: &Answer, email: &str) -> String {
    let mut headers: Vec<String> = answer
        .headers
        .iter()
        .filter(|(name, _)| *name != "content-length")
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    headers.sort();
    format!("{} {headers:?} {}", answer.status, form(&answer.body)).replace(email, "<email>")
}

fn form(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| match name.as_str() {
                    "id" | "sub" | "role" | "identities" => name.to_owned(),
                    name if name.ends_with("_at") => name.to_owned(),
                    _ => format!("{name}={}", form(value)),
                })
                .collect();
            fields.sort();
            format!("{{{}}}", fields.join(" "))
        }
        Value::Array(_) => "[…]".to_owned(),
        // Replaces digits, because the number of remaining seconds in an error message may change between two requests.
        Value::String(text) => text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect(),
        other => other.to_string(),
    }
}

fn requests(email: &str) -> Vec<(&'static str, Value, Option<&'static str>)> {
    let signup = json!({"email": email, "password": "another horse", "data": {"name": "Bob"}});
    let email_only = json!({"email": email});
    let challenge = json!({
        "email": email, "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "s256",
    });
    let mut requests = vec![
        ("/signup", signup.clone(), None),
        ("/otp", email_only.clone(), None),
        ("/otp", challenge.clone(), None),
        ("/magiclink", email_only.clone(), None),
        ("/recover", email_only.clone(), None),
        ("/recover", challenge, None),
        ("/resend", json!({"type": "signup", "email": email}), None),
        ("/resend", json!({"type": "email_change", "email": email}), None),
        ("/token?grant_type=password", json!({"email": email, "password": "wrong horse"}), None),
        // The header `x-jwt-aud` selects another audience, in which the address has no account.
        ("/signup", signup, Some("other")),
        ("/otp", email_only.clone(), Some("other")),
        ("/recover", email_only, Some("third")),
        ("/token?grant_type=password", json!({"email": email, "password": "correct horse"}), Some("third")),
    ];
    for kind in ["signup", "email", "recovery", "magiclink", "invite", "email_change"] {
        requests.push(("/verify", json!({"type": kind, "email": email, "token": "abcdef"}), None));
    }
    requests
}

async fn ask(project: &Project, (path, body, audience): &(&str, Value, Option<&str>)) -> Answer {
    let call = project.post(path, body.clone());
    match audience {
        Some(audience) => call.header("x-jwt-aud", audience).send().await,
        None => call.send().await,
    }
}

/// Sends each request twice for each known and unknown address. The responses must be the same for all addresses, even if the minimum
/// interval of `gap` seconds refuses the second request.
async fn assert_all_alike(gap: u64) {
    let count = requests(UNKNOWN).len();
    for at in 0..count {
        let project = project(gap).await;
        let mut unknown = Vec::new();
        for _ in 0..2 {
            unknown.push(told(&ask(&project, &requests(UNKNOWN)[at]).await, UNKNOWN));
        }
        assert!(!unknown[0].starts_with("5") && !unknown[0].starts_with("429"), "{}", unknown[0]);
        for email in KNOWN {
            for expected in &unknown {
                let request = &requests(email)[at];
                let known = told(&ask(&project, request).await, email);
                assert_eq!(&known, expected, "{email} {request:?}");
            }
        }
    }
}

#[tokio::test]
async fn no_answer_says_who_has_an_account() {
    assert_all_alike(0).await;
}

#[tokio::test]
async fn nor_does_the_gap_between_two_mails() {
    assert_all_alike(60).await;
}

/// Each kind of request has a minimum interval of its own, so the response to one kind of request reveals nothing about requests of another
/// kind.
#[tokio::test]
async fn one_request_does_not_use_up_anothers_gap_for_some_only() {
    for email in [UNKNOWN].into_iter().chain(KNOWN) {
        let project = project(60).await;
        let statuses = async |paths: &[(&'static str, Value)]| {
            let mut statuses = Vec::new();
            for (path, body) in paths {
                statuses.push(project.post(path, body.clone()).send().await.status.as_u16());
            }
            statuses
        };
        let signup = json!({"email": email, "password": "another horse"});
        let paths = [
            ("/signup", signup.clone()),
            ("/recover", json!({"email": email})),
            ("/otp", json!({"email": email})),
            ("/resend", json!({"type": "signup", "email": email})),
            ("/magiclink", json!({"email": email})),
            ("/recover", json!({"email": email})),
        ];
        assert_eq!(statuses(&paths).await, [200, 200, 200, 429, 429, 429], "{email}");
    }
}

#[tokio::test]
async fn the_projects_hourly_allowance_says_nothing_either() {
    let smtp = crate::settings::Smtp { host: "127.0.0.1".into(), ..Default::default() };
    let project = Project::with(|settings| {
        settings.email.smtp = Some(smtp);
        settings.rate_limit.email_sent = 3;
    })
    .await;
    project.member("confirmed@b.example").await;
    for (email, status) in
        [(UNKNOWN, 200), ("confirmed@b.example", 200), (UNKNOWN, 200), ("confirmed@b.example", 429), (UNKNOWN, 429)]
    {
        let answer = project.post("/recover", json!({"email": email})).send().await.expect(status);
        assert!(status == 200 || answer.text("/message") == "email rate limit exceeded");
    }
}

#[tokio::test]
async fn one_network_does_not_use_up_the_projects_hourly_allowance() {
    let smtp = crate::settings::Smtp { host: "127.0.0.1".into(), ..Default::default() };
    let project = Project::with(|settings| {
        settings.email.smtp = Some(smtp);
        settings.rate_limit.email_sent = 4;
    })
    .await;
    project.member("confirmed@b.example").await;
    let ask = |email: &str, network: &str| project.post("/recover", json!({"email": email})).from(network).send();
    for status in [200, 200, 429] {
        ask(UNKNOWN, "203.0.113.5").await.expect(status);
    }
    for status in [200, 200, 429] {
        ask("confirmed@b.example", "198.51.100.7").await.expect(status);
    }
}

/// A failed request does not start the minimum interval, so the client can repeat the request immediately.
#[tokio::test]
async fn a_failure_does_not_use_up_the_gap() {
    let project = Project::with(|settings| settings.email.max_frequency = GoDuration::from_secs(60)).await;
    project.execute("alter table auth.users add constraint closed check (email is null)").await;
    let signup = || project.post("/signup", json!({"email": UNKNOWN, "password": "correct horse"})).send();
    signup().await.refused(500, "unexpected_failure");
    project.execute("alter table auth.users drop constraint closed").await;
    signup().await.expect(200);
    signup().await.refused(429, "over_email_send_rate_limit");
}
