//! Tests of POST /signup and of the confirmation that follows.

use super::{Project, json};

#[tokio::test]
async fn refuses_in_the_order_upstream_does() {
    let project = Project::new().await;
    let signup = |body| project.post("/signup", body).send();
    project.post("/signup", json!({})).raw("").send().await.refused(400, "bad_json");
    signup(json!({})).await.refused(422, "anonymous_provider_disabled");
    signup(json!({"email": "a@b.example"})).await.refused(400, "validation_failed");
    signup(json!({"email": "a@b.example", "password": "short"})).await.refused(422, "weak_password");
    signup(json!({"email": "a@b.example", "password": "a".repeat(73)})).await.refused(400, "validation_failed");
    signup(json!({"email": "a@b.example", "phone": "44", "password": "longer"}))
        .await
        .refused(400, "validation_failed");
    signup(json!({"phone": "441475000000", "password": "longer"})).await.refused(400, "phone_provider_disabled");
    signup(json!({"email": "no address", "password": "longer"})).await.refused(400, "validation_failed");
    signup(json!({"email": "a@b.example", "password": "longer", "code_challenge": "x"}))
        .await
        .refused(400, "validation_failed");
    assert_eq!(project.count("select count(*) from auth.users").await, 0);

    let closed = Project::with(|settings| settings.enable_signup = false).await;
    let answer = closed.post("/signup", json!({"email": "a@b.example"})).send().await.refused(422, "signup_disabled");
    assert_eq!(answer.text("/message"), "Signups not allowed for this instance");
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let project = Project::new().await;
    let body = json!({"email": "a@b.example", "password": "a".repeat(10 * 1024 * 1024)});
    project.post("/signup", body).send().await.refused(413, "request_entity_too_large");
    // The server refuses this body because it contains too many JSON values, which would take forty times the size of the body in memory.
    let body = json!({"email": "a@b.example", "password": vec![json!([]); 300_000]});
    let refused = project.post("/token?grant_type=password", body).send().await.refused(400, "bad_json");
    assert!(refused.text("/message").contains("too many values"), "{}", refused.body);
}

#[tokio::test]
async fn metadata_cannot_give_rights() {
    let project = Project::with(|settings| settings.email.enable_confirmations = false).await;
    let body = json!({
        "email": "a@b.example", "password": "correct horse", "role": "service_role", "app_metadata": {"admin": true},
        "data": {"role": "service_role", "sub": "someone", "email": "c@d.example", "email_verified": true, "name": "Ann"},
    });
    let session = project.post("/signup", body).send().await.expect(200);
    let user = &session.body["user"];
    assert_eq!((user["role"].as_str(), user["email"].as_str()), (Some("authenticated"), Some("a@b.example")));
    assert_eq!(user["app_metadata"], json!({"provider": "email", "providers": ["email"]}));
    assert_eq!(user["identities"][0]["identity_data"]["sub"], user["id"]);
    assert_eq!(user["identities"][0]["identity_data"]["email"], "a@b.example");
    assert_eq!(user["user_metadata"]["name"], "Ann");
    let claims = project.verifier.verify(&session.access_token()).unwrap();
    assert_eq!(claims.role(), "authenticated");
}

#[tokio::test]
async fn a_known_address_is_answered_like_a_new_one() {
    let project = Project::new().await;
    project.member("known@b.example").await;
    let signup = |email: &str| project.post("/signup", json!({"email": email, "password": "another one"})).send();
    let known = signup("Known@b.example").await.expect(200);
    let new = signup("new@b.example").await.expect(200);
    assert_eq!(known.body["identities"], json!([]));
    for field in ["id", "aud", "email", "phone", "confirmation_sent_at", "app_metadata", "user_metadata", "created_at"]
    {
        assert_eq!(known.body.get(field).is_some(), new.body.get(field).is_some(), "{field}");
    }
    assert!(new.body.get("access_token").is_none() && new.body["identities"][0]["id"] == new.body["id"]);
    assert_eq!(project.count("select count(*) from auth.users").await, 2);
    project.sign_in("known@b.example", "another one").await.refused(400, "invalid_credentials");
}

#[tokio::test]
async fn with_autoconfirm_a_known_address_is_told_and_a_new_one_signed_in() {
    let project = Project::with(|settings| settings.email.enable_confirmations = false).await;
    let body = json!({"email": "A@B.example", "password": "correct horse"});
    let session = project.post("/signup", body.clone()).send().await.expect(200);
    assert_eq!(session.text("/user/email"), "a@b.example");
    assert_eq!(session.body["user"]["user_metadata"]["email_verified"], true);
    let answer = project.post("/signup", body).send().await.refused(422, "user_already_exists");
    assert_eq!(answer.text("/message"), "User already registered");
}

#[tokio::test]
async fn the_gap_between_mails_is_kept_and_undoes_the_rest() {
    let gap = crate::settings::GoDuration::from_secs(60);
    let project = Project::with(|settings| settings.email.max_frequency = gap).await;
    let body = json!({"email": "a@b.example", "password": "correct horse"});
    project.post("/signup", body.clone()).send().await.expect(200);
    let answer = project.post("/signup", body).send().await.refused(429, "over_email_send_rate_limit");
    assert!(answer.text("/message").starts_with("For security purposes, you can only request this after 5"));
}

#[tokio::test]
async fn a_trigger_that_raises_undoes_the_sign_up() {
    let project = Project::new().await;
    project
        .execute(
            "create function public.refuse() returns trigger language plpgsql as
               $$ begin raise exception 'members only'; end $$;
             create trigger refuse before insert on auth.users for each row execute function public.refuse();",
        )
        .await;
    let body = json!({"email": "a@b.example", "password": "correct horse"});
    let answer = project.post("/signup", body.clone()).send().await.refused(500, "unexpected_failure");
    assert_eq!(answer.text("/message"), "Database error saving new user");
    let older = project.post("/signup", body).older().send().await;
    assert_eq!((older.status.as_u16(), older.text("/message")), (500, "members only".into()));
    assert_eq!(project.count("select count(*) from auth.users").await, 0);
    assert_eq!(project.count("select count(*) from cloch.mail_outbox").await, 0);
}

#[tokio::test]
async fn triggers_have_no_more_rights_than_auth_itself() {
    let project = Project::new().await;
    project
        .execute(
            "create table public.seen (who text, id uuid); grant insert on public.seen to supabase_auth_admin;
             create function public.note() returns trigger language plpgsql as
               $$ begin insert into public.seen values (current_user, new.id); return new; end $$;
             create trigger note after insert on auth.users for each row execute function public.note();",
        )
        .await;
    project.post("/signup", json!({"email": "a@b.example", "password": "correct horse"})).send().await.expect(200);
    let who = "select count(*) from public.seen where who = 'supabase_auth_admin'";
    assert_eq!(project.count(who).await, 1);
}

#[tokio::test]
async fn anonymous_users_become_permanent_by_confirming_an_address() {
    let project = Project::with(|settings| settings.enable_anonymous_sign_ins = true).await;
    let session = project.post("/signup", json!({"data": {"theme": "dark"}})).send().await.expect(200);
    let user = &session.body["user"];
    assert_eq!((user["is_anonymous"].as_bool(), user["email"].as_str()), (Some(true), Some("")));
    assert_eq!((&user["app_metadata"], &user["identities"]), (&json!({}), &json!([])));
    let token = session.access_token();
    let alone = project.put("/user", json!({"password": "correct horse"})).bearer(&token).send().await;
    alone.refused(422, "validation_failed");
    let change = json!({"email": "a@b.example"});
    let pending = project.put("/user", change).bearer(&token).send().await.expect(200);
    assert_eq!(
        (pending.text("/new_email"), pending.body["is_anonymous"].as_bool()),
        ("a@b.example".into(), Some(true))
    );
    let link = project.mail("a@b.example").await.link;
    assert!(project.get(&link).send().await.expect(303).location().contains("access_token="));
    let user = project.get("/user").bearer(&token).send().await.expect(200);
    assert_eq!((user.text("/email"), user.body["is_anonymous"].as_bool()), ("a@b.example".into(), Some(false)));
    assert_eq!(user.body["app_metadata"]["providers"], json!(["email"]));
}

#[tokio::test]
async fn two_at_once_make_one_user() {
    let project = Project::new().await;
    let signup = || project.post("/signup", json!({"email": "a@b.example", "password": "correct horse"})).send();
    let answers = futures_util::future::join_all((0..6).map(|_| signup())).await;
    assert_eq!(project.count("select count(*) from auth.users").await, 1);
    assert_eq!(project.count("select count(*) from auth.identities").await, 1);
    for answer in answers {
        answer.expect(200);
    }
}

/// The responses for a new address, an unconfirmed address and an address with an account have the same fields in the same order.
#[tokio::test]
async fn the_order_of_fields_does_not_tell_an_account() {
    let project = Project::new().await;
    let data = json!({"surname": "Sample", "a": {"longer": 1, "b": 2}, "email": "x@b.example"});
    let sign_up = async || {
        let body = json!({"email": "a@b.example", "password": "correct horse", "data": data});
        let answer = project.post("/signup", body).send().await.expect(200);
        let names: Vec<String> = answer.body["user_metadata"].as_object().unwrap().keys().cloned().collect();
        (names, answer.body["user_metadata"]["a"].to_string())
    };
    let fresh = sign_up().await;
    project.execute("update auth.users set confirmation_sent_at = confirmation_sent_at - interval '1 hour'").await;
    let waiting = sign_up().await;
    project.execute("update auth.users set email_confirmed_at = now()").await;
    assert_eq!((&waiting, &sign_up().await), (&fresh, &fresh));
}

/// Metadata that a trigger of the project adds is stored, but the response to a sign-up does not contain it. Otherwise, the response would
/// differ from the response for an address with an account.
#[tokio::test]
async fn what_a_trigger_adds_remains_and_tells_nothing() {
    let project = Project::new().await;
    project
        .execute(
            "create function public.add() returns trigger language plpgsql as $$ begin
               new.raw_user_meta_data := (new.raw_user_meta_data - 'role') || '{\"team\": 7}'; return new; end $$;
             create trigger add before insert on auth.users for each row execute function public.add();",
        )
        .await;
    let data = json!({"name": "Ann", "role": "chief", "email_verified": true, "sub": "x"});
    let body = json!({"email": "a@b.example", "password": "correct horse", "data": data});
    let fresh = project.post("/signup", body.clone()).send().await.expect(200);
    assert_eq!(fresh.body["user_metadata"].get("team"), None);
    let stored = "select raw_user_meta_data from auth.users";
    let id = fresh.text("/id");
    let claims = json!({
        "sub": id, "name": "Ann", "team": 7, "email": "a@b.example", "email_verified": false, "phone_verified": false,
    });
    assert_eq!(project.value(stored).await, claims);
    let link = project.mail("a@b.example").await.link;
    assert!(project.get(&link).send().await.location().contains("access_token="));
    assert_eq!(project.value("select raw_user_meta_data -> 'team' from auth.users").await, json!(7));
}
