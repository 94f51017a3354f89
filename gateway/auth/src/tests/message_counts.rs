//! Tests of the project's message limits: a slow delivery does not delay other messages, and a message that may have been sent is counted.

use std::future::Future;
use std::time::Duration;

use futures_util::future::join_all;

use super::local_server::LocalServer;
use super::{Answer, Project, json};
use crate::settings::{GoDuration, Hook, Settings, Smtp};

/// Maximum time that the second request may take, shorter than the timeout of requests to an SMS provider.
const PROMPT: Duration = Duration::from_secs(4);

const SMS_COUNTED: &str =
    "select coalesce(sum(c), 0) from cloch.rate_limits, unnest(counts) as c where subject = 'auth/sms'";
const MAILS_COUNTED: &str =
    "select coalesce(sum(c), 0) from cloch.rate_limits, unnest(counts) as c where subject = 'auth/mail'";

fn with_phones(settings: &mut Settings) {
    settings.mfa.phone.enroll_enabled = true;
    settings.mfa.phone.verify_enabled = true;
    settings.mfa.phone.max_frequency = GoDuration::from_secs(0);
    settings.sms.enable_signup = true;
    settings.sms.enable_confirmations = true;
    settings.sms.max_frequency = GoDuration::from_secs(0);
    settings.sms.vonage.enabled = true;
    settings.sms.vonage.from = "Club".into();
    settings.sms.vonage.api_key = "key".to_owned().into();
    settings.sms.vonage.api_secret = "secret".to_owned().into();
}

fn with_mails(settings: &mut Settings) {
    settings.email.smtp = Some(Smtp { host: "127.0.0.1".into(), ..Smtp::default() });
    settings.rate_limit.email_sent = 10;
}

async fn project(change: impl FnOnce(&mut Settings)) -> (Project, LocalServer) {
    let server = LocalServer::answering(200, json!({"messages": [{"status": "0"}]})).await;
    let url = server.url.clone();
    let change = |settings: &mut Settings| {
        with_phones(settings);
        change(settings);
    };
    (Project::made(change, |setup| setup.sms_api = Some(url)).await, server)
}

async fn change(project: &Project, token: &str, what: serde_json::Value) -> Answer {
    project.put("/user", what).bearer(token).send().await
}

async fn factor(project: &Project, token: &str, phone: &str) -> String {
    let body = json!({"factor_type": "phone", "friendly_name": phone, "phone": phone});
    project.post("/factors", body).bearer(token).send().await.expect(200).text("/id")
}

async fn challenge(project: &Project, token: &str, factor: &str) -> Answer {
    project.post(&format!("/factors/{factor}/challenge"), json!({})).bearer(token).send().await
}

/// Sends a first request, to whose text message the SMS provider never responds, and then a second request. Returns the response to the
/// second request. Cancels the first request afterwards.
async fn beside_a_waiting_one(
    server: &LocalServer,
    first: impl Future<Output = Answer>,
    second: impl Future<Output = Answer>,
) -> Answer {
    let already = server.received().len();
    server.leave_next_waiting();
    let second = async {
        server.until_received(already + 1).await;
        tokio::time::timeout(PROMPT, second).await.expect("the second request waits for the first one's message")
    };
    tokio::select! {
        answer = first => panic!("the first was answered: {}", answer.body),
        answer = second => answer,
    }
}

#[tokio::test]
async fn a_text_message_waits_for_no_other() {
    let (project, server) = project(|_| {}).await;
    let tokens =
        [project.member("a@b.example").await.access_token(), project.member("c@d.example").await.access_token()];
    let phone = |number: u32| json!({"phone": format!("44147500000{number}")});
    let answer =
        beside_a_waiting_one(&server, change(&project, &tokens[0], phone(1)), change(&project, &tokens[1], phone(2)))
            .await;
    answer.expect(200);
    // Both messages are counted. The first request was cancelled and its transaction rolled back, but the provider may have sent its
    // message.
    assert_eq!(project.count(SMS_COUNTED).await, 2);
    let factors =
        [factor(&project, &tokens[0], "441475000003").await, factor(&project, &tokens[1], "441475000004").await];
    let answer = beside_a_waiting_one(
        &server,
        challenge(&project, &tokens[0], &factors[0]),
        challenge(&project, &tokens[1], &factors[1]),
    )
    .await;
    answer.expect(200);
    assert_eq!(project.count(SMS_COUNTED).await, 4);
}

/// While the SMS provider does not respond, database connections remain free for other requests.
#[tokio::test]
async fn a_provider_that_does_not_respond_leaves_connections() {
    let (project, server) = project(|_| {}).await;
    let mut tokens = Vec::new();
    for number in 0..6 {
        tokens.push(project.member(&format!("{number}@b.example")).await.access_token());
    }
    project.member("free@b.example").await;
    server.leave_waiting(6);
    let waiting = tokens
        .iter()
        .enumerate()
        .map(|(number, token)| change(&project, token, json!({"phone": format!("44147500000{number}")})));
    let sign_in = async {
        server.until_received(2).await;
        tokio::time::timeout(PROMPT, project.sign_in("free@b.example", "correct horse"))
            .await
            .expect("no connection is left")
    };
    tokio::select! {
        answers = join_all(waiting) => panic!("{} requests were answered", answers.len()),
        answer = sign_in => answer.expect(200),
    };
}

#[tokio::test]
async fn a_mail_waits_for_no_other() {
    let server = LocalServer::answering(200, json!({})).await;
    let uri = server.url.to_string();
    let change_settings = |settings: &mut Settings| {
        with_mails(settings);
        settings.hook.send_email = Hook { enabled: true, uri, ..Hook::default() };
    };
    let project = Project::with(change_settings).await;
    let tokens =
        [project.member("a@b.example").await.access_token(), project.member("c@d.example").await.access_token()];
    let answer = beside_a_waiting_one(
        &server,
        change(&project, &tokens[0], json!({"email": "e@f.example"})),
        change(&project, &tokens[1], json!({"email": "g@h.example"})),
    )
    .await;
    answer.expect(200);
    assert_eq!(project.count(MAILS_COUNTED).await, 2);
}

#[tokio::test]
async fn requests_at_once_do_not_get_past_the_limit() {
    let (project, server) = project(|settings| settings.rate_limit.sms_sent = 6).await;
    let token = project.member("a@b.example").await.access_token();
    let factor = factor(&project, &token, "441475000001").await;
    // Sends more requests at the same time than the connection pool has connections.
    let answers = join_all((0..16).map(|_| challenge(&project, &token, &factor))).await;
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 6, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 10, "{statuses:?}");
    assert_eq!(server.received().len(), 6);
    assert_eq!(project.count(SMS_COUNTED).await, 6);
}

#[tokio::test]
async fn what_was_certainly_not_sent_is_not_counted() {
    let (project, server) = project(|settings| {
        with_mails(settings);
        settings.mfa.phone.max_frequency = GoDuration::from_secs(60);
    })
    .await;
    let token = project.member("a@b.example").await.access_token();
    let factor = factor(&project, &token, "441475000001").await;
    let both = json!({"email": "e@f.example", "phone": "441475000002"});
    server.answer(200, json!({"messages": [{"status": "4", "error-text": "bad key"}]}));
    for _ in 0..2 {
        change(&project, &token, both.clone()).await.refused(422, "sms_send_failed");
        challenge(&project, &token, &factor).await.refused(500, "unexpected_failure");
        assert_eq!((project.count(SMS_COUNTED).await, project.count(MAILS_COUNTED).await), (0, 0));
    }
    assert_eq!(project.count("select count(*) from cloch.mail_outbox").await, 0);
    // The provider may have accepted the message although a gateway returned an error, so the message remains counted.
    server.answer(504, json!({}));
    change(&project, &token, both).await.refused(422, "sms_send_failed");
    assert_eq!((project.count(SMS_COUNTED).await, project.count(MAILS_COUNTED).await), (1, 0));
}

/// A message that was sent is counted even if a later step of the request fails.
#[tokio::test]
async fn a_transaction_that_fails_after_its_message_leaves_the_count() {
    let (project, server) = project(|settings| settings.rate_limit.sms_sent = 2).await;
    project
        .execute(
            "create function public.fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
             create constraint trigger fail after update on auth.users deferrable initially deferred
               for each row when (new.phone_change <> '') execute function public.fail();",
        )
        .await;
    let token = project.member("a@b.example").await.access_token();
    for status in [500, 500, 429] {
        change(&project, &token, json!({"phone": "441475000001"})).await.expect(status);
    }
    assert_eq!(server.received().len(), 2);
}
