//! Tests of send-invite: permission to invite, and the state of the invited account.

use serde_json::json;

use crate::support::Site;

const FIRST: &str = "admin@example.org";

async fn invite(site: &Site, token: &str, email: &str) -> u16 {
    site.call("send-invite", token, &json!({"email": email})).await.status
}

async fn admins(site: &Site) -> Vec<String> {
    site.value("select coalesce(array_agg(u.email::text order by u.email), '{}') from public.user_roles r join auth.users u on u.id = r.user_id").await
}

async fn mails(site: &Site) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    site.mails().await.iter().map(|mail| (text(&mail["kind"]), text(&mail["recipients"][0]))).collect()
}

#[tokio::test]
async fn a_visitor_invites_first_admins_only() {
    let site = Site::open().await;
    let member = site.member("eve@example.org").await;
    for token in [&site.anon(), &member] {
        for email in ["eve@example.org", "admin@example.org.evil.example", "admin@example.net"] {
            assert_eq!(invite(&site, token, email).await, 403, "{email}");
        }
        for email in ["", "admin@example.org\r\nBcc: x@example.net", "admin@example.org,eve@example.org"] {
            assert_eq!(invite(&site, token, email).await, 400, "{email:?}");
        }
    }
    assert!(mails(&site).await.is_empty() && admins(&site).await.is_empty());

    assert_eq!(invite(&site, &site.anon(), "Admin@Example.ORG").await, 200);
    assert_eq!(admins(&site).await, [FIRST]);
    assert_eq!(mails(&site).await, [("invite".to_owned(), FIRST.to_owned())]);
    assert!(site.mails().await[0]["html"].as_str().unwrap().contains("https://club.example/auth"));
}

#[tokio::test]
async fn an_admin_invites_anyone_and_again() {
    let site = Site::open().await;
    let admin = site.admin("ann@example.org").await;
    for _ in 0..2 {
        assert_eq!(invite(&site, &admin, "bob@example.org").await, 200);
    }
    assert_eq!(admins(&site).await, ["ann@example.org", "bob@example.org"]);
    let bob = ("invite".to_owned(), "bob@example.org".to_owned());
    assert_eq!(mails(&site).await, [bob.clone(), bob]);
    // A person who has accepted the invitation receives a sign-in link instead of an invitation.
    site.sql("update auth.users set email_confirmed_at = now()").await;
    assert_eq!(invite(&site, &admin, "bob@example.org").await, 200);
    assert_eq!(mails(&site).await.last().unwrap().0, "recovery");
}

#[tokio::test]
async fn the_owner_of_an_address_is_not_flooded() {
    let site = Site::open().await;
    let admin = site.admin("ann@example.org").await;
    let calls = (0..20).map(|_| invite(&site, &admin, "bob@example.org"));
    let statuses = futures_util::future::join_all(calls).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 5, "{statuses:?}");
    assert_eq!(mails(&site).await.len(), 5);
}

#[tokio::test]
async fn signing_up_with_an_invited_address_gives_nothing() {
    let site = Site::open().await;
    // A stranger signs up with the first administrator's address before the invitation. The address is confirmed or not.
    for confirmed in ["null", "now()"] {
        site.sql("truncate auth.users cascade; truncate cloch.rate_limits").await;
        let insert = format!(
            "insert into auth.users (id, email, encrypted_password, email_confirmed_at, aud, role)
             values ('6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10', '{FIRST}', 'stolen', {confirmed}, 'authenticated', 'authenticated')"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(insert)).execute(site.pool()).await.unwrap();
        assert_eq!(invite(&site, &site.anon(), FIRST).await, 200);
        assert_eq!(admins(&site).await, [FIRST]);
        let kept: bool = site.value("select exists (select from auth.users where id = '6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10' or encrypted_password = 'stolen')").await;
        assert!(!kept, "{confirmed}: the stranger's account became an admin's");
    }
    // A stranger signs up after the invitation was recorded and before the account is created: the stranger's password is removed, because the
    // stranger has not confirmed the address.
    site.sql(
        "truncate auth.users cascade;
         insert into auth.users (id, email, encrypted_password, aud, role)
         values ('6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a11', 'admin@example.org', 'stolen', 'authenticated', 'authenticated');
         update auth.users set invited_at = now()",
    )
    .await;
    assert_eq!(admins(&site).await, [FIRST]);
    assert_eq!(site.value::<String>("select encrypted_password from auth.users").await, "");
    // Signing up later, without an invitation, grants no administrator role.
    site.sql(
        "truncate auth.users cascade;
         insert into auth.users (id, email, email_confirmed_at, aud, role)
         values ('6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a12', 'admin@example.org', now(), 'authenticated', 'authenticated')",
    )
    .await;
    assert!(admins(&site).await.is_empty());
}

#[tokio::test]
async fn a_removed_admin_comes_back_through_an_admin() {
    let site = Site::open().await;
    let admin = site.admin("ann@example.org").await;
    assert_eq!(invite(&site, &site.anon(), FIRST).await, 200);
    site.sql(
        "delete from public.user_roles r using auth.users u where u.id = r.user_id and u.email = 'admin@example.org'",
    )
    .await;
    let sent = mails(&site).await.len();

    // A visitor receives the usual response, but the removed administrator receives no role. An invitation by the auth API without send-invite grants
    // no role either.
    assert_eq!(invite(&site, &site.anon(), FIRST).await, 200);
    assert_eq!((admins(&site).await, mails(&site).await.len()), (vec!["ann@example.org".to_owned()], sent));
    site.sql("update auth.users set invited_at = now() where email = 'admin@example.org'").await;
    assert_eq!(admins(&site).await, ["ann@example.org"]);

    assert_eq!(invite(&site, &admin, FIRST).await, 200);
    assert_eq!(admins(&site).await, [FIRST, "ann@example.org"]);
    // If no administrator exists, a first administrator may be invited as in a new project.
    site.sql("delete from auth.users; truncate cloch.rate_limits").await;
    assert_eq!(invite(&site, &site.anon(), FIRST).await, 200);
    assert_eq!(admins(&site).await, [FIRST]);
}

/// A new invitation would invalidate the link of the pending invitation, and anyone may request an invitation.
#[tokio::test]
async fn a_visitor_repeats_an_invitation_and_does_not_end_it() {
    let site = Site::open().await;
    let links = async || -> Vec<String> {
        site.mails().await.iter().map(|mail| mail["html"].as_str().unwrap().to_owned()).collect()
    };
    for _ in 0..4 {
        assert_eq!(invite(&site, &site.anon(), FIRST).await, 200);
    }
    let sent = links().await;
    assert_eq!(sent.len(), 4);
    assert!(sent.iter().all(|link| *link == sent[0]), "{sent:?}");
    // A new mail is sent after the link has expired, or after a different mail has replaced the token of the link.
    site.sql("update auth.users set confirmation_sent_at = now() - interval '61 minutes'; update cloch.mail_outbox set created_at = now() - interval '61 minutes'")
        .await;
    assert_eq!(invite(&site, &site.anon(), FIRST).await, 200);
    assert_eq!(links().await.iter().filter(|link| **link != sent[0]).count(), 1);
    site.sql("update auth.users set confirmation_sent_at = now() + interval '1 minute'; truncate cloch.rate_limits")
        .await;
    assert_eq!(invite(&site, &site.anon(), FIRST).await, 200);
    assert_eq!(links().await.iter().filter(|link| **link != sent[0]).count(), 2);
    // Invitations by visitors (role `anon`) do not count towards the limit of administrators.
    for _ in 0..5 {
        invite(&site, &site.anon(), FIRST).await;
    }
    assert_eq!(invite(&site, &site.anon(), FIRST).await, 429);
    let admin = site.admin("ann@example.org").await;
    assert_eq!(invite(&site, &admin, FIRST).await, 200);
}
