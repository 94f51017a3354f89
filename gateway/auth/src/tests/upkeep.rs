//! Tests that the cleanup deletes expired rows of schema `auth` and no other rows.

use super::{Project, json};
use crate::cleanup;
use crate::settings::GoDuration;

async fn tidied(project: &Project) {
    cleanup::once(&project.state).await.unwrap();
}

#[tokio::test]
async fn what_is_in_use_stays() {
    let project = Project::with(|settings| {
        settings.enable_anonymous_sign_ins = true;
        settings.mfa.totp.enroll_enabled = true;
        settings.mfa.totp.verify_enabled = true;
        settings.sessions.timebox = Some(GoDuration::from_secs(3600));
        settings.sessions.inactivity_timeout = Some(GoDuration::from_secs(3600));
    })
    .await;
    let session = project.member("a@b.example").await;
    let token = session.access_token();
    let next = project.refresh(&session.refresh_token()).await.expect(200);
    project.post("/signup", json!({})).send().await.expect(200);
    let factor = json!({"factor_type": "totp", "friendly_name": "app"});
    let factor = project.post("/factors", factor).bearer(&token).send().await.expect(200).text("/id");
    project.post(&format!("/factors/{factor}/challenge"), json!({})).bearer(&token).send().await.expect(200);
    let recovery = json!({
        "email": "a@b.example", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "s256",
    });
    project.post("/recover", recovery).send().await.expect(200);
    let everything =
        "select (select count(*) from auth.users) * 1000000 + (select count(*) from auth.sessions) * 100000
        + (select count(*) from auth.refresh_tokens) * 10000 + (select count(*) from auth.flow_state) * 1000
        + (select count(*) from auth.mfa_factors) * 100 + (select count(*) from auth.mfa_challenges) * 10
        + (select count(*) from auth.one_time_tokens)";
    let before = project.count(everything).await;
    assert_eq!(before, 2_231_111);
    tidied(&project).await;
    assert_eq!(project.count(everything).await, before);
    project.refresh(&next.refresh_token()).await.expect(200);
}

#[tokio::test]
async fn what_is_over_goes() {
    let project = Project::with(|settings| settings.enable_anonymous_sign_ins = true).await;
    let session = project.member("a@b.example").await;
    let next = project.refresh(&session.refresh_token()).await.expect(200);
    project.post("/signup", json!({})).send().await.expect(200);
    project.post("/signup", json!({})).send().await.expect(200);
    project.post("/recover", json!({"email": "a@b.example"})).send().await.expect(200);
    project
        .execute(
            "update auth.refresh_tokens set updated_at = now() - interval '25 hours' where revoked;
             update auth.users set created_at = now() - interval '31 days'
               where id = (select id from auth.users where is_anonymous limit 1);
             update auth.users set created_at = now() - interval '31 days' where not is_anonymous;
             update auth.one_time_tokens set created_at = now() - interval '2 days';
             insert into auth.flow_state (id, authentication_method, provider_type, created_at)
               select gen_random_uuid(), 'email', 'email', now() - interval '25 hours' from generate_series(1, 250);
             insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
               values (gen_random_uuid(), 'club', 'x', now() - interval '25 hours');
             insert into auth.mfa_factors (id, user_id, factor_type, status, secret, created_at, updated_at)
               select gen_random_uuid(), id, 'totp', state::auth.factor_status, 'x', now() - interval '25 hours', now()
               from auth.users, unnest(array['verified', 'unverified']) state where email = 'a@b.example';
             insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
               select gen_random_uuid(), id, now() - interval '25 hours', '192.0.2.7' from auth.mfa_factors;",
        )
        .await;
    tidied(&project).await;
    for (left, query) in [
        (0, "select count(*) from auth.refresh_tokens where revoked"),
        (1, "select count(*) from auth.users where is_anonymous"),
        (1, "select count(*) from auth.users where email = 'a@b.example'"),
        (0, "select count(*) from auth.one_time_tokens"),
        (0, "select count(*) from auth.flow_state"),
        (0, "select count(*) from auth.oauth_client_states"),
        (0, "select count(*) from auth.mfa_challenges"),
        (1, "select count(*) from auth.mfa_factors"),
    ] {
        assert_eq!(project.count(query).await, left, "{query}");
    }
    project.refresh(&next.refresh_token()).await.expect(200);
}

#[tokio::test]
async fn sessions_go_a_day_after_their_end() {
    let hour = Some(GoDuration::from_secs(3600));
    let sessions = "select count(*) from auth.sessions";
    for silent in [false, true] {
        let project = Project::with(|settings| match silent {
            true => settings.sessions.inactivity_timeout = hour,
            false => settings.sessions.timebox = hour,
        })
        .await;
        let refreshed = project.member("a@b.example").await;
        project.refresh(&refreshed.refresh_token()).await.expect(200);
        project.member("b@b.example").await;
        let age = async |hours: i32| {
            sqlx::query(
                "with refreshed as (update auth.sessions
                   set created_at = created_at - make_interval(hours => $1), refreshed_at = refreshed_at - make_interval(hours => $1))
                 update auth.refresh_tokens set updated_at = updated_at - make_interval(hours => $1)",
            )
            .bind(hours)
            .execute(project.database.superuser())
            .await
            .unwrap();
        };
        age(24).await;
        tidied(&project).await;
        assert_eq!(project.count(sessions).await, 2);
        age(2).await;
        tidied(&project).await;
        assert_eq!(project.count(sessions).await, 0);
    }
    let project = Project::new().await;
    project.member("a@b.example").await;
    project.execute("update auth.sessions set created_at = now() - interval '10 years'").await;
    tidied(&project).await;
    assert_eq!(project.count(sessions).await, 1);
    project.execute("update auth.sessions set not_after = now() - interval '4 days'").await;
    tidied(&project).await;
    assert_eq!(project.count(sessions).await, 0);
}

#[tokio::test]
async fn a_row_that_is_in_use_is_left_for_later() {
    let project = Project::with(|settings| settings.enable_anonymous_sign_ins = true).await;
    project.post("/signup", json!({})).send().await.expect(200);
    project.execute("update auth.users set created_at = now() - interval '31 days'").await;
    let mut tx = cloch_sql::transaction::begin(project.database.superuser()).await.unwrap();
    sqlx::query("select 1 from auth.users for update").execute(&mut *tx).await.unwrap();
    tidied(&project).await;
    tx.rollback().await.unwrap();
    assert_eq!(project.count("select count(*) from auth.users").await, 1);
    tidied(&project).await;
    assert_eq!(project.count("select count(*) from auth.users").await, 0);
}
