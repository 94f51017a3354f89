//! Tests of sign-in with external providers: /authorize, /callback, ID tokens, and linking and unlinking of identities.

use serde_json::Value;
use url::Url;

use super::issuer::{CLIENT, Issuer};
use super::{Answer, Project, json};
use crate::settings::{Provider, Settings};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

pub(super) async fn project() -> (Project, Issuer) {
    project_with(|_| {}).await
}

pub(super) async fn project_with(change: impl FnOnce(&mut Settings)) -> (Project, Issuer) {
    let issuer = Issuer::start().await;
    let provider = Provider {
        enabled: true,
        client_id: format!("{CLIENT},our-app"),
        secret: "their-secret".to_owned().into(),
        url: issuer.url.clone(),
        ..Provider::default()
    };
    let project = Project::with(|settings| {
        settings.external.insert("club".into(), provider);
        settings.enable_manual_linking = true;
        change(settings);
    })
    .await;
    (project, issuer)
}

/// Starts a sign-in with the provider. Returns the `state` parameter of the redirect to the provider.
pub(super) async fn begin(project: &Project, query: &str) -> String {
    let location = project.get(&format!("/authorize?provider=club{query}")).send().await.expect(302).location();
    state_of(&location)
}

pub(super) fn state_of(location: &str) -> String {
    let url = Url::parse(location).unwrap();
    url.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned()
}

pub(super) async fn come_back(project: &Project, state: &str) -> Answer {
    project.get(&format!("/callback?code=abc&state={state}")).send().await
}

async fn sign_in(project: &Project) -> String {
    let state = begin(project, "").await;
    come_back(project, &state).await.expect(302).location()
}

#[tokio::test]
async fn unknown_providers_and_overridden_parameters() {
    let (project, issuer) = project().await;
    for provider in ["", "google", "nonsense"] {
        let path = format!("/authorize?provider={provider}");
        project.get(&path).send().await.refused(400, "validation_failed");
    }
    project.get("/authorize?provider=club&code_challenge=x").send().await.refused(400, "validation_failed");
    let query =
        "&redirect_uri=https://evil.example&Client_id=evil&state=evil&response_type=token&scopes=more&prompt=login";
    let location = project.get(&format!("/authorize?provider=club{query}")).send().await.expect(302).location();
    assert!(location.starts_with(&format!("{}/authorize?client_id={CLIENT}&", issuer.url)));
    assert!(!location.contains("evil") && !location.contains("response_type=token"), "{location}");
    assert!(location.contains("prompt=login") && location.contains("scope=openid+email+profile+more"));
    assert!(location.contains("code_challenge_method=S256"));
}

#[tokio::test]
async fn states_that_are_none() {
    let (project, issuer) = project().await;
    issuer.says("1", "a@b.example", true);
    let error = async |path: &str| project.get(path).send().await.expect(303).location();
    assert!(
        error("/callback?code=abc")
            .await
            .starts_with("https://club.example?error=invalid_request&error_code=bad_oauth_callback")
    );
    assert!(error("/callback?code=abc&state=x").await.contains("error_code=bad_oauth_state"));
    let unknown = format!("/callback?code=abc&state={}", uuid::Uuid::new_v4());
    assert!(error(&unknown).await.contains("error_code=bad_oauth_state"));
    let state = begin(&project, "").await;
    project.execute("update auth.flow_state set created_at = now() - interval '6 minutes'").await;
    assert!(error(&format!("/callback?code=abc&state={state}")).await.contains("error_code=bad_oauth_state"));
    let state = begin(&project, "&redirect_to=https://club.example/in").await;
    let location = project
        .get(&format!("/callback?error=access_denied&error_description=no+thanks&state={state}"))
        .send()
        .await
        .expect(302)
        .location();
    assert_eq!(
        location,
        "https://club.example/in?error=access_denied&error_description=no+thanks#error=access_denied&error_description=no+thanks&sb="
    );
}

#[tokio::test]
async fn an_implicit_flow_ends_in_a_session_once() {
    let (project, issuer) = project().await;
    issuer.says("1", "Ann@B.example", true);
    let state = begin(&project, "&redirect_to=https://evil.example").await;
    let location = come_back(&project, &state).await.expect(302).location();
    assert!(
        location.starts_with("https://club.example#access_token=") && location.contains("&provider_token=their-token&")
    );
    assert!(come_back(&project, &state).await.expect(303).location().contains("bad_oauth_state"));
    let token = location.split("access_token=").nth(1).unwrap().split('&').next().unwrap();
    let user = project.get("/user").bearer(token).send().await.expect(200);
    assert_eq!((user.text("/email"), user.text("/app_metadata/provider")), ("ann@b.example".into(), "club".into()));
    assert_eq!((user.text("/user_metadata/full_name"), user.text("/identities/0/id")), ("Ann".into(), "1".into()));
    let exchange = issuer.exchanges.lock().unwrap()[0].clone();
    assert!(exchange.iter().any(|(name, value)| name == "code_verifier" && value.len() == 43));
    sign_in(&project).await;
    assert_eq!(project.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn a_pkce_flow_ends_in_one_code_even_in_parallel() {
    let (project, issuer) = project().await;
    issuer.says("1", "a@b.example", true);
    let state = begin(&project, &format!("&code_challenge={CHALLENGE}&code_challenge_method=s256")).await;
    let answers = futures_util::future::join_all((0..5).map(|_| come_back(&project, &state))).await;
    let codes: Vec<String> = answers
        .iter()
        .map(Answer::location)
        .filter_map(|location| location.strip_prefix("https://club.example?code=").map(str::to_owned))
        .collect();
    assert_eq!(codes.len(), 1);
    let body = json!({"auth_code": codes[0], "code_verifier": VERIFIER});
    let session = project.post("/token?grant_type=pkce", body.clone()).send().await.expect(200);
    assert_eq!(
        (session.text("/provider_token"), session.text("/provider_refresh_token")),
        ("their-token".into(), "their-refresh".into())
    );
    let claims = project.verifier.verify(&session.access_token()).unwrap();
    assert_eq!(claims.claims()["amr"][0]["method"], "oauth");
    project.post("/token?grant_type=pkce", body).send().await.refused(404, "flow_state_not_found");
}

#[tokio::test]
async fn an_unproved_address_opens_no_account() {
    let (project, issuer) = project().await;
    issuer.says("1", "new@b.example", false);
    let location = sign_in(&project).await;
    assert!(location.contains("error=access_denied") && location.contains("provider_email_needs_verification"));
    assert_eq!(project.mail("new@b.example").await.kind, "confirmation");

    // A sign-in with an unverified address does not give access to the account that has this address.
    project.member("taken@b.example").await;
    issuer.says("2", "taken@b.example", false);
    assert!(sign_in(&project).await.contains("provider_email_needs_verification"));
    let linked = "select count(*) from auth.identities i join auth.users u on u.id = i.user_id
                  where i.provider = 'club' and u.email = 'taken@b.example'";
    assert_eq!(project.count(linked).await, 0);
}

/// If the project does not require confirmed addresses, a sign-in with an address that the provider has not verified creates a new account,
/// as in GoTrue. It does not give access to an existing account.
#[tokio::test]
async fn an_unproved_address_joins_no_account_where_none_is_confirmed() {
    let (project, issuer) = project_with(|settings| settings.email.enable_confirmations = false).await;
    project.member("taken@b.example").await;
    issuer.says("1", "taken@b.example", false);
    let refused = sign_in(&project).await;
    assert!(refused.contains("provider_email_needs_verification"), "{refused}");
    let token = issuer.id_token(json!({"sub": "2", "email": "Taken@b.example", "email_verified": false}));
    let body = json!({"provider": "club", "id_token": token});
    project.post("/token?grant_type=id_token", body).send().await.refused(422, "provider_email_needs_verification");
    let linked = "select count(*) from auth.identities i join auth.users u on u.id = i.user_id
                  where i.provider = 'club' and u.email = 'taken@b.example'";
    assert_eq!(project.count(linked).await, 0);
    issuer.says("3", "new@b.example", false);
    assert!(sign_in(&project).await.contains("access_token="));
    issuer.says("4", "taken@b.example", true);
    assert!(sign_in(&project).await.contains("access_token="));
    assert_eq!(project.count(linked).await, 1);
}

#[tokio::test]
async fn what_someone_set_up_before_the_owner_came_is_gone() {
    let (project, issuer) = project().await;
    let hijack = json!({"email": "victim@b.example", "password": "attackers own"});
    project.post("/signup", hijack).send().await.expect(200);
    let link = project.mail("victim@b.example").await.link;
    issuer.says("1", "victim@b.example", true);
    assert!(sign_in(&project).await.contains("access_token="));
    project.sign_in("victim@b.example", "attackers own").await.refused(400, "invalid_credentials");
    assert!(project.get(&link).send().await.location().contains("otp_expired"));
    assert_eq!(project.count("select count(*) from auth.identities where provider = 'email'").await, 0);
}

#[tokio::test]
async fn a_proved_address_joins_a_proved_account() {
    let (project, issuer) = project().await;
    project.member("a@b.example").await;
    issuer.says("1", "A@b.example", true);
    assert!(sign_in(&project).await.contains("access_token="));
    let session = project.sign_in("a@b.example", "correct horse").await.expect(200);
    assert_eq!(session.body["user"]["app_metadata"]["providers"], json!(["email", "club"]));
    assert_eq!(project.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn where_sign_up_is_closed_only_known_people_come_in() {
    let (project, issuer) = project_with(|settings| settings.enable_signup = false).await;
    issuer.says("1", "new@b.example", true);
    assert!(sign_in(&project).await.contains("error_code=signup_disabled"));
    project.member("a@b.example").await;
    issuer.says("2", "a@b.example", true);
    assert!(sign_in(&project).await.contains("access_token="));
}

#[tokio::test]
async fn id_tokens_that_prove_nothing() {
    let (project, issuer) = project().await;
    let grant = |body: Value| project.post("/token?grant_type=id_token", body).send();
    let claims = json!({"sub": "1", "email": "a@b.example", "email_verified": true});
    let with = |name: &str, value: Value| {
        let mut claims = claims.clone();
        claims[name] = value;
        claims
    };
    let (stranger, unsigned) = (Issuer::start().await, "eyJhbGciOiJub25lIn0.e30.");
    let public_key_as_secret = {
        let ring = cloch_sql::caller::KeyRing::new(issuer.keys.jwks()["keys"][0].to_string().into(), &[]).unwrap();
        ring.sign_hs256(&with("iss", json!(issuer.url))).unwrap()
    };
    for token in [
        unsigned.to_owned(),
        public_key_as_secret,
        "a.b.c".to_owned(),
        stranger.id_token(with("iss", json!(issuer.url))),
        issuer.id_token(with("iss", json!("https://evil.example"))),
        issuer.id_token(with("aud", json!("another-client"))),
        issuer.id_token(with("exp", json!(1))),
        issuer.id_token(with("sub", json!(""))),
    ] {
        let answer = grant(json!({"provider": "club", "id_token": token})).await.expect(400);
        assert_eq!(answer.body["error"], "invalid request", "{}", answer.body);
    }
    let good = issuer.id_token(claims.clone());
    grant(json!({"provider": "club"})).await.expect(400);
    grant(json!({"id_token": good})).await.expect(400);
    grant(json!({"id_token": good, "client_id": "x", "issuer": "https://evil.example"}))
        .await
        .refused(400, "validation_failed");
    let mismatch = grant(json!({"provider": "club", "id_token": good, "nonce": "n"})).await.expect(400);
    assert_eq!(mismatch.body["error"], "invalid request");
    let nonced = issuer.id_token(with("nonce", json!("0123")));
    assert_eq!(
        grant(json!({"provider": "club", "id_token": nonced, "nonce": "n"})).await.body["error"],
        "invalid nonce"
    );
    assert_eq!(project.count("select count(*) from auth.users").await, 0);
    grant(json!({"provider": "club", "id_token": issuer.id_token(with("aud", json!(["our-app"])))})).await.expect(200);
}

#[tokio::test]
async fn identities_are_added_and_removed_by_their_owner() {
    let (project, issuer) = project().await;
    let token = project.member("a@b.example").await.access_token();
    let path = "/user/identities/authorize?provider=club&skip_http_redirect=true";
    project.get(path).send().await.refused(401, "no_authorization");
    let address = project.get(path).bearer(&token).send().await.expect(200).text("/url");
    issuer.says("1", "other@b.example", false);
    assert!(come_back(&project, &state_of(&address)).await.expect(302).location().contains("access_token="));
    let address = project.get(path).bearer(&token).send().await.expect(200).text("/url");
    assert!(come_back(&project, &state_of(&address)).await.location().contains("identity_already_exists"));

    let user = project.get("/user").bearer(&token).send().await.expect(200);
    assert_eq!(user.body["app_metadata"]["providers"], json!(["email", "club"]));
    let id = |at: usize| user.text(&format!("/identities/{at}/identity_id"));
    let unlink = |id: &str| project.delete(&format!("/user/identities/{id}")).bearer(&token).send();
    let stranger = project.member("c@d.example").await.access_token();
    project
        .delete(&format!("/user/identities/{}", id(1)))
        .bearer(&stranger)
        .send()
        .await
        .refused(422, "single_identity_not_deletable");
    unlink("x").await.refused(404, "validation_failed");
    unlink(&uuid::Uuid::new_v4().to_string()).await.refused(422, "identity_not_found");
    unlink(&id(1)).await.expect(200);
    unlink(&id(0)).await.refused(422, "single_identity_not_deletable");

    let (closed, _) = project_with(|settings| settings.enable_manual_linking = false).await;
    let token = closed.member("a@b.example").await.access_token();
    closed.get(path).bearer(&token).send().await.refused(404, "manual_linking_disabled");
}
