//! Tests of the judges' sign-in: password guesses, the token, and the permissions of a judge.

use cloch_core::Secret;
use cloch_sql::Caller;
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use sqlx::Row;

use crate::support::{BUCKET, PASSWORD, Reply, Site};

const SIGN_IN: &str = "validate-judging-password";

async fn guess(site: &Site, address: &str, password: &str) -> Reply {
    site.call_from(address, SIGN_IN, &site.anon(), &json!({ "password": password })).await
}

async fn token(site: &Site) -> String {
    guess(site, "192.0.2.99", PASSWORD).await.body["access_token"].as_str().unwrap().to_owned()
}

/// Runs a statement with the claims of a token. Returns the number of rows, or the database's error.
async fn as_judge(site: &Site, token: &str, statement: &str) -> Result<u64, String> {
    let part = token.split('.').nth(1).unwrap();
    let claims = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, part).unwrap();
    let caller = Caller::from_claims(serde_json::from_slice(&claims).unwrap(), None);
    let mut transaction = site.database.database().begin_as(&caller).await.unwrap();
    let done = sqlx::query(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut *transaction).await;
    done.map(|done| done.rows_affected()).map_err(|error| error.to_string())
}

async fn seed(site: &Site) {
    site.sql(
        "insert into public.schools (id, name, email) values ('00000000-0000-0000-0000-000000000001', 'St Columba''s', 'office@school.example');
         insert into public.young_artist_entries (id, entrant_name, age, category, parent_guardian_email, school_id, uploaded_files) values
           ('00000000-0000-0000-0000-00000000000a', 'Ann', 12, 'intermediate', 'p@example.org', '00000000-0000-0000-0000-000000000001', '{artist/ann/1720000000001-sea.png}'),
           ('00000000-0000-0000-0000-00000000000b', 'Bob', 8, 'junior', 'p@example.org', null, '{artist/bob/1720000000002-sea.png}'),
           ('00000000-0000-0000-0000-00000000000c', 'Cat', 15, 'Senior', 'p@example.org', null, '{}');
         insert into public.young_photographer_entries (entrant_name, age, category, parent_guardian_email) values ('Dan', 15, 'senior', 'p@example.org');
         insert into public.young_musician_entries (entrant_name, age, category, parent_guardian_email) values ('Eve', 15, 'vocal', 'p@example.org')",
    )
    .await;
}

#[tokio::test]
async fn a_wrong_password_opens_nothing() {
    let site = Site::open().await;
    for (number, password) in ["", "the clyde at dawn", "The Clyde at dawn ", "x"].iter().enumerate() {
        let reply = guess(&site, &format!("192.0.2.{number}"), password).await;
        assert_eq!((reply.status, reply.body), (200, json!({"valid": false})), "{password:?}");
    }
    let reply = guess(&site, "192.0.2.9", &"x".repeat(201)).await;
    assert_eq!(reply.body, json!({"valid": false}));
}

/// Sends more wrong guesses than any limit allows, from one network and from forty other networks. All guesses receive a response, and
/// judges can sign in meanwhile.
#[tokio::test]
async fn no_number_of_wrong_passwords_keeps_a_judge_out() {
    let site = Site::open().await;
    let wrong = |number: usize| {
        let address = if number < 60 { "192.0.2.1".to_owned() } else { format!("198.51.100.{number}") };
        let site = &site;
        async move { guess(site, &address, "wrong").await }
    };
    let judges = async {
        // A sign-in from the network of the wrong guesses, from a different network, and a repeated sign-in.
        for address in ["192.0.2.1", "203.0.113.7", "192.0.2.1"] {
            let reply = guess(&site, address, PASSWORD).await;
            assert_eq!((reply.status, &reply.body["valid"]), (200, &json!(true)), "{address}: {reply:?}");
        }
    };
    let (replies, ()) = tokio::join!(join_all((0..100).map(wrong)), judges);
    for reply in replies {
        assert_eq!((reply.status, reply.body), (200, json!({"valid": false})));
    }
}

#[tokio::test]
async fn wrong_passwords_are_answered_late() {
    let site = Site::open().await;
    for _ in 0..5 {
        assert_eq!(guess(&site, "192.0.2.1", "wrong").await.body["valid"], false);
    }
    let order = FuturesUnordered::new();
    for password in ["wrong", PASSWORD] {
        order.push(guess(&site, "192.0.2.1", password));
    }
    let order: Vec<Value> = order.map(|reply| reply.body["valid"].clone()).collect().await;
    assert_eq!(order, [true, false], "the sixth wrong one was sent first and answered last");
}

#[tokio::test]
async fn a_device_that_was_in_before_is_counted_apart() {
    let site = Site::open().await;
    let device = guess(&site, "192.0.2.1", PASSWORD).await.body["device"].clone();
    let token = device.as_str().unwrap();
    for number in 0..6 {
        let forged = json!({"password": "wrong", "device": format!("{token}{number}")});
        assert_eq!(site.call_from("192.0.2.1", SIGN_IN, &site.anon(), &forged).await.body, json!({"valid": false}));
    }
    let counted = "select coalesce(array_agg(distinct split_part(subject, '/', 4)), '{}') from cloch.rate_limits where subject like 'judging/wrong/%'";
    assert_eq!(site.value::<Vec<String>>(counted).await, ["network"], "a forged token is none");

    let wrong = json!({"password": "wrong", "device": device});
    assert_eq!(site.call_from("192.0.2.1", SIGN_IN, &site.anon(), &wrong).await.body, json!({"valid": false}));
    assert_eq!(site.value::<Vec<String>>(counted).await, ["device", "network"]);
    let right = json!({"password": PASSWORD, "device": device});
    let reply = site.call_from("192.0.2.1", SIGN_IN, &site.anon(), &right).await;
    assert_eq!((&reply.body["valid"], &reply.body["device"]), (&json!(true), &device));
    // A device token grants no access to the database.
    assert_eq!(
        as_judge(&site, token, "select entrant_name from public.young_artist_entries").await.map_err(|_| ()),
        Err(())
    );
    assert_eq!(
        site.call("set-judging-password", token, &json!({"password": "Another one for the day"})).await.status,
        403
    );
}

#[tokio::test]
async fn the_right_password_is_not_counted_as_a_guess() {
    let site = Site::open().await;
    for _ in 0..12 {
        assert_eq!(guess(&site, "192.0.2.1", PASSWORD).await.body["valid"], true);
    }
    let left: i64 = site
        .value("select coalesce(sum(cardinality(counts)), 0) from cloch.rate_limits where subject like 'judging/%'")
        .await;
    assert_eq!(left, 0);
}

#[tokio::test]
async fn the_token_says_who_and_how_long() {
    let site = Site::open().await;
    let reply = guess(&site, "192.0.2.1", PASSWORD).await;
    assert_eq!((reply.body["valid"].clone(), reply.body["token_type"].clone()), (json!(true), json!("bearer")));
    assert_eq!(reply.body["expires_in"], 8 * 3600);
    let expires_at = reply.body["expires_at"].as_i64().unwrap();
    let left = expires_at - chrono::Utc::now().timestamp();
    assert!((8 * 3600 - 60..=8 * 3600).contains(&left));
}

#[tokio::test]
async fn a_judge_reads_and_places_what_is_judged_and_nothing_else() {
    let site = Site::open().await;
    seed(&site).await;
    let token = token(&site).await;
    let run = async |statement: &str| as_judge(&site, &token, statement).await;

    for statement in [
        "select * from public.young_artist_entries",
        "select parent_guardian_email from public.young_artist_entries",
        "select email, phone, teacher_name from public.young_photographer_entries",
        "select 1 from public.young_musician_entries",
        "select 1 from public.young_citizen_nominations",
        "select email from public.schools",
        "select 1 from public.contacts",
        "select 1 from public.user_roles",
        "select 1 from public.judges",
        "select 1 from public.guest_letters",
        "select 1 from public.audit_log",
        "select hash from club.judging_password",
        "select 1 from club.invited_admins",
        "select 1 from auth.users",
        "select 1 from cloch.mail_outbox",
        "update public.young_artist_entries set entrant_name = 'x'",
        "update public.young_artist_entries set junior_ranking = 4 where category = 'intermediate'",
        "update public.young_artist_entries set junior_ranking = 1 where category = 'Senior'",
        "update public.young_artist_entries set senior_ranking = 1 where category = 'intermediate'",
        "insert into public.young_artist_entries (entrant_name) values ('x')",
        "delete from public.young_artist_entries",
        "select club.invite_admin('x@example.org', null)",
    ] {
        assert!(run(statement).await.is_err(), "{statement}");
    }
    // A judge has no access to an entry of the category junior.
    assert_eq!(run("update public.young_artist_entries set junior_ranking = 1 where category = 'junior'").await, Ok(0));

    assert_eq!(run("select entrant_name, uploaded_files from public.young_artist_entries").await, Ok(2));
    assert_eq!(run("select entrant_name from public.young_photographer_entries").await, Ok(1));
    assert_eq!(run("select name from public.schools").await, Ok(1));
    assert_eq!(
        run("update public.young_artist_entries set junior_ranking = 1 where category = 'intermediate'").await,
        Ok(1)
    );
    assert_eq!(
        run("update public.young_artist_entries set senior_ranking = null where category = 'Senior'").await,
        Ok(1)
    );
}

#[tokio::test]
async fn a_judge_opens_the_files_of_what_is_judged() {
    let site = Site::open().await;
    seed(&site).await;
    for path in [
        "artist/ann/1720000000001-sea.png",
        "artist/bob/1720000000002-sea.png",
        "young-citizen/zoe/1720000000003-x.png",
    ] {
        site.upload(BUCKET, path, "image/png", vec![1; 10]).await;
    }
    site.upload("music-uploads", "eve/1720000000004-song.mp3", "audio/mpeg", vec![1; 10]).await;
    let token = token(&site).await;
    let get = async |path: &str, token: &str| {
        let url = format!("{}/storage/v1/object/authenticated/{path}", site.url);
        site.client.get(url).header("apikey", site.anon()).bearer_auth(token).send().await.unwrap().status().as_u16()
    };
    for path in [
        format!("{BUCKET}/artist/bob/1720000000002-sea.png"),
        format!("{BUCKET}/young-citizen/zoe/1720000000003-x.png"),
        "music-uploads/eve/1720000000004-song.mp3".to_owned(),
    ] {
        assert!(matches!(get(&path, &token).await, 400 | 403 | 404), "{path}");
    }
    let own = format!("{BUCKET}/artist/ann/1720000000001-sea.png");
    assert_eq!(get(&own, &token).await, 200);
    assert_ne!(get(&own, &site.anon()).await, 200);

    // After a change of the judges' password, a token of the old password grants no access.
    let admin = site.admin("ann@example.org").await;
    let reply = site.call("set-judging-password", &admin, &json!({"password": "Another one for the day"})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_ne!(get(&own, &token).await, 200);
    assert_eq!(as_judge(&site, &token, "select entrant_name from public.young_artist_entries").await, Ok(0));
    assert_eq!(as_judge(&site, &token, "update public.young_artist_entries set junior_ranking = 1").await, Ok(0));
    assert_eq!(guess(&site, "192.0.2.1", PASSWORD).await.body["valid"], false);
    assert_eq!(guess(&site, "192.0.2.1", "Another one for the day").await.body["valid"], true);
}

#[tokio::test]
async fn a_forged_token_is_nobody() {
    let site = Site::open().await;
    seed(&site).await;
    let version: String = site.value("select version::text from club.judging_password").await;
    for claims in [
        json!({"role": "judge"}),
        json!({"role": "judge", "password_version": null}),
        json!({"role": "judge", "password_version": uuid::Uuid::new_v4()}),
        json!({"role": "judge", "user_metadata": {"password_version": version}}),
    ] {
        let rows = as_judge(&site, &site.sign(&claims), "select entrant_name from public.young_artist_entries").await;
        assert_eq!(rows, Ok(0), "{claims}");
    }
    // Policies of each table to which a judge could have access must compare the password version. The check includes tables that are added
    // later.
    let without: Vec<String> = sqlx::query(
        "select c.oid::regclass::text from pg_class c
          where c.relkind = 'r' and c.relrowsecurity and (c.relnamespace = 'public'::regnamespace or c.oid in ('storage.objects'::regclass, 'storage.buckets'::regclass))
            and not exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive and p.polroles = array['judge'::regrole::oid])",
    )
    .fetch_all(site.pool())
    .await
    .unwrap()
    .iter()
    .map(|row| row.get(0))
    .collect();
    assert!(without.is_empty(), "no policy ends a judge's token on {without:?}");
}

#[tokio::test]
async fn a_judge_calls_no_function() {
    let site = Site::open().await;
    let token = token(&site).await;
    for name in ["send-email", "send-invite", SIGN_IN, "set-judging-password", "send-guest-email"] {
        let reply = site.call(name, &token, &json!({})).await;
        assert_eq!(reply.status, 403, "{name}: {reply:?}");
    }
}

#[tokio::test]
async fn only_an_admin_sets_the_password() {
    let site = Site::open().await;
    let member = site.member("eve@example.org").await;
    let body = json!({"password": "Another one for the day"});
    for token in [&site.anon(), &member] {
        assert_eq!(site.call("set-judging-password", token, &body).await.status, 403);
    }
    let admin = site.admin("ann@example.org").await;
    for short in ["short", "elevenchars"] {
        assert_eq!(site.call("set-judging-password", &admin, &json!({"password": short})).await.status, 400);
    }
    let stored: Value = site.value("select to_jsonb(p) from club.judging_password p").await;
    assert!(stored["hash"].as_str().unwrap().starts_with("$argon2id$") && !stored.to_string().contains(PASSWORD));
}

#[tokio::test]
async fn the_configured_password_holds_until_somebody_sets_another() {
    let site = Site::open().await;
    let version: String = site.value("select version::text from club.judging_password").await;
    site.prepare().await.unwrap();
    assert_eq!(
        site.value::<String>("select version::text from club.judging_password").await,
        version,
        "a restart ended the judges' tokens"
    );

    cloch_club::set_judging_password(site.database.database(), Secret::new("Set by an admin"), None).await.unwrap();
    site.prepare().await.unwrap();
    assert_eq!(
        guess(&site, "192.0.2.1", "Set by an admin").await.body["valid"],
        true,
        "a restart undid what an admin set"
    );

    // A changed password in the configuration replaces the password that an administrator has set.
    site.sql("update club.judging_password set configured = '$argon2id$of-another'").await;
    site.prepare().await.unwrap();
    assert_eq!(guess(&site, "192.0.2.1", PASSWORD).await.body["valid"], true);
}

/// Gives a judge of the artist award a link. Returns the token of the link.
async fn link(site: &Site) -> String {
    site.sql(
        "with j as (insert into public.judges (name) values ('Ann Judge') returning id)
         insert into public.judge_categories (judge_id, category) select id, 'artist' from j",
    )
    .await;
    site.value(
        r#"with c as materialized (select set_config('request.jwt.claims', '{"role": "service_role"}', true))
           select public.make_judge_link(j.id) from c, public.judges as j where j.name = 'Ann Judge'"#,
    )
    .await
}

async fn open(site: &Site, address: &str, token: &str) -> Reply {
    site.call_from(address, "open-judge-link", &site.anon(), &json!({ "token": token })).await
}

#[tokio::test]
async fn a_judges_own_link_opens_no_table_and_ends_at_once() {
    let site = Site::open().await;
    seed(&site).await;
    let link_token = link(&site).await;
    let reply = open(&site, "192.0.2.1", &link_token).await;
    assert_eq!((reply.status, &reply.body["valid"], &reply.body["expires_in"]), (200, &json!(true), &json!(8 * 3600)));
    let access = reply.body["access_token"].as_str().unwrap();
    let intermediate = "select 1 from public.entries_to_judge('artist', 'intermediate')";
    assert_eq!(as_judge(&site, access, intermediate).await, Ok(1));
    assert_eq!(as_judge(&site, access, "select entrant_name from public.young_artist_entries").await, Ok(0));
    assert_eq!(as_judge(&site, access, "update public.young_artist_entries set junior_ranking = 1").await, Ok(0));

    // Links do not end when the password is replaced, and the password stays valid when a link is revoked.
    let shared = token(&site).await;
    cloch_club::set_judging_password(site.database.database(), Secret::new("Another one for the day"), None)
        .await
        .unwrap();
    assert_eq!(as_judge(&site, access, intermediate).await, Ok(1));
    assert!(as_judge(&site, &shared, intermediate).await.is_err());
    site.sql("update club.judge_links set revoked_at = now()").await;
    assert!(as_judge(&site, access, intermediate).await.unwrap_err().contains("This link has ended"));
    assert_eq!(open(&site, "192.0.2.1", &link_token).await.body, json!({"valid": false}));
}

#[tokio::test]
async fn unknown_links_are_answered_late() {
    let site = Site::open().await;
    let token = link(&site).await;
    for wrong in ["", "x", "' or true --", &token[1..], token.to_uppercase().as_str()] {
        assert_eq!(open(&site, "192.0.2.1", wrong).await.body, json!({"valid": false}), "{wrong:?}");
    }
    let order = FuturesUnordered::new();
    for token in ["wrong", token.as_str()] {
        order.push(open(&site, "192.0.2.1", token));
    }
    let order: Vec<Value> = order.map(|reply| reply.body["valid"].clone()).collect().await;
    assert_eq!(order, [true, false], "the sixth wrong one was sent first and answered last");
}
