//! Tests of accounts that a stranger created for another person's address. When the owner of the address confirms the account, no data of
//! the stranger may remain. The data of a sign-up by the owner remains, and so does the data that an administrator set.

use super::project::Call;
use super::{Answer, Project, json};

const OWNER: &str = "ann@b.example";
const OWNERS_HOME: &str = "192.0.2.7";
const STRANGERS_HOME: &str = "198.51.100.9";
const STRANGERS_PASSWORD: &str = "strangers own";

/// Creates an account with all data that a stranger can set before the address is confirmed, and with data that other settings or an
/// external provider may have added.
async fn project_with_a_strangers_account() -> Project {
    let project = Project::with(|settings| {
        settings.sms.enable_signup = true;
        settings.sms.enable_confirmations = true;
    })
    .await;
    let body = json!({"email": OWNER, "password": STRANGERS_PASSWORD, "data": {"name": "Mallory"}});
    project.post("/signup", body).from(STRANGERS_HOME).send().await.expect(200);
    project
        .execute(
            "insert into auth.identities (id, provider_id, user_id, identity_data, provider, created_at, updated_at)
               select gen_random_uuid(), 'theirs', id, '{\"sub\": \"theirs\"}', 'github', now(), now() from auth.users;
             insert into auth.sessions (id, user_id, created_at, updated_at) select gen_random_uuid(), id, now(), now() from auth.users;
             insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
               select gen_random_uuid(), id, 'totp', 'verified', now(), now() from auth.users;",
        )
        .await;
    project
}

async fn follow(project: &Project) -> Answer {
    let link = project.mail(OWNER).await.link;
    let answer = project.get(&link).send().await.expect(303);
    assert!(answer.location_has("access_token="), "{}", answer.location());
    answer
}

async fn assert_nothing_is_left(project: &Project, how: &str) {
    project.sign_in(OWNER, STRANGERS_PASSWORD).await.refused(400, "invalid_credentials");
    assert_eq!(project.count("select count(*) from auth.users where email_confirmed_at is not null").await, 1, "{how}");
    let metadata = project.value("select raw_user_meta_data from auth.users").await;
    assert_ne!(metadata["name"], "Mallory", "{how}: {metadata}");
    assert_eq!(project.count("select count(*) from auth.identities where provider <> 'email'").await, 0, "{how}");
    let data = project.value("select identity_data from auth.identities").await;
    assert_ne!(data["name"], "Mallory", "{how}: {data}");
    assert_eq!(project.count("select count(*) from auth.mfa_factors").await, 0, "{how}");
    assert_eq!(project.count("select count(*) from auth.sessions where ip is null").await, 0, "{how}");
}

#[tokio::test]
async fn a_code_or_magic_link_leaves_nothing_of_the_stranger() {
    for path in ["/otp", "/magiclink"] {
        let project = project_with_a_strangers_account().await;
        project.post(path, json!({"email": OWNER})).send().await.expect(200);
        follow(&project).await;
        assert_nothing_is_left(&project, path).await;
    }
    let project = project_with_a_strangers_account().await;
    project.post("/otp", json!({"email": OWNER, "data": {"name": "Ann"}})).send().await.expect(200);
    let code = project.mail(OWNER).await.code;
    let body = json!({"type": "email", "email": OWNER, "token": code});
    let session = project.post("/verify", body).send().await.expect(200);
    assert_eq!(session.text("/user/user_metadata/name"), "Ann");
    assert_nothing_is_left(&project, "code").await;
}

#[tokio::test]
async fn a_recovery_link_or_code_leaves_nothing_of_the_stranger() {
    let project = project_with_a_strangers_account().await;
    project.post("/recover", json!({"email": OWNER})).send().await.expect(200);
    follow(&project).await;
    assert_nothing_is_left(&project, "link").await;

    let project = project_with_a_strangers_account().await;
    project.post("/recover", json!({"email": OWNER})).send().await.expect(200);
    let body = json!({"type": "recovery", "email": OWNER, "token": project.mail(OWNER).await.code});
    project.post("/verify", body).send().await.expect(200);
    assert_nothing_is_left(&project, "code").await;
}

#[tokio::test]
async fn the_owners_own_sign_up_takes_the_place_of_the_strangers() {
    let project = project_with_a_strangers_account().await;
    let strangers = project.mail(OWNER).await.link;
    let body = json!({"email": OWNER, "password": "owners own", "data": {"name": "Ann"}});
    let answer = project.post("/signup", body).send().await.expect(200);
    assert_eq!(answer.text("/user_metadata/name"), "Ann");
    // The link in the mail that was sent for the stranger's request is no longer valid.
    assert!(project.get(&strangers).send().await.expect(303).location_has("otp_expired"));
    follow(&project).await;
    assert_nothing_is_left(&project, "sign-up").await;
    let session = project.sign_in(OWNER, "owners own").await.expect(200);
    assert_eq!(session.text("/user/user_metadata/name"), "Ann");
    assert_eq!(session.text("/user/identities/0/identity_data/name"), "Ann");
}

/// A stranger signs up with the same address after the owner, from another network, so the newest mail belongs to the stranger's request.
#[tokio::test]
async fn a_stranger_who_signs_up_after_the_owner_gains_nothing() {
    let project = Project::new().await;
    let signup = |password: &str, name: &str, from: &str| {
        let body = json!({"email": OWNER, "password": password, "data": {"name": name}});
        project.post("/signup", body).from(from).send()
    };
    signup("owners own", "Ann", OWNERS_HOME).await.expect(200);
    signup(STRANGERS_PASSWORD, "Mallory", STRANGERS_HOME).await.expect(200);
    follow(&project).await;
    assert_nothing_is_left(&project, "stranger second").await;
    let session = project.get("/admin/users").bearer(&project.service_key()).send().await.expect(200);
    assert!(session.body["users"][0]["user_metadata"].get("name").is_none());
}

#[tokio::test]
async fn an_administrators_link_leaves_nothing_of_the_stranger() {
    let link =
        |kind: &str| json!({"type": kind, "email": OWNER, "password": "administrators", "data": {"name": "Ann"}});
    for (path, body) in [
        ("/invite", json!({"email": OWNER, "data": {"name": "Ann"}})),
        ("/admin/generate_link", link("invite")),
        ("/admin/generate_link", link("signup")),
        ("/admin/generate_link", link("magiclink")),
        ("/admin/generate_link", link("recovery")),
    ] {
        let project = project_with_a_strangers_account().await;
        let answer = project.post(path, body.clone()).bearer(&project.service_key()).send().await.expect(200);
        let (kind, hash) = match answer.body.get("hashed_token") {
            Some(_) => (answer.text("/verification_type"), answer.text("/hashed_token")),
            None => ("invite".to_owned(), project.mail(OWNER).await.hash().to_owned()),
        };
        let body = json!({"type": kind, "token_hash": hash});
        let session = project.post("/verify", body).send().await.expect(200);
        assert_nothing_is_left(&project, &format!("{path} {kind}")).await;
        if ["invite", "signup"].contains(&kind.as_str()) {
            assert_eq!(session.text("/user/user_metadata/name"), "Ann", "{kind}");
        }
    }
}

#[tokio::test]
async fn a_change_of_the_address_leaves_nothing_of_the_stranger() {
    let project = project_with_a_strangers_account().await;
    project.execute("update auth.users set email = 'mallory@b.example'").await;
    let body = json!({"type": "email_change_new", "email": "mallory@b.example", "new_email": OWNER});
    project.post("/admin/generate_link", body).bearer(&project.service_key()).send().await.expect(200);
    project.execute("update auth.users set email_change_confirm_status = 1").await;
    let hash = project
        .value("select to_jsonb(token_hash) from auth.one_time_tokens where token_type = 'email_change_token_new'")
        .await;
    let body = json!({"type": "email_change", "token_hash": hash});
    let session = project.post("/verify", body).send().await.expect(200);
    assert_eq!(session.text("/user/email"), OWNER);
    assert_nothing_is_left(&project, "change").await;
}

/// An account that was created with a provider's unverified address is treated like an account that a stranger signed up.
#[tokio::test]
async fn an_unproved_providers_account_does_not_come_along() {
    let (project, issuer) = super::external::project().await;
    issuer.says("strangers", OWNER, false);
    let state = super::external::begin(&project, "").await;
    assert!(super::external::come_back(&project, &state).await.location_has("provider_email_needs_verification"));
    project.post("/recover", json!({"email": OWNER})).send().await.expect(200);
    follow(&project).await;
    assert_nothing_is_left(&project, "provider").await;
}

#[tokio::test]
async fn a_text_message_leaves_nothing_of_the_stranger() {
    let project = Project::with(|settings| {
        settings.sms.enable_signup = true;
        settings.sms.enable_confirmations = true;
        settings.sms.max_frequency = crate::settings::GoDuration::from_secs(0);
        settings.sms.test_otp.insert("441475000000".into(), "123456".to_owned().into());
    })
    .await;
    let body = json!({"phone": "441475000000", "password": STRANGERS_PASSWORD, "data": {"name": "Mallory"}});
    project.post("/signup", body).from(STRANGERS_HOME).send().await.expect(200);
    project.post("/otp", json!({"phone": "441475000000"})).send().await.expect(200);
    let body = json!({"type": "sms", "phone": "441475000000", "token": "123456"});
    let session = project.post("/verify", body).send().await.expect(200);
    assert!(session.body["user"]["user_metadata"].get("name").is_none(), "{}", session.body);
    let body = json!({"phone": "441475000000", "password": STRANGERS_PASSWORD});
    project.post("/token?grant_type=password", body).send().await.refused(400, "invalid_credentials");
}

/// A stranger signs up with the same phone number after the owner, and the owner enters the code that was sent for the stranger's request.
#[tokio::test]
async fn a_stranger_who_signs_up_with_a_number_after_its_owner_gains_nothing() {
    let project = Project::with(|settings| {
        settings.sms.enable_signup = true;
        settings.sms.enable_confirmations = true;
        settings.sms.max_frequency = crate::settings::GoDuration::from_secs(0);
        settings.sms.test_otp.insert("441475000000".into(), "123456".to_owned().into());
    })
    .await;
    let signup = |password: &str, name: &str, from: &str| {
        let body = json!({"phone": "441475000000", "password": password, "data": {"name": name}});
        project.post("/signup", body).from(from).send()
    };
    signup("owners own", "Ann", OWNERS_HOME).await.expect(200);
    signup(STRANGERS_PASSWORD, "Mallory", STRANGERS_HOME).await.expect(200);
    let body = json!({"type": "sms", "phone": "441475000000", "token": "123456"});
    let session = project.post("/verify", body).from(OWNERS_HOME).send().await.expect(200);
    assert!(session.body["user"]["user_metadata"].get("name").is_none(), "{}", session.body);
    let body = json!({"phone": "441475000000", "password": STRANGERS_PASSWORD});
    project.post("/token?grant_type=password", body).send().await.refused(400, "invalid_credentials");
}

fn sign_up<'a>(project: &'a Project, password: &str) -> Call<'a> {
    project.post("/signup", json!({"email": OWNER, "password": password, "data": {"name": "Ann"}}))
}

async fn assert_the_sign_up_is_whole(project: &Project) {
    let session = project.sign_in(OWNER, "owners own").await.expect(200);
    assert_eq!(session.text("/user/user_metadata/name"), "Ann");
    assert_eq!(session.text("/user/identities/0/identity_data/name"), "Ann");
}

#[tokio::test]
async fn a_sign_up_that_is_confirmed_stays_whole() {
    // The owner's data remains in three cases: the owner confirms the account by the owner's own link, by a link that was sent again, or by
    // the link of a second sign-up.
    let project = Project::new().await;
    sign_up(&project, "owners own").send().await.expect(200);
    project.get(&project.mail(OWNER).await.link).from("203.0.113.5").send().await.expect(303);
    assert_the_sign_up_is_whole(&project).await;

    let project = Project::new().await;
    sign_up(&project, "owners own").send().await.expect(200);
    project.post("/resend", json!({"type": "signup", "email": OWNER})).from(STRANGERS_HOME).send().await.expect(200);
    follow(&project).await;
    assert_the_sign_up_is_whole(&project).await;

    let project = Project::new().await;
    sign_up(&project, "mistyped").send().await.expect(200);
    let first = project.mail(OWNER).await;
    sign_up(&project, "owners own").send().await.expect(200);
    assert_ne!(first.hash(), project.mail(OWNER).await.hash());
    follow(&project).await;
    assert_the_sign_up_is_whole(&project).await;
    project.sign_in(OWNER, "mistyped").await.refused(400, "invalid_credentials");
}

#[tokio::test]
async fn what_an_administrator_made_stays_whole() {
    for path in ["/otp", "/recover", "/signup"] {
        let project = Project::new().await;
        let user = json!({"email": OWNER, "password": "administrators", "user_metadata": {"name": "Ann"}});
        project.post("/admin/users", user).bearer(&project.service_key()).send().await.expect(200);
        let body = json!({"email": OWNER, "password": "another one", "data": {"name": "Mallory"}});
        let answer = project.post(path, body).send().await.expect(200);
        assert!(!answer.body.to_string().contains("Ann"), "{path}: {}", answer.body);
        follow(&project).await;
        let session = project.sign_in(OWNER, "administrators").await.expect(200);
        assert_eq!(session.text("/user/user_metadata/name"), "Ann", "{path}");
        project.sign_in(OWNER, "another one").await.refused(400, "invalid_credentials");
    }
}
