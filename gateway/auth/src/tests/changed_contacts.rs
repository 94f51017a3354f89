//! Tests that links and codes become invalid when the e-mail address or phone number of the account changes, whether the user or an
//! administrator changes it.

use super::{Answer, Project, json};

/// Creates a user with an e-mail address. Returns the response of the user's sign-in, and the user's id.
async fn member(project: &Project, email: &str) -> (Answer, String) {
    let session = project.member(email).await;
    let id = session.text("/user/id");
    (session, id)
}

async fn as_admin(project: &Project, id: &str, change: serde_json::Value) -> Answer {
    project.put(&format!("/admin/users/{id}"), change).bearer(&project.service_key()).send().await
}

async fn follow(project: &Project, link: &str) -> String {
    project.get(link).send().await.expect(303).headers["location"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn links_and_codes_of_the_address_before_open_nothing() {
    for path in ["/otp", "/recover"] {
        let project = Project::new().await;
        let (_, id) = member(&project, "old@example.com").await;
        project.post(path, json!({ "email": "old@example.com" })).send().await.expect(200);
        let mail = project.mail("old@example.com").await;
        as_admin(&project, &id, json!({ "email": "new@example.com" })).await.expect(200);
        assert!(follow(&project, &mail.link).await.contains("error_code=otp_expired"), "{path}");
        for email in ["old@example.com", "new@example.com"] {
            let typed = json!({ "type": "email", "email": email, "token": mail.code });
            project.post("/verify", typed).send().await.refused(403, "otp_expired");
        }
        let pending = "select count(*) from auth.one_time_tokens";
        assert_eq!(project.count(pending).await, 0);
    }
}

#[tokio::test]
async fn a_link_for_one_address_confirms_no_other() {
    let project = Project::new().await;
    let signed_up =
        project.post("/signup", json!({ "email": "a@example.com", "password": "correct horse" })).send().await;
    let id = signed_up.expect(200).text("/id");
    let mail = project.mail("a@example.com").await;
    let changed = as_admin(&project, &id, json!({ "email": "b@example.com" })).await.expect(200);
    assert_eq!(changed.body["email_confirmed_at"], json!(null));
    assert!(follow(&project, &mail.link).await.contains("error_code=otp_expired"));
    assert_eq!(project.count("select count(*) from auth.users where email_confirmed_at is not null").await, 0);
}

#[tokio::test]
async fn a_pending_change_does_not_overwrite_an_administrators() {
    let project = Project::new().await;
    let (session, id) = member(&project, "old@example.com").await;
    let asked = project.put("/user", json!({ "email": "mine@example.com" })).bearer(&session.text("/access_token"));
    asked.send().await.expect(200);
    let links = [project.mail("old@example.com").await.link, project.mail("mine@example.com").await.link];
    let changed = as_admin(&project, &id, json!({ "email": "new@example.com" })).await.expect(200);
    assert_eq!(changed.body["new_email"], json!(null));
    for link in links {
        assert!(follow(&project, &link).await.contains("error_code=otp_expired"));
    }
    assert_eq!(project.value("select to_jsonb(email) from auth.users").await, json!("new@example.com"));
}

/// A mailed link remains valid when the phone number changes, because the link belongs to the e-mail address to which it was sent.
#[tokio::test]
async fn a_changed_number_leaves_proofs_of_the_address() {
    let project = Project::new().await;
    let signed_up = json!({ "email": "a@example.com", "password": "correct horse" });
    let id = project.post("/signup", signed_up).send().await.expect(200).text("/id");
    let mail = project.mail("a@example.com").await;
    as_admin(&project, &id, json!({ "phone": "49151123400001" })).await.expect(200);
    let change = json!({ "phone": "49151123400002", "user_metadata": { "b": 1 } });
    as_admin(&project, &id, change).await.expect(200);
    assert!(follow(&project, &mail.link).await.contains("access_token="));
    let user = as_admin(&project, &id, json!({ "phone": "49151123400002" })).await.expect(200);
    assert_eq!((&user.body["user_metadata"]["b"], user.text("/phone")), (&json!(1), "49151123400002".into()));

    // A token with an unknown recipient becomes invalid with every change of address or number.
    project.post("/recover", json!({ "email": "a@example.com" })).send().await.expect(200);
    project.execute("delete from auth.one_time_tokens").await;
    as_admin(&project, &id, json!({ "phone": "49151123400003" })).await.expect(200);
    assert_eq!(project.count("select count(*) from auth.users where recovery_token <> ''").await, 0);
}

/// After a change of the e-mail address, the code that was sent to the unchanged phone number remains valid. After a change of the phone
/// number, the code that was sent to the previous number is not valid.
#[tokio::test]
async fn a_changed_address_leaves_the_code_of_the_number() {
    let project = Project::with(|settings| {
        settings.sms.enable_signup = true;
        settings.sms.enable_confirmations = true;
        settings.sms.test_otp.insert("49151123400001".into(), "123456".to_owned().into());
    })
    .await;
    project.post("/otp", json!({ "phone": "49151123400001" })).send().await.expect(200);
    let sent = "select count(*) from auth.one_time_tokens o join auth.users u on u.id = o.user_id
                where o.token_type = 'confirmation_token' and o.token_hash = u.confirmation_token";
    let id = project.value("select to_jsonb(id) from auth.users").await.as_str().unwrap().to_owned();
    as_admin(&project, &id, json!({ "email": "a@example.com" })).await.expect(200);
    assert_eq!(project.count(sent).await, 1);
    as_admin(&project, &id, json!({ "phone": "49151123400002" })).await.expect(200);
    assert_eq!(project.count(sent).await, 0);
}

/// A user changes the e-mail address and the phone number in one request. The number changes immediately; the address changes when the user
/// follows the mailed link.
#[tokio::test]
async fn both_contacts_change_at_once() {
    let project = Project::with(|settings| {
        settings.sms.enable_signup = true;
        settings.sms.enable_confirmations = false;
        settings.email.double_confirm_changes = false;
    })
    .await;
    let (session, _) = member(&project, "old@example.com").await;
    let change =
        json!({ "email": "new@example.com", "phone": "49151123400001", "data": { "email": "old@example.com" } });
    let changed = project.put("/user", change).bearer(&session.text("/access_token")).send().await.expect(200);
    assert_eq!(
        (changed.text("/phone"), changed.text("/new_email")),
        ("49151123400001".into(), "new@example.com".into())
    );
    assert_eq!(changed.body["app_metadata"]["providers"], json!(["email", "phone"]));
    assert!(follow(&project, &project.mail("new@example.com").await.link).await.contains("access_token="));
    let user = project.get("/user").bearer(&session.text("/access_token")).send().await.expect(200);
    assert_eq!(
        (user.text("/email"), user.text("/user_metadata/email")),
        ("new@example.com".into(), "new@example.com".into())
    );
    assert_eq!(
        (&user.body["user_metadata"]["phone_verified"], &user.body["user_metadata"]["email_verified"]),
        (&json!(true), &json!(true))
    );
}

/// A change of address or password also invalidates a PKCE authorization code that was issued when the user followed a link. The verifier
/// and challenge are those of RFC 7636, appendix B.
#[tokio::test]
async fn the_code_of_a_followed_link_ends_as_well() {
    let changes = [Some(json!({ "email": "new@example.com" })), Some(json!({ "password": "another horse" })), None];
    for change in changes {
        let project = Project::new().await;
        let (_, id) = member(&project, "old@example.com").await;
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        let asked = json!({ "email": "old@example.com", "code_challenge": challenge, "code_challenge_method": "s256" });
        project.post("/otp", asked).send().await.expect(200);
        let location = follow(&project, &project.mail("old@example.com").await.link).await;
        let code = location.split("code=").nth(1).unwrap().to_owned();
        let is_changed = change.is_some();
        if let Some(change) = change {
            as_admin(&project, &id, change).await.expect(200);
        }
        let exchange = json!({ "auth_code": code, "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" });
        let answer = project.post("/token?grant_type=pkce", exchange).send().await;
        match is_changed {
            true => _ = answer.refused(404, "flow_state_not_found"),
            false => _ = answer.expect(200),
        }
    }
}

/// After an update with an unchanged address, links that were sent to the address remain valid.
#[tokio::test]
async fn the_same_address_keeps_its_links() {
    let project = Project::new().await;
    let (_, id) = member(&project, "old@example.com").await;
    project.post("/otp", json!({ "email": "old@example.com" })).send().await.expect(200);
    let mail = project.mail("old@example.com").await;
    as_admin(&project, &id, json!({ "email": "old@example.com" })).await.expect(200);
    assert!(follow(&project, &mail.link).await.contains("access_token="));
}

/// Both addresses must confirm a change even with the CLI's default settings, in which `enable_confirmations` is false and
/// `double_confirm_changes` is true.
#[tokio::test]
async fn both_addresses_confirm_a_change_also_where_sign_ups_are_not_confirmed() {
    let project = Project::with(|settings| {
        settings.email.enable_confirmations = false;
        settings.email.double_confirm_changes = true;
    })
    .await;
    let (session, _) = member(&project, "old@example.com").await;
    let asked = project.put("/user", json!({ "email": "new@example.com" })).bearer(&session.text("/access_token"));
    asked.send().await.expect(200);
    let (old, new) = (project.mail("old@example.com").await, project.mail("new@example.com").await);
    let half = follow(&project, &new.link).await;
    assert!(half.contains("Confirmation+link+accepted"), "{half}");
    assert_eq!(project.value("select to_jsonb(email) from auth.users").await, json!("old@example.com"));
    assert!(follow(&project, &old.link).await.contains("access_token="));
    assert_eq!(project.value("select to_jsonb(email) from auth.users").await, json!("new@example.com"));
}

#[tokio::test]
async fn who_is_confirmed_is_not_anonymous() {
    for (contact, value) in [("email", "q@example.com"), ("phone", "49151123400001")] {
        let project = Project::with(|settings| settings.enable_anonymous_sign_ins = true).await;
        let session = project.post("/signup", json!({})).send().await.expect(200);
        let id = session.text("/user/id");
        let given = as_admin(&project, &id, json!({ contact: value })).await.expect(200);
        assert_eq!(given.body["is_anonymous"], json!(true));
        let confirm = format!("{contact}_confirm");
        let confirmed = as_admin(&project, &id, json!({ confirm: true })).await.expect(200);
        assert_eq!(confirmed.body["is_anonymous"], json!(false), "{contact}");
        let renewed = project.refresh(&session.text("/refresh_token")).await.expect(200);
        let claims = project.verifier.claims(&renewed.text("/access_token")).unwrap();
        assert_eq!(claims["is_anonymous"], json!(false), "{contact}");
    }
    // A user without an e-mail address and phone number remains anonymous, even if an administrator sets `email_confirm` and
    // `phone_confirm`.
    let project = Project::with(|settings| settings.enable_anonymous_sign_ins = true).await;
    let id = project.post("/signup", json!({})).send().await.expect(200).text("/user/id");
    let still = as_admin(&project, &id, json!({ "email_confirm": true, "phone_confirm": true })).await.expect(200);
    assert_eq!(still.body["is_anonymous"], json!(true));
}

/// If the redirect URL has a fragment, the session replaces the fragment. A URL has only one fragment (RFC 3986, section 3.5), and auth-js
/// parses the fragment as a query.
#[tokio::test]
async fn a_target_with_a_fragment_gets_its_session() {
    let project =
        Project::with(|settings| settings.additional_redirect_urls = vec!["http://localhost:3000/**".into()]).await;
    project.member("ann@example.com").await;
    let target = "http%3A%2F%2Flocalhost%3A3000%2Fapp%23%2Fsettings";
    project.post(&format!("/otp?redirect_to={target}"), json!({ "email": "ann@example.com" })).send().await.expect(200);
    let link = project.mail("ann@example.com").await.link;
    let location = follow(&project, &link).await;
    assert!(location.starts_with("http://localhost:3000/app#access_token="), "{location}");
    assert_eq!(location.matches('#').count(), 1);
    let again = follow(&project, &link).await;
    assert!(again.starts_with("http://localhost:3000/app#error="), "{again}");
}

/// If a trigger of the project fails, the response contains GoTrue's error message, because users search for this message.
#[tokio::test]
async fn words_of_a_failing_trigger() {
    let project = Project::with(|settings| settings.enable_anonymous_sign_ins = true).await;
    project
        .execute(
            "create function public.boom() returns trigger language plpgsql as $$ begin raise exception 'boom'; end $$;
             create trigger boom after insert on auth.users for each row execute function public.boom();",
        )
        .await;
    let person = json!({ "email": "ann@example.com", "password": "correct horse" });
    let key = project.service_key();
    for (path, body, words) in [
        ("/admin/users", person.clone(), "Database error creating new user"),
        ("/signup", json!({}), "Database error creating anonymous user"),
        ("/signup", person.clone(), "Database error saving new user"),
        ("/otp", json!({ "email": "ann@example.com" }), "Database error saving new user"),
        ("/invite", json!({ "email": "ann@example.com" }), "Database error saving new user"),
    ] {
        let answer = project.post(path, body).bearer(&key).send().await.refused(500, "unexpected_failure");
        assert_eq!(answer.text("/message"), words, "{path}");
    }
}

#[tokio::test]
async fn metadata_fits_into_a_token() {
    let project = Project::new().await;
    let (session, id) = member(&project, "ann@example.com").await;
    let token = session.text("/access_token");
    let large = "x".repeat(900_000);
    project
        .put("/user", json!({ "data": { "a": large } }))
        .bearer(&token)
        .send()
        .await
        .refused(400, "validation_failed");
    as_admin(&project, &id, json!({ "app_metadata": { "a": large } })).await.refused(400, "validation_failed");
    let sign_up = json!({ "email": "bob@example.com", "password": "correct horse", "data": { "a": large } });
    project.post("/signup", sign_up).send().await.refused(400, "validation_failed");
    // Several small updates of the metadata are refused once the total size exceeds the limit.
    let mut refused = 0;
    for name in ["a", "b", "c"] {
        let part = json!({ "data": { name: "x".repeat(10_000) } });
        refused += i32::from(project.put("/user", part).bearer(&token).send().await.status != 200);
    }
    assert_eq!(refused, 1);
    // A user whose metadata exceeds the limit, because an SQL statement wrote it, can still sign in.
    project.execute("update auth.users set raw_user_meta_data = jsonb_build_object('a', repeat('x', 900000))").await;
    let signed_in = project.sign_in("ann@example.com", "correct horse").await.expect(200);
    let token = signed_in.text("/access_token");
    assert!(token.len() < 4096, "{} bytes", token.len());
    assert_eq!(project.verifier.claims(&token).unwrap()["user_metadata"], json!({}));
}
