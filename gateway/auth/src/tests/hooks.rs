//! Tests of auth hooks that are database functions.

use super::local_server::LocalServer;
use super::{Project, json};
use crate::settings::Hook;

fn hook(name: &str) -> Hook {
    Hook { enabled: true, uri: format!("pg-functions://postgres/public/{name}"), ..Hook::default() }
}

#[tokio::test]
async fn claims_are_the_projects_to_shape_but_not_to_break() {
    let project = Project::with(|settings| settings.hook.custom_access_token = hook("shape")).await;
    project
        .execute(
            "create function public.shape(event jsonb) returns jsonb language sql as $$
               select jsonb_build_object('claims', event->'claims' || '{\"club\": \"gourock\"}'
                                                   || jsonb_build_object('how', event->'authentication_method')) $$;
             grant usage on schema public to supabase_auth_admin;",
        )
        .await;
    let session = project.member("a@b.example").await;
    let caller = project.verifier.verify(&session.access_token()).unwrap();
    assert_eq!((caller.claim("club"), caller.claim("how")), (Some("gourock"), Some("password")));
    let next = project.refresh(&session.refresh_token()).await.expect(200);
    assert_eq!(project.verifier.verify(&next.access_token()).unwrap().claim("how"), Some("token_refresh"));

    project
        .execute(
            "create or replace function public.shape(event jsonb) returns jsonb language sql as $$
        select jsonb_build_object('claims', event->'claims' #- '{sub}') $$",
        )
        .await;
    project.refresh(&next.refresh_token()).await.refused(500, "unexpected_failure");
    project
        .execute(
            "create or replace function public.shape(event jsonb) returns jsonb language sql as $$
        select null::jsonb from pg_sleep(3) $$",
        )
        .await;
    project.refresh(&next.refresh_token()).await.refused(422, "hook_timeout");
    assert_eq!(project.count("select count(*) from auth.refresh_tokens where not revoked").await, 1);
}

#[tokio::test]
async fn the_project_may_refuse_users_and_passwords() {
    let project = Project::with(|settings| {
        settings.hook.before_user_created = hook("members_only");
        settings.hook.password_verification_attempt = hook("three_tries");
    })
    .await;
    project
        .execute(
            "create function public.members_only(event jsonb) returns jsonb language sql as $$
               select case when event->'user'->>'email' like '%@club.example' then '{}'::jsonb
                      else '{\"error\": {\"http_code\": 403, \"message\": \"members only\"}}' end $$;
             create function public.three_tries(event json) returns json language sql as $$
               select case when (event->>'valid')::boolean then '{\"decision\": \"continue\"}'::json
                      else '{\"decision\": \"reject\", \"message\": \"come back later\"}' end $$;",
        )
        .await;
    let signup = |email: &str| project.post("/signup", json!({"email": email, "password": "correct horse"})).send();
    let answer = signup("a@b.example").await.refused(403, "unknown");
    assert_eq!(answer.text("/message"), "members only");
    assert_eq!(project.count("select count(*) from auth.users").await, 0);
    signup("a@club.example").await.expect(200);
    project.member("b@club.example").await;
    let answer = project.sign_in("b@club.example", "wrong horse").await.refused(400, "invalid_credentials");
    assert_eq!(answer.text("/message"), "come back later");
}

/// An HTTP hook refuses a request with an `error` object in a response with status 200 or 4xx. A 4xx response without an `error` object
/// counts as a failure of the hook.
#[tokio::test]
async fn a_hook_over_http_may_refuse_with_its_status() {
    let server = LocalServer::answering(200, json!({})).await;
    let uri = server.url.to_string();
    let secrets = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned().into();
    let project = Project::with(|settings| {
        settings.hook.before_user_created = Hook { enabled: true, uri, secrets };
    })
    .await;
    let signup = || project.post("/signup", json!({"email": "a@b.example", "password": "correct horse"})).send();
    let failures = [
        (400, json!({}), "Invalid payload sent to hook"),
        (400, json!({"error": "no"}), "Invalid payload sent to hook"),
        (400, json!({"error": {"message": ""}}), "Invalid payload sent to hook"),
        (401, json!({"message": "no key"}), "Hook requires authorization token"),
        (403, json!([]), "Unexpected status code returned from hook: 403"),
        (500, json!({"error": {"message": "members only"}}), "Unexpected status code returned from hook: 500"),
    ];
    for (status, body, message) in failures {
        server.answer(status, body);
        assert_eq!(signup().await.refused(500, "unexpected_failure").text("/message"), message);
    }
    for (status, error, expected) in [
        (200, json!({"http_code": 403, "message": "members only"}), 403),
        (400, json!({"http_code": 422, "message": "members only"}), 422),
        (403, json!({"message": "members only"}), 403),
    ] {
        server.answer(status, json!({"error": error}));
        assert_eq!(signup().await.refused(expected, "unknown").text("/message"), "members only");
    }
    assert_eq!(project.count("select count(*) from auth.users").await, 0);
    server.answer(200, json!({}));
    signup().await.expect(200);
}

#[tokio::test]
async fn the_project_may_send_its_mails_itself() {
    let project = Project::with(|settings| settings.hook.send_email = hook("send")).await;
    project
        .execute(
            "create table public.sent (event jsonb); grant all on public.sent to supabase_auth_admin;
             create function public.send(event jsonb) returns jsonb language sql as $$
               insert into public.sent values (event) returning '{}'::jsonb $$;",
        )
        .await;
    let body = json!({"email": "a@b.example", "password": "correct horse"});
    project.post("/signup?redirect_to=https://club.example/in", body).send().await.expect(200);
    let event: serde_json::Value =
        sqlx::query_scalar("select event from public.sent").fetch_one(project.database.superuser()).await.unwrap();
    let data = &event["email_data"];
    assert_eq!(
        (data["email_action_type"].as_str(), data["redirect_to"].as_str()),
        (Some("signup"), Some("https://club.example/in"))
    );
    assert_eq!(
        (event["metadata"]["name"].as_str(), event["metadata"]["ip_address"].as_str()),
        (Some("send-email"), Some("192.0.2.7"))
    );
    let code = json!({"type": "signup", "email": "a@b.example", "token": data["token"]});
    project.post("/verify", code).send().await.expect(200);
    assert_eq!(project.count("select count(*) from cloch.mail_outbox").await, 0);
}

#[tokio::test]
async fn what_is_switched_off_says_so() {
    let project = Project::new().await;
    let key = project.service_key();
    let token = project.member("a@b.example").await.access_token();
    project.post("/sso", json!({"domain": "x"})).send().await.refused(404, "saml_provider_disabled");
    project.post("/passkeys/authentication/options", json!({})).send().await.refused(404, "passkey_disabled");
    project.get("/admin/oauth/clients").bearer(&token).send().await.refused(403, "not_admin");
    project.get("/admin/oauth/clients").bearer(&key).send().await.refused(404, "feature_disabled");
    project.get("/user/oauth/grants").bearer(&token).send().await.refused(404, "feature_disabled");
    let web3 = json!({"chain": "solana", "message": "x", "signature": "y"});
    project.post("/token?grant_type=web3", web3).send().await.refused(422, "web3_provider_disabled");
    let document = project.get("/.well-known/openid-configuration").send().await.expect(200);
    assert_eq!(document.text("/jwks_uri"), "http://127.0.0.1:54321/auth/v1/.well-known/jwks.json");
    let keys = project.get("/.well-known/jwks.json").send().await.expect(200);
    assert!(keys.text("/keys/0/kty") == "EC" && keys.body["keys"][0].get("d").is_none());
    assert_eq!(keys.headers["cache-control"], "public, max-age=600");
    let settings = project.get("/settings").send().await.expect(200);
    assert_eq!(
        (settings.body["external"]["email"].as_bool(), settings.body["external"]["google"].as_bool()),
        (Some(true), Some(false))
    );
    assert_eq!(project.get("/health").send().await.expect(200).text("/name"), "GoTrue");
}
