//! Tests of response details that clients depend on: headers, messages, and the order of validations.

use super::{Project, json};
use crate::settings::{GoDuration, Notification};

#[tokio::test]
async fn a_body_is_one_object() {
    let project = Project::new().await;
    for body in ["[]", "[{}]", "\"x\"", "1", "{", "{} {}"] {
        project.post("/signup", json!({})).raw(body).send().await.refused(400, "bad_json");
    }
}

#[tokio::test]
async fn paths_that_are_none() {
    let project = Project::new().await;
    for path in ["/nothing", "/admin", "/admin/users/x/y/z", "/user/identities/x/y"] {
        project.get(path).bearer(&project.service_key()).send().await.refused(404, "route_not_found");
    }
    let older = project.get("/nothing").older().send().await.expect(404);
    assert_eq!(older.body, json!({"code": 404, "error_code": "route_not_found", "msg": "404 page not found"}));
    let wrong = project.patch("/signup", json!({})).send().await.refused(405, "method_not_allowed");
    assert_eq!(wrong.headers["allow"], "POST");
    let wrong = project.delete("/admin/users").send().await.refused(405, "method_not_allowed");
    assert_eq!(wrong.headers["allow"], "GET,HEAD,POST");
}

#[tokio::test]
async fn a_slash_at_the_end_changes_nothing_where_upstream_has_a_group_of_routes() {
    let project = Project::new().await;
    let key = project.service_key();
    for path in
        ["/admin/users", "/admin/audit", "/admin/custom-providers", "/admin/sso/providers", "/user", "/passkeys"]
    {
        let plain = project.get(path).bearer(&key).send().await;
        let with_slash = project.get(&format!("{path}/")).bearer(&key).send().await;
        assert_eq!((with_slash.status, &with_slash.body), (plain.status, &plain.body), "{path}");
        assert_ne!(plain.body["code"], "route_not_found", "{path}");
    }
    project.post("/signup/", json!({ "email": "a@b.example", "password": "a long password" })).send().await.expect(200);
    for path in ["/settings/", "/admin/users//", "/health/"] {
        project.get(path).send().await.refused(404, "route_not_found");
    }
}

#[tokio::test]
async fn a_session_says_in_headers_whose_it_is() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    let id = project.verifier.verify(&session.access_token()).unwrap().claim("session_id").unwrap().to_owned();
    assert_eq!(session.headers["sb-auth-user-id"], session.text("/user/id"));
    assert_eq!(session.headers["sb-auth-session-id"], id);
    assert_eq!(session.headers["sb-auth-refresh-token-prefix"], session.refresh_token()[..5]);
    assert!(session.headers.get("sb-auth-refresh-token-reuse").is_none());
    let next = project.refresh(&session.refresh_token()).await.expect(200);
    assert_eq!(next.headers["sb-auth-session-id"], id);
}

#[tokio::test]
async fn a_database_may_choose_its_refusals_status() {
    let project = Project::new().await;
    project
        .execute(
            "create function public.refuse() returns trigger language plpgsql as
               $$ begin raise exception 'members only' using errcode = 'PT418', hint = 'ask'; end $$;
             create trigger refuse before insert on auth.users for each row execute function public.refuse();",
        )
        .await;
    let body = json!({"email": "a@b.example", "password": "correct horse"});
    let answer = project.post("/signup", body.clone()).older().send().await.expect(418);
    assert_eq!(answer.body, json!({"code": "PT418", "message": "members only", "hint": "ask"}));
    // In the newer form of errors, the response does not contain the message of the trigger.
    project.post("/signup", body).send().await.refused(500, "unexpected_failure");
    assert_eq!(project.count("select count(*) from auth.users").await, 0);
}

#[tokio::test]
async fn a_token_ends_on_time() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    let caller = project.verifier.verify(&session.access_token()).unwrap();
    let mut claims = serde_json::Value::Object(caller.claims().clone());
    claims["exp"] = json!(chrono::Utc::now().timestamp() - 5);
    let late = project.verifier.keys().sign(&claims).unwrap();
    project.get("/user").bearer(&late).send().await.refused(403, "bad_jwt");
    project.put("/user", json!({"data": {}})).bearer(&late).send().await.refused(403, "bad_jwt");
}

#[tokio::test]
async fn an_ended_session_is_told_before_its_rights() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    let token = session.access_token();
    project.execute("delete from auth.sessions").await;
    project.get("/admin/users").bearer(&token).send().await.refused(403, "session_not_found");
    project.execute("delete from auth.users").await;
    project.get("/admin/users").bearer(&token).send().await.refused(403, "user_not_found");
}

#[tokio::test]
async fn resending_by_either_address() {
    let project = Project::new().await;
    let resend = async |body| project.post("/resend", body).send().await;
    for (body, message) in [
        (json!({"type": "signup", "phone": "441475000000"}), "Type provided requires an email address"),
        (json!({"type": "sms", "email": "a@b.example"}), "Type provided requires a phone number"),
        (json!({"type": "email_change"}), "Missing email address or phone number"),
        (
            json!({"type": "signup", "email": "a@b.example", "phone": "441475000000"}),
            "Only an email address or phone number should be provided.",
        ),
    ] {
        assert_eq!(resend(body).await.refused(400, "validation_failed").text("/message"), message);
    }
    let token = project.member("a@b.example").await.access_token();
    project.put("/user", json!({"email": "b@b.example"})).bearer(&token).send().await.expect(200);
    let first = project.mail("b@b.example").await;
    resend(json!({"type": "email_change", "email": "a@b.example"})).await.expect(200);
    let second = project.mail("b@b.example").await;
    assert_ne!(first.hash(), second.hash());
    assert!(project.get(&first.link).send().await.location().contains("otp_expired"));
}

/// POST /resend finds a user without an e-mail address by the requested new address. If several users have requested a change to this
/// address, no mail is sent, because its recipient could confirm the change of an unknown user.
#[tokio::test]
async fn resending_by_the_new_address() {
    let project = Project::with(|settings| settings.enable_anonymous_sign_ins = true).await;
    let resend = async || {
        let answer = project.post("/resend", json!({"type": "email_change", "email": "new@b.example"})).send().await;
        assert_eq!(answer.expect(200).body, json!({}));
        project.count("select count(*) from cloch.mail_outbox where 'new@b.example' = any (recipients)").await
    };
    assert_eq!(resend().await, 0);
    let ask = async || {
        let token = project.post("/signup", json!({})).send().await.expect(200).access_token();
        project.put("/user", json!({"email": "new@b.example"})).bearer(&token).send().await.expect(200);
    };
    ask().await;
    let first = project.mail("new@b.example").await;
    assert_eq!(resend().await, 2);
    assert!(project.get(&first.link).send().await.location().contains("otp_expired"));
    ask().await;
    assert_eq!(resend().await, 3);
}

#[tokio::test]
async fn sorting_and_pages_of_the_list() {
    let project = Project::new().await;
    let key = project.service_key();
    for name in ["ann", "bob", "cid"] {
        project
            .post("/admin/users", json!({"email": format!("{name}@b.example")}))
            .bearer(&key)
            .send()
            .await
            .expect(200);
    }
    let list = async |query: &str| project.get(&format!("/admin/users{query}")).bearer(&key).send().await;
    assert_eq!(list("?sort=created_at%20ASC").await.expect(200).text("/users/0/email"), "ann@b.example");
    assert_eq!(list("?sort=created_at").await.expect(200).text("/users/0/email"), "cid@b.example");
    let field = list("?sort=email%20asc").await.refused(400, "validation_failed");
    assert_eq!(field.text("/message"), "Bad Sort Parameters: bad field for sort 'email'");
    let direction = list("?sort=created_at%20up").await.refused(400, "validation_failed");
    assert!(direction.text("/message").contains("bad direction for sort 'up'"));
    let middle = list("?filter=example&page=2&per_page=1").await.expect(200);
    let link = middle.headers["link"].to_str().unwrap();
    assert!(link.starts_with("</admin/users?page=3&"), "{link}");
    assert!(link.matches("filter=example").count() == 2 && link.contains("rel=\"last\""), "{link}");
    let last = list("?page=3&per_page=1").await.expect(200);
    assert!(!last.headers["link"].to_str().unwrap().contains("rel=\"next\""));
}

#[tokio::test]
async fn the_documents_for_verifiers() {
    let project = Project::new().await;
    let document = project.get("/.well-known/openid-configuration").send().await.expect(200);
    let issuer = document.text("/issuer");
    assert_eq!(document.text("/jwks_uri"), format!("{issuer}/.well-known/jwks.json"));
    assert_eq!(document.text("/userinfo_endpoint"), format!("{issuer}/oauth/userinfo"));
    assert!(document.body["id_token_signing_alg_values_supported"].as_array().unwrap().contains(&json!("ES256")));
    let health = project.get("/health").send().await.expect(200);
    assert_eq!(health.text("/description"), "GoTrue is a user registration and authentication API");
}

#[tokio::test]
async fn limits_of_zero_are_none() {
    let project = Project::with(|settings| {
        settings.sessions.timebox = Some(GoDuration::from_secs(0));
        settings.sessions.inactivity_timeout = Some(GoDuration::from_secs(0));
    })
    .await;
    let session = project.member("a@b.example").await;
    project.get("/user").bearer(&session.access_token()).send().await.expect(200);
    project.refresh(&session.refresh_token()).await.expect(200);
}

/// An invitation takes over an account that a stranger created for the invited address. The stranger cannot sign in afterwards.
#[tokio::test]
async fn an_invitation_ends_what_a_stranger_prepared() {
    let project = Project::new().await;
    let hijack = json!({"email": "victim@b.example", "password": "attackers own"});
    project.post("/signup", hijack).send().await.expect(200);
    let stale = project.mail("victim@b.example").await.link;
    let invite = json!({"email": "victim@b.example"});
    project.post("/invite", invite).bearer(&project.service_key()).send().await.expect(200);
    assert!(project.get(&stale).send().await.location().contains("otp_expired"));
    let link = project.mail("victim@b.example").await.link;
    assert!(project.get(&link).send().await.location().contains("access_token="));
    project.sign_in("victim@b.example", "attackers own").await.refused(400, "invalid_credentials");
}

/// A change of the account is stored even if the mail that notifies the user fails.
#[tokio::test]
async fn a_notification_that_fails_only_warns() {
    let project = Project::with(|settings| {
        for kind in ["password_changed", "email_changed", "identity_linked"] {
            let notification = Notification { enabled: true, ..Notification::default() };
            settings.email.notification.insert(kind.into(), notification);
        }
    })
    .await;
    let token = project.member("a@b.example").await.access_token();
    project
        .execute(
            "create function public.refuse() returns trigger language plpgsql as
               $$ begin if new.kind = 'password_changed' then raise exception 'no'; end if; return new; end $$;
             create trigger refuse before insert on cloch.mail_outbox for each row execute function public.refuse();",
        )
        .await;
    let change = json!({"password": "battery staple"});
    project.put("/user", change).bearer(&token).send().await.expect(200);
    project.sign_in("a@b.example", "battery staple").await.expect(200);
    project.execute("drop trigger refuse on cloch.mail_outbox").await;
    let change = json!({"password": "another staple"});
    project.put("/user", change).bearer(&token).send().await.expect(200);
    assert_eq!(project.mail("a@b.example").await.kind, "password_changed");
}
