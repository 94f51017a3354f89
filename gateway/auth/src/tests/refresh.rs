//! Tests of POST /token?grant_type=refresh_token: rotation, reuse and theft of refresh tokens.

use super::{Project, json};

#[tokio::test]
async fn malformed_and_unknown_tokens() {
    let project = Project::new().await;
    for token in ["", "short", "UPPERCASE123", "with space 1", "abcdefghijkl_mn", &"a".repeat(5000)] {
        project.refresh(token).await.refused(400, "validation_failed");
    }
    let answer = project.refresh("abcdefghijkl").await.refused(400, "refresh_token_not_found");
    assert_eq!(answer.text("/message"), "Invalid Refresh Token: Refresh Token Not Found");
}

#[tokio::test]
async fn a_token_used_long_after_it_was_spent_ends_the_family() {
    let project = Project::with(|settings| settings.refresh_token_reuse_interval = 0).await;
    let first = project.member("a@b.example").await.refresh_token();
    let second = project.refresh(&first).await.expect(200).refresh_token();
    let third = project.refresh(&second).await.expect(200).refresh_token();
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let answer = project.refresh(&first).await.refused(400, "refresh_token_already_used");
    assert_eq!(answer.text("/message"), "Invalid Refresh Token: Already Used");
    project.refresh(&third).await.refused(400, "refresh_token_already_used");
}

/// When a stolen refresh token is used, the session ends for the thief and for the owner, even if the newest refresh token was issued very
/// recently.
#[tokio::test]
async fn a_theft_ends_the_newest_token_at_once() {
    let project = Project::new().await;
    let first = project.member("a@b.example").await.refresh_token();
    let second = project.refresh(&first).await.expect(200).refresh_token();
    let third = project.refresh(&second).await.expect(200).refresh_token();
    project
        .execute("update auth.refresh_tokens set updated_at = updated_at - interval '1 minute' where parent is null")
        .await;
    project.refresh(&first).await.refused(400, "refresh_token_already_used");
    for token in [&third, &second, &first] {
        project.refresh(token).await.refused(400, "refresh_token_already_used");
    }
    assert_eq!(project.count("select count(*) from auth.refresh_tokens where not revoked").await, 0);
}

/// If two browser tabs refresh a session at the same time, the second request sends a refresh token that was just used. It is accepted.
#[tokio::test]
async fn a_token_that_was_just_spent_is_answered() {
    let project = Project::new().await;
    let first = project.member("a@b.example").await.refresh_token();
    let second = project.refresh(&first).await.expect(200).refresh_token();
    let third = project.refresh(&second).await.expect(200).refresh_token();
    let other = project.refresh(&first).await.expect(200).refresh_token();
    project.refresh(&third).await.expect(200);
    project.refresh(&other).await.expect(200);
}

#[tokio::test]
async fn the_parent_of_the_active_token_gets_it_again_at_any_time() {
    let project = Project::with(|settings| settings.refresh_token_reuse_interval = 0).await;
    let first = project.member("a@b.example").await.refresh_token();
    let second = project.refresh(&first).await.expect(200).refresh_token();
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    assert_eq!(project.refresh(&first).await.expect(200).refresh_token(), second);
    assert_eq!(project.count("select count(*) from auth.refresh_tokens").await, 2);
}

#[tokio::test]
async fn twenty_at_once_make_one_child() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    let token = session.refresh_token();
    let answers = futures_util::future::join_all((0..20).map(|_| project.refresh(&token))).await;
    let children: std::collections::HashSet<String> =
        answers.into_iter().map(|answer| answer.expect(200).refresh_token()).collect();
    assert_eq!(children.len(), 1);
    assert_eq!(project.count("select count(*) from auth.refresh_tokens where not revoked").await, 1);
}

#[tokio::test]
async fn a_refresh_shows_the_user_as_now() {
    let project = Project::new().await;
    let session = project.member("a@b.example").await;
    let id = session.text("/user/id");
    let change = json!({"app_metadata": {"club": "gourock"}, "role": "judge"});
    project.put(&format!("/admin/users/{id}"), change).bearer(&project.service_key()).send().await.expect(200);
    let next = project.refresh(&session.refresh_token()).await.expect(200);
    let caller = project.verifier.verify(&next.access_token()).unwrap();
    assert_eq!(caller.role(), "judge");
    assert_eq!(caller.claims()["app_metadata"]["club"], "gourock");
    assert_eq!(caller.claims()["amr"][0]["method"], "password");
    assert_eq!(next.body["user"]["last_sign_in_at"], session.body["user"]["last_sign_in_at"]);
}

#[tokio::test]
async fn sessions_end_by_time_and_by_silence() {
    let hour = crate::settings::GoDuration::from_secs(3600);
    let project = Project::with(|settings| settings.sessions.timebox = Some(hour)).await;
    let session = project.member("a@b.example").await;
    project.execute("update auth.sessions set created_at = now() - interval '2 hours'").await;
    let answer = project.refresh(&session.refresh_token()).await.refused(400, "session_expired");
    assert_eq!(answer.text("/message"), "Invalid Refresh Token: Session Expired");

    let project = Project::with(|settings| settings.sessions.inactivity_timeout = Some(hour)).await;
    let session = project.member("a@b.example").await;
    project
        .execute(
            "update auth.sessions set created_at = now() - interval '3 hours';
             update auth.refresh_tokens set updated_at = now() - interval '2 hours'",
        )
        .await;
    let answer = project.refresh(&session.refresh_token()).await.refused(400, "session_expired");
    assert!(answer.text("/message").ends_with("(Inactivity)"));
}

#[tokio::test]
async fn one_session_a_user_is_the_newest() {
    let project = Project::with(|settings| settings.sessions.single_per_user = true).await;
    let first = project.member("a@b.example").await;
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let second = project.sign_in("a@b.example", "correct horse").await.expect(200);
    let answer = project.refresh(&first.refresh_token()).await.refused(400, "session_expired");
    assert!(answer.text("/message").ends_with("(Revoked by Newer Login)"));
    project.refresh(&second.refresh_token()).await.expect(200);
}
