//! Tests of the OAuth parameters `prompt` and `max_age` and of the claim `auth_time`: when the user must sign in again, and when
//! interaction with the user is forbidden.

use super::*;

async fn with_silent_requests() -> Project {
    let change = |settings: &mut crate::Settings| settings.oauth_server.enabled = true;
    Project::made(change, |setup| setup.prompt_none = true).await
}

async fn an_hour_passes(project: &Project) {
    project.execute("update auth.mfa_amr_claims set updated_at = updated_at - interval '1 hour'").await;
}

#[tokio::test]
async fn a_max_age_is_a_number_of_seconds() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    for wrong in ["-1", "1.5", "soon", "1e3", "9999999999", "+1", " 1"] {
        let sent = authorize(&project, &app, &[("max_age", wrong)]).await.expect(302).location();
        assert_eq!(query(&sent)["error"], "invalid_request", "{wrong}");
    }
    for wrong in ["none login", "nothing", "login none"] {
        let sent = authorize(&project, &app, &[("prompt", wrong)]).await.expect(302).location();
        assert_eq!(query(&sent)["error"], "invalid_request", "{wrong}");
    }
}

#[tokio::test]
async fn an_old_sign_in_does_not_answer_for_a_new_one() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    // Grants the scopes first, so that the following requests require no consent.
    tokens(&project, &app, &user).await;
    an_hour_passes(&project).await;
    for changes in [[("max_age", "60")], [("prompt", "login")], [("max_age", "0")]] {
        let request = request(&project, &app, &changes).await;
        let shown = details(&project, &request, &user).await.expect(200);
        assert_eq!((shown.body.get("redirect_url"), &shown.body["sign_in_required"]), (None, &json!(true)));
        let answer = query(&decide(&project, &request, &user, "approve").await.expect(200).text("/redirect_url"));
        assert_eq!((answer["error"].as_str(), answer["state"].as_str()), ("login_required", "s1"));
        decide(&project, &request, &user, "approve").await.refused(400, "validation_failed");
    }
    // A user who must sign in again can still deny the authorization request.
    let request = request(&project, &app, &[("prompt", "login")]).await;
    details(&project, &request, &user).await.expect(200);
    let answer = query(&decide(&project, &request, &user, "deny").await.expect(200).text("/redirect_url"));
    assert_eq!(answer["error"], "access_denied");
}

#[tokio::test]
async fn whoever_signs_in_anew_is_asked_and_goes_on() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let old = project.member("a@b.example").await.access_token();
    project.member("c@d.example").await;
    tokens(&project, &app, &old).await;
    an_hour_passes(&project).await;
    let waiting = request(&project, &app, &[("max_age", "60")]).await;
    assert_eq!(details(&project, &waiting, &old).await.expect(200).body["sign_in_required"], true);
    // Another user, with another account, signs in on the consent page.
    let other = project.sign_in("c@d.example", "correct horse").await.expect(200).access_token();
    let shown = details(&project, &waiting, &other).await.expect(200);
    assert_eq!((shown.body.get("sign_in_required"), shown.text("/user/email")), (None, "c@d.example".into()));
    details(&project, &waiting, &old).await.refused(404, "oauth_authorization_not_found");
    decide(&project, &waiting, &old, "approve").await.refused(404, "oauth_authorization_not_found");
    let answer = query(&decide(&project, &waiting, &other, "approve").await.expect(200).text("/redirect_url"));
    exchange(&project, &app, &answer["code"], &[]).await.expect(200);

    // A request with `prompt=login` requires the user's consent even for granted scopes. A request with `max_age` alone does not.
    let new = project.sign_in("a@b.example", "correct horse").await.expect(200).access_token();
    let quiet = request(&project, &app, &[("max_age", "60")]).await;
    assert!(details(&project, &quiet, &new).await.expect(200).text("/redirect_url").contains("code="));
}

#[tokio::test]
async fn auth_time_is_that_of_the_session_that_approved() {
    let project = project().await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    let auth_time = async |user: &str| {
        let code = code(&project, &app, user, &[]).await;
        let token = exchange(&project, &app, &code, &[]).await.expect(200).text("/id_token");
        project.verifier.claims(&token).unwrap()["auth_time"].as_i64().unwrap()
    };
    let first = auth_time(&user).await;
    an_hour_passes(&project).await;
    assert_eq!(auth_time(&user).await, first - 3600);
    // A sign-in of the user in another session does not change the `auth_time` of this session.
    let other = project.sign_in("a@b.example", "correct horse").await.expect(200).access_token();
    assert_eq!(auth_time(&user).await, first - 3600);
    assert!(auth_time(&other).await >= first);
}

#[tokio::test]
async fn nobody_is_asked_where_nobody_may_be() {
    let project = with_silent_requests().await;
    let app = app(&project, json!({})).await;
    let user = project.member("a@b.example").await.access_token();
    let silent = [("prompt", "none")];
    let told = async |changes: &[(&str, &str)]| {
        let request = request(&project, &app, changes).await;
        let address = details(&project, &request, &user).await.expect(200).text("/redirect_url");
        decide(&project, &request, &user, "approve").await.refused(400, "validation_failed");
        query(&address)
    };
    assert_eq!(told(&silent).await["error"], "consent_required");
    // The endpoint for the user's decision refuses a request with `prompt=none`.
    let waiting = request(&project, &app, &silent).await;
    decide(&project, &waiting, &user, "approve").await.refused(404, "oauth_authorization_not_found");
    tokens(&project, &app, &user).await;
    let granted = told(&silent).await;
    exchange(&project, &app, &granted["code"], &[]).await.expect(200);
    assert_eq!(told(&[("prompt", "none"), ("scope", "openid phone")]).await["error"], "consent_required");
    an_hour_passes(&project).await;
    assert_eq!(told(&[("prompt", "none"), ("max_age", "60")]).await["error"], "login_required");
    let document = project.get("/.well-known/openid-configuration").send().await.expect(200);
    assert_eq!(document.body["prompt_values_supported"], json!(["none", "login", "consent", "select_account"]));
}

#[tokio::test]
async fn the_page_says_that_nobody_is_signed_in() {
    let project = with_silent_requests().await;
    let app = app(&project, json!({})).await;
    let leave =
        async |request: &str| project.get(&format!("/oauth/authorizations/{request}/login_required")).send().await;
    leave("unknown").await.refused(404, "oauth_authorization_not_found");
    let asked = request(&project, &app, &[]).await;
    leave(&asked).await.refused(400, "validation_failed");
    let waiting = request(&project, &app, &[("prompt", "none")]).await;
    let address = leave(&waiting).await.expect(302).location();
    let answer = query(&address);
    assert!(address.starts_with(REDIRECT), "{address}");
    assert_eq!((answer["error"].as_str(), answer["state"].as_str()), ("login_required", "s1"));
    leave(&waiting).await.refused(400, "validation_failed");

    // If the project's consent page does not support `prompt=none`, the OAuth client receives the error immediately.
    let project = super::project().await;
    let app = super::app(&project, json!({})).await;
    let sent = authorize(&project, &app, &[("prompt", "none")]).await.expect(302).location();
    assert_eq!(query(&sent)["error"], "login_required");
}
