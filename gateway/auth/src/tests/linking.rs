//! Tests of identities that an anonymous user or a user without an address links.

use super::external::{come_back, project_with, state_of};
use super::issuer::Issuer;
use super::{Answer, Project, json};
use crate::cleanup;

async fn anonymous_project(email_optional: bool) -> (Project, Issuer) {
    project_with(|settings| {
        settings.enable_anonymous_sign_ins = true;
        settings.external.get_mut("club").unwrap().email_optional = email_optional;
    })
    .await
}

async fn anonymous(project: &Project) -> String {
    project.post("/signup", json!({"data": {"theme": "dark"}})).send().await.expect(200).access_token()
}

async fn link(project: &Project, token: &str) -> String {
    let path = "/user/identities/authorize?provider=club&skip_http_redirect=true";
    let address = project.get(path).bearer(token).send().await.expect(200).text("/url");
    come_back(project, &state_of(&address)).await.location()
}

async fn user(project: &Project, token: &str) -> Answer {
    project.get("/user").bearer(token).send().await.expect(200)
}

/// Sets the age of all users above the maximum age of anonymous users, and runs the cleanup. Returns the number of remaining users.
async fn left_after_cleanup(project: &Project) -> i64 {
    project.execute("update auth.users set created_at = now() - interval '31 days'").await;
    cleanup::once(&project.state).await.unwrap();
    project.count("select count(*) from auth.users").await
}

#[tokio::test]
async fn an_identity_without_an_address_makes_a_user_permanent() {
    let (project, issuer) = anonymous_project(true).await;
    let token = anonymous(&project).await;
    issuer.says("1", "", false);
    let location = link(&project, &token).await;
    assert!(location.contains("access_token="), "{location}");
    let own = user(&project, &token).await;
    assert_eq!((own.body["is_anonymous"].as_bool(), own.text("/email")), (Some(false), String::new()));
    assert_eq!((own.text("/user_metadata/theme"), own.text("/user_metadata/full_name")), ("dark".into(), "Ann".into()));
    assert_eq!(own.body["app_metadata"]["providers"], json!(["club"]));
    assert_eq!(left_after_cleanup(&project).await, 1);
}

#[tokio::test]
async fn an_identity_with_an_address_brings_its_metadata() {
    let (project, issuer) = anonymous_project(false).await;
    let token = anonymous(&project).await;
    issuer.says("1", "a@b.example", true);
    assert!(link(&project, &token).await.contains("access_token="));
    let own = user(&project, &token).await;
    assert_eq!((own.body["is_anonymous"].as_bool(), own.text("/email")), (Some(false), "a@b.example".into()));
    assert_eq!((own.text("/user_metadata/theme"), own.text("/user_metadata/full_name")), ("dark".into(), "Ann".into()));

    // The metadata of a user who is not anonymous does not change when an identity is linked.
    let token = project.member("c@b.example").await.access_token();
    issuer.says("2", "d@b.example", true);
    assert!(link(&project, &token).await.contains("access_token="));
    assert_eq!(user(&project, &token).await.body["user_metadata"].get("full_name"), None);
}

/// The cleanup does not delete a user who has an identity but is still marked as anonymous, as earlier versions left such users. The next
/// sign-in makes the user permanent.
#[tokio::test]
async fn an_account_with_an_identity_is_not_cleaned_up() {
    let (project, issuer) = anonymous_project(true).await;
    let token = anonymous(&project).await;
    issuer.says("1", "", false);
    link(&project, &token).await;
    project.execute("update auth.users set is_anonymous = true").await;
    anonymous(&project).await;
    assert_eq!(left_after_cleanup(&project).await, 1);
    let state = super::external::begin(&project, "").await;
    assert!(come_back(&project, &state).await.location().contains("access_token="));
    assert_eq!(project.count("select count(*) from auth.users where is_anonymous").await, 0);
}

/// Without `email_optional`, nobody can sign in with an identity that has no address. Such an identity is not linked to an account without
/// an address. A refused sign-in does not change the account.
#[tokio::test]
async fn an_identity_that_cannot_sign_in_is_not_linked() {
    let (project, issuer) = anonymous_project(false).await;
    let token = anonymous(&project).await;
    issuer.says("1", "", false);
    let location = link(&project, &token).await;
    assert!(location.contains("Error+getting+user+email+from+external+provider"), "{location}");
    assert_eq!(project.count("select count(*) from auth.identities").await, 0);

    let phone = json!({"phone": "441475000000", "phone_confirm": true, "password": "correct horse"});
    project.post("/admin/users", phone).bearer(&project.service_key()).send().await.expect(200);
    project
        .execute(
            "insert into auth.identities (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
             select gen_random_uuid(), '1', id, '{\"sub\": \"1\"}', 'club', now(), now(), now()
             from auth.users where phone is not null",
        )
        .await;
    let body = json!({"provider": "club", "id_token": issuer.id_token(json!({"sub": "1"}))});
    project.post("/token?grant_type=id_token", body).send().await.refused(422, "provider_email_needs_verification");
    assert_eq!(project.count("select count(*) from auth.identities where provider = 'phone'").await, 1);
    let kept = "select count(*) from auth.users where phone is not null and encrypted_password <> ''";
    assert_eq!(project.count(kept).await, 1);
}
