//! Tests of small forms: values that are missing, null or zero in responses, settings and rows. The expected values are those of a GoTrue server
//! that was given the same requests.

use super::{Answer, Project, json};
use crate::settings::Settings;

async fn admin(project: &Project, path: &str, body: serde_json::Value) -> Answer {
    project.post(path, body).bearer(&project.service_key()).send().await
}

#[tokio::test]
async fn a_sign_up_stores_no_nulls() {
    let project = Project::new().await;
    let data = json!({"a": 1, "n": null, "o": {"p": null}});
    for (path, body) in [
        ("/signup", json!({"email": "a@b.example", "password": "correct horse", "data": data})),
        ("/otp", json!({"email": "c@d.example", "data": data})),
    ] {
        project.post(path, body).send().await.expect(200);
    }
    let stored = "select jsonb_agg(raw_user_meta_data - array['sub', 'email', 'email_verified', 'phone_verified']) from auth.users";
    let kept = json!({"a": 1, "o": {"p": null}});
    assert_eq!(project.value(stored).await, json!([kept, kept]));
}

#[tokio::test]
async fn a_sign_in_by_password_reports_no_weakness_as_null() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    assert_eq!(session.body.get("weak_password"), Some(&json!(null)));
    let refreshed = project.refresh(&session.refresh_token()).await.expect(200);
    assert_eq!(refreshed.body.get("weak_password"), None);
}

#[tokio::test]
async fn settings_name_the_provider_of_text_messages() {
    let name = |change: fn(&mut Settings)| async move {
        Project::with(change).await.get("/settings").send().await.expect(200).text("/sms_provider")
    };
    assert_eq!(name(|_| {}).await, "");
    let with_vonage = |settings: &mut Settings| {
        let keys = "[vonage]\nenabled = true\nfrom = \"Club\"\napi_key = \"key\"\napi_secret = \"secret\"\n";
        settings.sms = toml::from_str(keys).unwrap();
    };
    assert_eq!(name(with_vonage).await, "vonage");
}

#[tokio::test]
async fn a_negative_ban_has_ended() {
    let project = Project::new().await;
    let create = |email: &str, ban: &str| {
        let body = json!({"email": email, "password": "correct horse", "email_confirm": true, "ban_duration": ban});
        let project = &project;
        async move { admin(project, "/admin/users", body).await }
    };
    for odd in ["--1h", "-+1h", "-", "-x"] {
        create("a@b.example", odd).await.refused(400, "validation_failed");
    }
    let user = create("a@b.example", "-1h").await.expect(200);
    assert!(user.body["banned_until"].is_string());
    let is_past = "select count(*) from auth.users where banned_until between now() - interval '61 min' and now() - interval '59 min'";
    assert_eq!(project.count(is_past).await, 1);
    project.sign_in("a@b.example", "correct horse").await.expect(200);
}

#[tokio::test]
async fn a_softly_deleted_user_has_no_password() {
    let project = Project::new().await;
    let id = project.member("a@b.example").await.text("/user/id");
    let soft = json!({"should_soft_delete": true});
    let path = format!("/admin/users/{id}");
    project.delete(&path).json(soft).bearer(&project.service_key()).send().await.expect(200);
    assert_eq!(project.count("select count(*) from auth.users where encrypted_password is null").await, 1);
}

#[tokio::test]
async fn a_confirmed_change_keeps_the_time_of_its_mail() {
    let project = Project::with(|settings| settings.email.double_confirm_changes = false).await;
    let session = project.member("a@b.example").await;
    let change = json!({"email": "new@b.example"});
    project.put("/user", change).bearer(&session.access_token()).send().await.expect(200);
    let link = project.mail("new@b.example").await.link;
    project.get(&link).send().await.expect(303);
    let user = project.get("/user").bearer(&session.access_token()).send().await.expect(200);
    assert_eq!(user.text("/email"), "new@b.example");
    assert!(user.body["email_change_sent_at"].is_string());
}

#[tokio::test]
async fn the_identity_of_the_address_comes_first() {
    let project = Project::new().await;
    for n in 0..8 {
        let body = json!({"email": format!("a{n}@b.example"), "phone": format!("44147500000{n}")});
        let user = admin(&project, "/admin/users", body).await.expect(200);
        assert_eq!(
            (user.text("/identities/0/provider"), user.text("/identities/1/provider")),
            ("email".into(), "phone".into())
        );
    }
}

#[tokio::test]
async fn rows_have_empty_texts_where_gotrue_reads_no_null() {
    let project = Project::with(|settings| {
        settings.mfa.totp.enroll_enabled = true;
        settings.mfa.totp.verify_enabled = true;
    })
    .await;
    let session = project.member("a@b.example").await;
    let token = session.access_token();
    let factor = project.post("/factors", json!({"factor_type": "totp"})).bearer(&token).send().await.expect(200);
    let challenge = format!("/factors/{}/challenge", factor.text("/id"));
    project.post(&challenge, json!({})).bearer(&token).send().await.expect(200);
    assert_eq!(project.count("select count(*) from auth.mfa_challenges where otp_code = ''").await, 1);
    let asked = json!({"email": "a@b.example", "code_challenge": "c".repeat(43), "code_challenge_method": "s256"});
    project.post("/magiclink", asked).send().await.expect(200);
    let empty = "select count(*) from auth.flow_state where provider_access_token = '' and provider_refresh_token = ''";
    assert_eq!(project.count(empty).await, 1);
}

#[test]
fn zero_is_the_default_lifetime_of_a_code() {
    let settings: Settings = toml::from_str("[email]\notp_expiry = 0\n[sms]\notp_expiry = 0\n").unwrap();
    assert_eq!((settings.email.otp_expiry, settings.sms.code_expiry()), (86_400, 60));
}
