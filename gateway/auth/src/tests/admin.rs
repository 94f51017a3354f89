//! Tests of /admin and /invite: users are refused, and the project's servers have access.

use super::{Answer, Project, json};

#[tokio::test]
async fn users_are_no_administrators() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    let id = session.text("/user/id");
    let token = session.access_token();
    let calls = [
        project.get("/admin/users"),
        project.post("/admin/users", json!({"email": "x@b.example"})),
        project.get(&format!("/admin/users/{id}")),
        project.put(&format!("/admin/users/{id}"), json!({"role": "service_role"})),
        project.delete(&format!("/admin/users/{id}")),
        project.post("/admin/generate_link", json!({"type": "recovery", "email": "a@b.example"})),
        project.get("/admin/audit"),
        project.post("/invite", json!({"email": "x@b.example"})),
    ];
    for call in calls {
        call.bearer(&token).send().await.refused(403, "not_admin");
    }
    project.get("/admin/users").send().await.refused(401, "no_authorization");
    assert_eq!(project.count("select count(*) from auth.users").await, 1);
}

async fn admin(project: &Project, method: &str, path: &str, body: serde_json::Value) -> Answer {
    let call = match method {
        "POST" => project.post(path, body),
        "PUT" => project.put(path, body),
        "DELETE" => project.delete(path).json(body),
        _ => project.get(path),
    };
    call.bearer(&project.service_key()).send().await
}

#[tokio::test]
async fn odd_ids() {
    let project = Project::new().await;
    for id in ["x", "..%2fusers", "00000000-0000-0000-0000-00000000000g", "%00", "'%20or%201=1"] {
        admin(&project, "GET", &format!("/admin/users/{id}"), json!({})).await.refused(404, "validation_failed");
    }
    let nobody = format!("/admin/users/{}", uuid::Uuid::new_v4());
    admin(&project, "GET", &nobody, json!({})).await.refused(404, "user_not_found");
}

#[tokio::test]
async fn creating() {
    let project = Project::new().await;
    let create = |body| admin(&project, "POST", "/admin/users", body);
    create(json!({})).await.refused(400, "validation_failed");
    create(json!({"email": "odd"})).await.refused(400, "validation_failed");
    create(json!({"email": "a@b.example", "password": "x", "password_hash": "y"}))
        .await
        .refused(400, "validation_failed");
    create(json!({"email": "a@b.example", "id": "x"})).await.refused(400, "validation_failed");
    create(json!({"email": "a@b.example", "password": "a".repeat(73)})).await.refused(400, "validation_failed");
    let body = json!({
        "email": "A@B.example", "phone": "+44 1475 000000", "email_confirm": true, "role": "judge",
        "user_metadata": {"name": "Ann"}, "app_metadata": {"club": 1},
    });
    let user = create(body).await.expect(200);
    assert_eq!(
        (user.text("/email"), user.text("/phone"), user.text("/role")),
        ("a@b.example".into(), "441475000000".into(), "judge".into())
    );
    assert_eq!(user.body["app_metadata"], json!({"provider": "email", "providers": ["email", "phone"], "club": 1}));
    assert_eq!(user.body["user_metadata"], json!({"name": "Ann", "email_verified": true}));
    assert_eq!(user.body["identities"].as_array().unwrap().len(), 2);
    assert!(user.body.get("email_confirmed_at").is_some() && user.body.get("phone_confirmed_at").is_none());
    create(json!({"email": "a@b.example"})).await.refused(422, "email_exists");
    create(json!({"phone": "441475000000"})).await.refused(422, "phone_exists");
    create(json!({"email": "c@b.example", "id": user.text("/id")})).await.refused(422, "user_already_exists");
    assert_eq!(project.count("select count(*) from cloch.mail_outbox").await, 0);
}

/// An address or number that a user does not have is never confirmed, because it would count as confirmed when it is added later.
#[tokio::test]
async fn nothing_is_confirmed_that_is_missing() {
    let project = Project::with(|settings| settings.enable_anonymous_sign_ins = true).await;
    let body = json!({"phone": "441475000000", "phone_confirm": true, "email_confirm": true});
    let user = admin(&project, "POST", "/admin/users", body).await.expect(200);
    assert!(user.body.get("email_confirmed_at").is_none() && user.body.get("phone_confirmed_at").is_some());
    assert_eq!(user.body["user_metadata"], json!({"phone_verified": true}));
    let user = admin(&project, "POST", "/admin/users", json!({"email": "a@b.example", "phone_confirm": true})).await;
    assert!(user.expect(200).body.get("phone_confirmed_at").is_none());

    let guest = project.post("/signup", json!({})).send().await.expect(200);
    let path = format!("/admin/users/{}", guest.text("/user/id"));
    let put = |body| admin(&project, "PUT", &path, body);
    for confirm in ["email_confirm", "phone_confirm"] {
        let user = put(json!({confirm: true})).await.expect(200);
        assert!(user.body.get("email_confirmed_at").is_none() && user.body.get("phone_confirmed_at").is_none());
    }
    let user = put(json!({"email": "guest@b.example"})).await.expect(200);
    assert!(user.body.get("email_confirmed_at").is_none() && user.body["is_anonymous"] == true);
    let user = put(json!({"email_confirm": true})).await.expect(200);
    assert!(user.body.get("email_confirmed_at").is_some() && user.body["is_anonymous"] == false);
}

#[tokio::test]
async fn one_address_is_created_once_at_a_time() {
    let project = Project::new().await;
    let bodies = [json!({"email": "a@b.example", "password": "correct horse"}), json!({"phone": "441475000000"})];
    for (body, code) in bodies.into_iter().zip(["email_exists", "phone_exists"]) {
        let creations = (0..8).map(|_| admin(&project, "POST", "/admin/users", body.clone()));
        let answers = futures_util::future::join_all(creations).await;
        let (created, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
        assert_eq!(created.len(), 1);
        for answer in refused {
            answer.refused(422, code);
        }
    }
}

/// Concurrent invitations and links for a new address have the same responses as successive ones.
#[tokio::test]
async fn invitations_and_links_at_the_same_time() {
    let project = Project::new().await;
    for (path, r#type) in [("/invite", ""), ("/admin/generate_link", "invite"), ("/admin/generate_link", "signup")] {
        let email = format!("{}{}@b.example", path.len(), r#type);
        let body = json!({"email": email, "type": r#type, "password": "correct horse"});
        let answers = futures_util::future::join_all((0..6).map(|_| admin(&project, "POST", path, body.clone()))).await;
        let ids: std::collections::BTreeSet<_> =
            answers.into_iter().map(|answer| answer.expect(200).text("/id")).collect();
        assert_eq!(ids.len(), 1);
    }
}

#[tokio::test]
async fn changing() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    project.member("taken@b.example").await;
    let path = format!("/admin/users/{}", session.text("/user/id"));
    let put = |body| admin(&project, "PUT", &path, body);
    put(json!({"password": "short"})).await.refused(422, "weak_password");
    put(json!({"email": "odd"})).await.refused(400, "validation_failed");
    put(json!({"email": "Taken@b.example"})).await.refused(422, "email_exists");
    let user = put(json!({"email": "new@b.example", "user_metadata": {"x": 1}})).await.expect(200);
    assert_eq!((user.text("/email"), &user.body["user_metadata"]["x"]), ("new@b.example".into(), &json!(1)));
    assert_eq!(user.body["identities"][0]["identity_data"]["email_verified"], false);
    put(json!({"password": "battery staple"})).await.expect(200);
    project.get("/user").bearer(&session.access_token()).send().await.refused(403, "session_not_found");
    project.sign_in("new@b.example", "battery staple").await.expect(200);
}

/// Tests that two users never get the same address or phone number. The error names the one that is taken, with GoTrue's error code. The
/// same holds for concurrent requests.
#[tokio::test]
async fn changing_to_what_another_user_has() {
    let project = Project::new().await;
    let mut paths = Vec::new();
    for name in ["a", "b", "c"] {
        paths.push(format!("/admin/users/{}", project.member(&format!("{name}@b.example")).await.text("/user/id")));
    }
    for (body, code) in
        [(json!({"email": "one@b.example"}), "email_exists"), (json!({"phone": "+44 1475 000000"}), "phone_exists")]
    {
        let changes = paths.iter().map(|path| admin(&project, "PUT", path, body.clone()));
        let answers = futures_util::future::join_all(changes).await;
        let (changed, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
        assert_eq!((changed.len(), refused.len()), (1, 2));
        for answer in refused {
            answer.refused(422, code);
        }
    }
}

/// The response contains the error text of the project's own triggers, as in the other endpoints.
#[tokio::test]
async fn changing_what_a_trigger_refuses() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    project
        .execute(
            "create function public.refuse() returns trigger language plpgsql as
               $$ begin raise exception 'members only' using errcode = 'PT418', hint = 'ask'; end $$;
             create trigger refuse before update on auth.users for each row execute function public.refuse();",
        )
        .await;
    let path = format!("/admin/users/{}", session.text("/user/id"));
    let change = project.put(&path, json!({"email": "new@b.example"})).older().bearer(&project.service_key());
    let answer = change.send().await.expect(418);
    assert_eq!(answer.body, json!({"code": "PT418", "message": "members only", "hint": "ask"}));
}

/// A password hash that was exported from another system is also accepted for an existing user.
#[tokio::test]
async fn changing_the_password_by_its_hash() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    let path = format!("/admin/users/{}", session.text("/user/id"));
    let put = |body| admin(&project, "PUT", &path, body);
    // RFC 9106's reference implementation: argon2 -id -t 2 -m 16, salt "somesalt", password "password".
    let hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    put(json!({"password_hash": "plain"})).await.refused(400, "validation_failed");
    put(json!({"password_hash": hash, "password": "battery staple"})).await.refused(400, "validation_failed");
    project.sign_in("a@b.example", "correct horse").await.expect(200);
    put(json!({"password_hash": hash})).await.expect(200);
    project.sign_in("a@b.example", "correct horse").await.refused(400, "invalid_credentials");
    project.sign_in("a@b.example", "password").await.expect(200);
    project.get("/user").bearer(&session.access_token()).send().await.refused(403, "session_not_found");
}

#[tokio::test]
async fn deleting_for_good_and_softly() {
    let project = Project::new().await;
    let gone = project.member("gone@b.example").await;
    let soft = project.member("soft@b.example").await;
    let path = |session: &Answer| format!("/admin/users/{}", session.text("/user/id"));
    assert_eq!(admin(&project, "DELETE", &path(&gone), json!({})).await.expect(200).body, json!({}));
    project.get("/user").bearer(&gone.access_token()).send().await.refused(403, "user_not_found");
    admin(&project, "DELETE", &path(&soft), json!({"should_soft_delete": true})).await.expect(200);
    let left = admin(&project, "GET", &path(&soft), json!({})).await.expect(200);
    assert!(left.body.get("deleted_at").is_some() && !left.body.to_string().contains("soft@b.example"));
    project.sign_in("soft@b.example", "correct horse").await.refused(400, "invalid_credentials");
    project.post("/signup", json!({"email": "soft@b.example", "password": "correct horse"})).send().await.expect(200);
    project.refresh(&soft.refresh_token()).await.refused(400, "refresh_token_not_found");
}

#[tokio::test]
async fn listing_in_pages() {
    let project = Project::new().await;
    for name in ["ann", "bob", "cid"] {
        let body =
            json!({"email": format!("{name}@b.example"), "user_metadata": {"full_name": format!("{name} Smith")}});
        admin(&project, "POST", "/admin/users", body).await.expect(200);
    }
    let list = |query: &'static str| admin(&project, "GET", query, json!({}));
    list("/admin/users?page=x").await.refused(400, "validation_failed");
    list("/admin/users?sort=email").await.refused(400, "validation_failed");
    list("/admin/users?filter=%00").await.refused(400, "validation_failed");
    let page = list("/admin/users?page=1&per_page=2").await.expect(200);
    assert_eq!(page.headers["x-total-count"], "3");
    assert_eq!(
        page.headers["link"],
        "</admin/users?page=2&per_page=2>; rel=\"next\", </admin/users?page=2&per_page=2>; rel=\"last\""
    );
    assert_eq!((page.text("/users/0/email"), page.text("/aud")), ("cid@b.example".into(), "authenticated".into()));
    assert!(page.body["users"][0]["identities"].is_null());
    assert_eq!(list("/admin/users?page=&per_page=").await.expect(200).body["users"].as_array().unwrap().len(), 3);
    assert_eq!(list("/admin/users?filter=BOB%20sm").await.expect(200).text("/users/0/email"), "bob@b.example");
    assert_eq!(list("/admin/users?sort=created_at%20asc").await.expect(200).text("/users/0/email"), "ann@b.example");
    let log = list("/admin/audit?query=action:user_signedup").await.expect(200);
    assert_eq!(
        (log.headers["x-total-count"].to_str().unwrap(), log.text("/0/payload/actor_username")),
        ("3", "service_role".into())
    );
    admin(&project, "POST", "/admin/users", json!({"email": "b_b@b.example"})).await.expect(200);
    let found = list("/admin/users?filter=b_b%40b").await.expect(200);
    assert_eq!(found.text("/users/0/email"), "b_b@b.example");
    assert_eq!(found.headers["x-total-count"], "1");
    for filter in ["/admin/users?filter=%25", "/admin/users?filter=%5C"] {
        assert_eq!(list(filter).await.expect(200).headers["x-total-count"], "0");
    }
}

#[tokio::test]
async fn an_invitation_is_accepted_by_its_link() {
    let project = Project::new().await;
    let invite = || {
        admin(
            &project,
            "POST",
            "/invite?redirect_to=https://club.example/set",
            json!({"email": "a@b.example", "data": {"name": "Ann"}}),
        )
    };
    let user = invite().await.expect(200);
    assert!(user.body.get("invited_at").is_some() && user.body["user_metadata"] == json!({"name": "Ann"}));
    project.sign_in("a@b.example", "").await.refused(400, "invalid_credentials");
    invite().await.expect(200);
    let mail = project.mail("a@b.example").await;
    let location = project.get(&mail.link).send().await.expect(303).location();
    assert!(mail.kind == "invite" && location.starts_with("https://club.example/set#access_token="));
    let token = location.split("access_token=").nth(1).unwrap().split('&').next().unwrap();
    project.put("/user", json!({"password": "correct horse"})).bearer(token).send().await.expect(200);
    project.sign_in("a@b.example", "correct horse").await.expect(200);
    invite().await.refused(422, "email_exists");
}

#[tokio::test]
async fn links_to_send_oneself() {
    let project = Project::new().await;
    project.member("a@b.example").await;
    let link = |body| admin(&project, "POST", "/admin/generate_link", body);
    link(json!({"type": "recovery", "email": "nobody@b.example"})).await.refused(404, "user_not_found");
    link(json!({"type": "signup", "email": "a@b.example", "password": "correct horse"}))
        .await
        .refused(422, "email_exists");
    link(json!({"type": "signup", "email": "new@b.example"})).await.refused(400, "validation_failed");
    link(json!({"type": "nonsense", "email": "a@b.example"})).await.refused(400, "validation_failed");
    let evil = json!({"type": "recovery", "email": "a@b.example", "redirect_to": "https://evil.example"});
    let made = link(evil).await.expect(200);
    assert_eq!(made.text("/redirect_to"), "https://club.example");
    assert!(made.text("/action_link").starts_with("http://127.0.0.1:54321/auth/v1/verify?token="));
    let body = json!({"type": "recovery", "email": "a@b.example", "token": made.text("/email_otp")});
    project.post("/verify", body).send().await.expect(200);
    let made = link(json!({"type": "email_change_new", "email": "a@b.example", "new_email": "c@b.example"})).await;
    let hash = made.expect(200).text("/hashed_token");
    project.post("/verify", json!({"type": "email_change", "token_hash": hash})).send().await.expect(200);
    assert_eq!(project.count("select count(*) from auth.users where email_change_confirm_status = 1").await, 1);
    let made = link(json!({"type": "magiclink", "email": "new@b.example"})).await.expect(200);
    assert_eq!((made.text("/verification_type"), made.text("/email")), ("signup".into(), "new@b.example".into()));
    let hash = json!({"type": "signup", "token_hash": made.text("/hashed_token")});
    project.post("/verify", hash).send().await.expect(200);
    assert_eq!(project.count("select count(*) from cloch.mail_outbox").await, 0);
}

/// When an administrator sets an e-mail address, `email` is added to the user's list of providers. When a user of an external provider gets
/// a first password, the user also gets an e-mail identity.
#[tokio::test]
async fn providers_follow_contacts_and_the_first_password() {
    let project = Project::new().await;
    let user = json!({"phone": "441475000000", "phone_confirm": true, "user_metadata": {"name": "D"}});
    let id = admin(&project, "POST", "/admin/users", user).await.expect(200).text("/id");
    let change = json!({"email": "a@b.example", "email_confirm": true, "password": "correct horse"});
    let path = format!("/admin/users/{id}");
    let changed = admin(&project, "PUT", &path, change).await.expect(200);
    assert_eq!(changed.body["app_metadata"]["providers"], json!(["phone", "email"]));
    assert_eq!(
        (&changed.body["user_metadata"]["name"], changed.body["identities"].as_array().unwrap().len()),
        (&json!("D"), 2)
    );

    project
        .execute(
            "update auth.users set encrypted_password = '';
             update auth.identities set provider = 'club' where provider = 'email'",
        )
        .await;
    let changed = admin(&project, "PUT", &path, json!({"password": "another horse"})).await.expect(200);
    assert_eq!(changed.body["app_metadata"]["providers"], json!(["phone", "club", "email"]));
    assert_eq!(changed.body["identities"][2]["identity_data"]["email_verified"], true);
    project.execute("delete from auth.identities where provider = 'email'").await;
    admin(&project, "PUT", &path, json!({"password": "correct horse"})).await.expect(200);
    assert_eq!(project.count("select count(*) from auth.identities where provider = 'email'").await, 0);
}
