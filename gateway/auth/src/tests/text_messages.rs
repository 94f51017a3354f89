//! Tests of text messages: requests to SMS providers, their responses, and test numbers.

use super::local_server::LocalServer;
use super::{Answer, Project, json};
use crate::settings::{GoDuration, Settings};

const NUMBER: &str = "441475000000";

/// Returns a tuple for each SMS provider: its name, its settings, a success response, the path of requests and the field with the message
/// text.
fn providers() -> [(&'static str, &'static str, serde_json::Value, &'static str, &'static str); 4] {
    let twilio = "account_sid = \"AC1\"\nmessage_service_sid = \"MG1\"\nauth_token = \"secret\"";
    let messagebird = "originator = \"Club\"\naccess_key = \"secret\"";
    let textlocal = "sender = \"Club\"\napi_key = \"secret\"";
    let vonage = "from = \"Club\"\napi_key = \"key\"\napi_secret = \"secret\"";
    [
        ("twilio", twilio, json!({"sid": "SM1", "status": "queued"}), "/2010-04-01/Accounts/AC1/Messages.json", "Body"),
        ("messagebird", messagebird, json!({"id": "1", "recipients": {"totalSentCount": 1}}), "/messages", "body"),
        ("textlocal", textlocal, json!({"status": "success", "messages": [{"id": "1"}]}), "/send", "message"),
        ("vonage", vonage, json!({"messages": [{"status": "0", "message-id": "1"}]}), "/sms/json", "text"),
    ]
}

fn with_phones(settings: &mut Settings) {
    settings.sms.enable_signup = true;
    settings.sms.enable_confirmations = true;
    settings.sms.max_frequency = GoDuration::from_secs(0);
}

/// Creates a project that sends text messages through an SMS provider with the API URL of `server`.
async fn project(provider: &str, keys: &str, server: &LocalServer) -> Project {
    let config = format!("[{provider}]\nenabled = true\n{keys}\n");
    let sms = toml::from_str(&config).unwrap();
    let change = |settings: &mut Settings| {
        settings.sms = sms;
        settings.sms.template = "Dein Code für uns: {{ .Code }}".into();
        with_phones(settings);
    };
    let url = server.url.clone();
    Project::made(change, |setup| setup.sms_api = Some(url)).await
}

async fn ask(project: &Project) -> Answer {
    project.post("/otp", json!({"phone": format!("+{NUMBER}")})).send().await
}

async fn verify(project: &Project, code: &str) -> Answer {
    project.post("/verify", json!({"type": "sms", "phone": NUMBER, "token": code})).send().await
}

#[tokio::test]
async fn each_provider_gets_its_form_and_the_code_signs_in() {
    for (provider, keys, taken, path, field) in providers() {
        let server = LocalServer::answering(200, taken).await;
        let project = project(provider, keys, &server).await;
        assert_eq!(ask(&project).await.expect(200).body, json!({}), "{provider}");
        let sent = server.last();
        assert_eq!(sent.path, path);
        let code = sent.field(field).strip_prefix("Dein Code für uns: ").unwrap().to_owned();
        assert_eq!(code.len(), 6);
        let authorization = sent.headers.get("authorization").map(|value| value.to_str().unwrap());
        match provider {
            "twilio" => {
                assert_eq!(authorization, Some("Basic QUMxOnNlY3JldA=="));
                assert_eq!((sent.field("To"), sent.field("From")), ("+441475000000", "MG1"));
            }
            "messagebird" => {
                assert_eq!(authorization, Some("AccessKey secret"));
                assert_eq!((sent.field("recipients"), sent.field("originator")), (NUMBER, "Club"));
                assert_eq!((sent.field("type"), sent.field("datacoding")), ("sms", "unicode"));
            }
            "textlocal" => {
                assert_eq!((sent.field("numbers"), sent.field("sender")), (NUMBER, "Club"));
                assert_eq!(sent.field("apikey"), "secret");
            }
            _ => {
                assert_eq!((sent.field("to"), sent.field("from"), sent.field("type")), (NUMBER, "Club", "unicode"));
                assert_eq!((sent.field("api_key"), sent.field("api_secret")), ("key", "secret"));
            }
        }
        let wrong = if code == "000000" { "000001" } else { "000000" };
        verify(&project, wrong).await.refused(403, "otp_expired");
        let session = verify(&project, &code).await.expect(200);
        assert_eq!(session.text("/user/phone"), NUMBER);
        verify(&project, &code).await.refused(403, "otp_expired");
    }
}

/// Twilio Verify generates the codes. While a code is pending, the server sends each code that a user enters to Twilio for verification.
#[tokio::test]
async fn a_provider_that_makes_the_codes_is_asked_about_them() {
    let keys = "account_sid = \"AC1\"\nmessage_service_sid = \"VA1\"\nauth_token = \"secret\"";
    let server = LocalServer::answering(201, json!({"sid": "VE1", "status": "pending", "valid": false})).await;
    let project = project("twilio_verify", keys, &server).await;
    verify(&project, "135790").await.refused(403, "otp_expired");
    assert!(server.received().is_empty(), "nobody waits for a code");
    ask(&project).await.expect(200);
    let sent = server.last();
    assert_eq!(sent.path, "/v2/Services/VA1/Verifications");
    assert_eq!((sent.field("To"), sent.field("Channel")), ("+441475000000", "sms"));
    assert_eq!(sent.headers["authorization"], "Basic QUMxOnNlY3JldA==");
    for (status, answer) in [
        (200, json!({"status": "pending", "valid": false})),
        (200, json!({"status": "approved", "valid": false})),
        (200, json!({"status": "approved"})),
        (200, json!({"status": "canceled", "valid": true})),
        (404, json!({"status": "approved", "valid": true})),
        (502, json!("bad gateway")),
    ] {
        server.answer(status, answer);
        verify(&project, "135790").await.refused(403, "otp_expired");
    }
    let asked = server.last();
    assert_eq!(asked.path, "/v2/Services/VA1/VerificationCheck");
    assert_eq!((asked.field("To"), asked.field("Code")), ("+441475000000", "135790"));
    server.answer(200, json!({"status": "approved", "valid": true}));
    let answers = futures_util::future::join_all((0..3).map(|_| verify(&project, "135790"))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    verify(&project, "135790").await.refused(403, "otp_expired");

    // If Twilio refuses to send a code, the client receives Twilio's error. After too many wrong codes, even the correct code is refused,
    // without a request to Twilio.
    server.answer(400, json!({"message": "bad number", "more_info": "see the manual"}));
    let refused = ask(&project).await.refused(422, "sms_send_failed");
    assert!(refused.text("/message").contains("bad number"));
    server.answer(201, json!({"sid": "VE2"}));
    ask(&project).await.expect(200);
    server.answer(200, json!({"status": "pending", "valid": false}));
    for _ in 0..12 {
        verify(&project, "135790").await.refused(403, "otp_expired");
    }
    let count = server.received().len();
    server.answer(200, json!({"status": "approved", "valid": true}));
    verify(&project, "135790").await.refused(403, "otp_expired");
    assert_eq!(server.received().len(), count, "a locked number asks nobody");
}

#[tokio::test]
async fn what_a_provider_refuses_is_told_and_nobody_is_registered() {
    let refusals = [
        (
            400,
            json!({"message": "bad number", "more_info": "see the manual"}),
            "bad number More information: see the manual",
        ),
        (422, json!({"errors": [{"code": 9, "description": "no balance"}]}), "no balance"),
        (200, json!({"status": "failure", "errors": [{"code": 7, "message": "bad sender"}]}), "bad sender (code: 7)"),
        (200, json!({"messages": [{"status": "4", "error-text": "bad key"}]}), "bad key (status: 4)"),
    ];
    for ((provider, keys, ..), (status, body, reason)) in providers().into_iter().zip(refusals) {
        let server = LocalServer::answering(status, body).await;
        let project = project(provider, keys, &server).await;
        let answer = ask(&project).await.refused(422, "sms_send_failed");
        let message = answer.text("/message");
        assert!(
            message.starts_with("Error sending confirmation OTP to provider: ") && message.contains(reason),
            "{message}"
        );
        assert_eq!(project.count("select count(*) from auth.users").await, 0);
        // The request also fails if the response reports the status `failed`, and if the response is not JSON of the expected form.
        server.answer(200, json!({"status": "failed"}));
        ask(&project).await.refused(422, "sms_send_failed");
        server.answer(502, json!("bad gateway"));
        ask(&project).await.refused(422, "sms_send_failed");
    }
}

#[tokio::test]
async fn a_provider_that_is_away_is_no_secret_but_its_address_is() {
    let (provider, keys, taken, ..) = providers().into_iter().next().unwrap();
    let mut server = LocalServer::answering(200, taken).await;
    server.url = "http://127.0.0.1:9".parse().unwrap();
    let project = project(provider, keys, &server).await;
    let answer = ask(&project).await.refused(422, "sms_send_failed");
    assert_eq!(answer.text("/message"), "Error sending confirmation OTP to provider: the provider cannot be reached");
}

#[tokio::test]
async fn no_message_without_a_provider_and_no_channel_that_it_lacks() {
    let project = Project::with(with_phones).await;
    ask(&project).await.refused(422, "sms_send_failed");
    let whatsapp = json!({"phone": NUMBER, "channel": "whatsapp"});
    project.post("/otp", whatsapp).send().await.refused(400, "validation_failed");
}

#[tokio::test]
async fn test_numbers_have_their_code_and_get_no_message() {
    let (provider, keys, taken, ..) = providers().into_iter().next().unwrap();
    let server = LocalServer::answering(200, taken).await;
    let config = format!("[twilio]\nenabled = true\n{keys}\n[test_otp]\n\"+44 1475 000000\" = \"246810\"\n");
    assert_eq!(provider, "twilio");
    let sms = toml::from_str(&config).unwrap();
    let url = server.url.clone();
    let change = |settings: &mut Settings| {
        settings.sms = sms;
        with_phones(settings);
        settings.rate_limit.sms_sent = 0;
        settings.sms.max_frequency = GoDuration::from_secs(60);
    };
    let project = Project::made(change, |setup| setup.sms_api = Some(url)).await;
    ask(&project).await.expect(200);
    verify(&project, "246811").await.refused(403, "otp_expired");
    let user = verify(&project, "246810").await.expect(200);
    // The confirmed number counts as verified in the user's metadata and in the identity.
    assert_eq!(user.body["user"]["user_metadata"]["phone_verified"], true);
    let identity = &user.body["user"]["identities"][0]["identity_data"];
    assert_eq!((&identity["phone_verified"], &identity["phone"]), (&json!(true), &json!("441475000000")));
    // The fixed code of the test number is valid for further sign-ins. It is not valid for other numbers. Messages to other numbers count
    // against the limit, which is zero in this test.
    assert_eq!(ask(&project).await.expect(200).body, json!({"message_id": "test-otp"}));
    verify(&project, "246810").await.expect(200);
    project.post("/otp", json!({"phone": "441475000001"})).send().await.refused(429, "over_sms_send_rate_limit");
    let body = json!({"type": "sms", "phone": "441475000001", "token": "246810"});
    project.post("/verify", body).send().await.refused(403, "otp_expired");
    assert!(server.received().is_empty());
}

/// If several users request a change to the same number, each code is valid for the user for whom it was sent.
#[tokio::test]
async fn several_users_who_ask_for_one_number() {
    for winner in 0..2 {
        let keys = "sender = \"Club\"\napi_key = \"secret\"";
        let server = LocalServer::answering(200, json!({"status": "success", "messages": [{"id": "1"}]})).await;
        let project = project("textlocal", keys, &server).await;
        let mut asked = Vec::new();
        for email in ["a@example.com", "b@example.com"] {
            let session = project.member(email).await;
            let change = project.put("/user", json!({"phone": format!("+{NUMBER}")}));
            change.bearer(&session.text("/access_token")).send().await.expect(200);
            let code = server.last().field("message").rsplit(' ').next().unwrap().to_owned();
            asked.push((session.text("/user/id"), code));
        }
        let verify = async |code: &str| {
            project.post("/verify", json!({"type": "phone_change", "phone": NUMBER, "token": code})).send().await
        };
        let (id, code) = &asked[winner];
        let (_, other) = &asked[1 - winner];
        let session = verify(code).await.expect(200);
        assert_eq!((session.text("/user/id"), session.text("/user/phone")), (id.clone(), NUMBER.to_owned()));
        // The first user has confirmed the number, so the other user's change is refused.
        verify(other).await.refused(422, "phone_exists");
        assert_eq!(project.count("select count(*) from auth.users where phone is not null").await, 1);
    }
}
