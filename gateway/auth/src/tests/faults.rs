//! Tests that end the database connection before each write of each flow, as a killed server would. No partial change may remain, and no
//! one-time token or code may be used up.

use super::factors::{code, enroll};
use super::{Answer, Project, external, factors, json};

/// SQL that creates a trigger on all tables and the function `fault.digest`. The trigger ends the database connection at a given write. The
/// function returns a digest of all stored data.
const TOOLS: &str = "
  create schema fault;
  create sequence fault.writes;
  create table fault.due (at bigint);
  insert into fault.due values (0);
  create function fault.strike() returns trigger language plpgsql security definer set search_path = '' as $$
    begin
      if nextval('fault.writes') = (select at from fault.due) then
        perform pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid());
      end if;
      return null;
    end $$;
  create function fault.digest() returns text language plpgsql set search_path = '' as $$
    declare
      place record;
      digest text;
      all_digests text := '';
    begin
      for place in select schemaname, tablename from pg_catalog.pg_tables
                   where schemaname = 'auth' or (schemaname, tablename) = ('cloch', 'mail_outbox') order by 1, 2 loop
        execute pg_catalog.format('select pg_catalog.md5(coalesce(pg_catalog.string_agg(t::text, chr(10) order by t::text), '''')) from %I.%I t',
                                  place.schemaname, place.tablename) into digest;
        all_digests := all_digests || place.tablename || ' ' || digest || chr(10);
      end loop;
      return all_digests;
    end $$;
  do $$
    declare place record;
    begin
      for place in select schemaname, tablename from pg_catalog.pg_tables
                   where schemaname = 'auth' or (schemaname, tablename) = ('cloch', 'mail_outbox') loop
        execute pg_catalog.format('create trigger fault before insert or update or delete on %I.%I for each statement execute function fault.strike()',
                                  place.schemaname, place.tablename);
      end loop;
    end $$;
  grant usage on schema fault to public;";

async fn due(project: &Project, at: i64) {
    sqlx::query("with reset as (select setval('fault.writes', 1, false)) update fault.due set at = $1 from reset")
        .bind(at)
        .execute(project.database.superuser())
        .await
        .unwrap();
}

async fn digest(project: &Project) -> String {
    sqlx::query_scalar("select fault.digest()").fetch_one(project.database.superuser()).await.unwrap()
}

/// Repeats a request until it succeeds. In the first attempt, the connection ends at the first write; in the second attempt, at the second
/// write, and so on. As the same request succeeds in the end, no failed attempt has used up a token or code.
async fn survives(project: &Project, what: &str, step: impl AsyncFn() -> Answer) -> Answer {
    for at in 1..100 {
        let before = digest(project).await;
        due(project, at).await;
        let answer = step().await;
        let writes: i64 = project.count("select last_value - (not is_called)::int from fault.writes").await;
        due(project, 0).await;
        if writes < at {
            assert!(at > 1, "{what} writes nothing");
            assert!(answer.status.is_success() || answer.status.is_redirection(), "{what}: {}", answer.body);
            return answer;
        }
        // The failed response must make the client retry: status 503, or a redirect with `temporarily_unavailable`.
        let cut = answer.status == 503 || answer.location_has("error=temporarily_unavailable");
        assert!(cut, "{what}, cut off at write {at}: {} {}", answer.status, answer.body);
        assert_eq!(digest(project).await, before, "{what}, cut off at write {at}");
    }
    unreachable!("{what} never ends")
}

async fn prepared(project: Project) -> Project {
    project.execute(TOOLS).await;
    project
}

#[tokio::test]
async fn from_sign_up_to_the_first_session() {
    let project = prepared(Project::new().await).await;
    let body = json!({"email": "a@b.example", "password": "correct horse", "data": {"name": "Ann"}});
    survives(&project, "sign-up", async || project.post("/signup", body.clone()).send().await).await;
    let again = json!({"type": "signup", "email": "a@b.example"});
    survives(&project, "resending", async || project.post("/resend", again.clone()).send().await).await;
    let link = project.mail("a@b.example").await.link;
    let end = survives(&project, "confirmation", async || project.get(&link).send().await).await;
    assert!(end.location().contains("access_token="));
    let session = survives(&project, "sign-in", async || project.sign_in("a@b.example", "correct horse").await).await;
    let token = session.refresh_token();
    let next = survives(&project, "refresh", async || project.refresh(&token).await).await;
    let access = next.access_token();
    survives(&project, "sign-out", async || project.post("/logout", json!({})).bearer(&access).send().await).await;
    assert_eq!(project.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn recovery_in_both_flows() {
    let project = prepared(Project::new().await).await;
    project.member("a@b.example").await;
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    let challenge = json!({
        "email": "a@b.example", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "s256",
    });
    survives(&project, "recovery", async || project.post("/recover", challenge.clone()).send().await).await;
    let link = project.mail("a@b.example").await.link;
    let end = survives(&project, "its link", async || project.get(&link).send().await).await.location();
    let code = end.split("code=").nth(1).unwrap().to_owned();
    let exchange = json!({"auth_code": code, "code_verifier": verifier});
    let session =
        survives(&project, "its code", async || project.post("/token?grant_type=pkce", exchange.clone()).send().await)
            .await;
    let change = json!({"password": "battery staple", "data": {"x": 1}});
    let token = session.access_token();
    survives(&project, "a new password", async || project.put("/user", change.clone()).bearer(&token).send().await)
        .await;
    project.sign_in("a@b.example", "battery staple").await.expect(200);

    project.post("/recover", json!({"email": "a@b.example"})).send().await.expect(200);
    let mailed = json!({"type": "recovery", "email": "a@b.example", "token": project.mail("a@b.example").await.code});
    survives(&project, "a mailed code", async || project.post("/verify", mailed.clone()).send().await).await;
    let link = json!({"email": "a@b.example"});
    survives(&project, "a magic link", async || project.post("/otp", link.clone()).send().await).await;
    survives(&project, "reauthentication", async || project.get("/reauthenticate").bearer(&token).send().await).await;
}

#[tokio::test]
async fn a_change_of_address() {
    let project = prepared(Project::new().await).await;
    let token = project.member("old@b.example").await.access_token();
    let change = json!({"email": "new@b.example"});
    survives(&project, "the wish", async || project.put("/user", change.clone()).bearer(&token).send().await).await;
    let (old, new) = (project.mail("old@b.example").await, project.mail("new@b.example").await);
    survives(&project, "the first link", async || project.get(&old.link).send().await).await;
    let end = survives(&project, "the second link", async || project.get(&new.link).send().await).await;
    assert!(end.location().contains("access_token="));
    project.sign_in("new@b.example", "correct horse").await.expect(200);
}

#[tokio::test]
async fn anonymous_users() {
    let project = prepared(Project::with(|settings| settings.enable_anonymous_sign_ins = true).await).await;
    let session =
        survives(&project, "an anonymous sign-in", async || project.post("/signup", json!({})).send().await).await;
    let token = session.access_token();
    let change = json!({"email": "a@b.example"});
    survives(&project, "the wish", async || project.put("/user", change.clone()).bearer(&token).send().await).await;
    let link = project.mail("a@b.example").await.link;
    survives(&project, "the link", async || project.get(&link).send().await).await;
    assert_eq!(project.count("select count(*) from auth.users where not is_anonymous").await, 1);
}

#[tokio::test]
async fn second_factors() {
    let project = prepared(factors::project().await).await;
    let token = project.member("a@b.example").await.access_token();
    let enrolled = survives(&project, "enrolling", async || enroll(&project, &token, "app").await).await;
    let (id, secret) = (enrolled.text("/id"), enrolled.text("/totp/secret"));
    let path = format!("/factors/{id}");
    let ask = async || project.post(&format!("{path}/challenge"), json!({})).bearer(&token).send().await;
    let challenge = survives(&project, "a challenge", ask).await.text("/id");
    let prove = async || {
        let body = json!({"challenge_id": challenge, "code": code(&secret)});
        project.post(&format!("{path}/verify"), body).bearer(&token).send().await
    };
    let raised = survives(&project, "its answer", prove).await.access_token();
    survives(&project, "unenrolling", async || project.delete(&path).bearer(&raised).send().await).await;
}

#[tokio::test]
async fn what_administrators_do() {
    let project = prepared(Project::new().await).await;
    let key = project.service_key();
    let user = json!({"email": "a@b.example", "password": "correct horse", "email_confirm": true, "role": "judge"});
    let create = async || project.post("/admin/users", user.clone()).bearer(&key).send().await;
    let id = survives(&project, "creating", create).await.text("/id");
    let path = format!("/admin/users/{id}");
    let change = json!({"email": "b@b.example", "email_confirm": true, "app_metadata": {"x": 1}, "ban_duration": "1h"});
    survives(&project, "changing", async || project.put(&path, change.clone()).bearer(&key).send().await).await;
    let guest = json!({"email": "guest@b.example"});
    survives(&project, "inviting", async || project.post("/invite", guest.clone()).bearer(&key).send().await).await;
    let link = json!({"type": "signup", "email": "new@b.example", "password": "correct horse"});
    let generate = async || project.post("/admin/generate_link", link.clone()).bearer(&key).send().await;
    survives(&project, "a link to send oneself", generate).await;
    let soft = json!({"should_soft_delete": true});
    let guests: String = sqlx::query_scalar("select id::text from auth.users where email = 'guest@b.example'")
        .fetch_one(project.database.superuser())
        .await
        .unwrap();
    let softly =
        async || project.delete(&format!("/admin/users/{guests}")).json(soft.clone()).bearer(&key).send().await;
    survives(&project, "soft deletion", softly).await;
    survives(&project, "deletion", async || project.delete(&path).bearer(&key).send().await).await;
}

/// The first callback of the provider uses up the flow's `state`. The user, the identity and the session are stored together or not at all.
#[tokio::test]
async fn a_sign_in_through_a_provider() {
    let (project, issuer) = external::project().await;
    let project = prepared(project).await;
    issuer.says("1", "a@b.example", true);
    let people = "select (select count(*) from auth.users) * 100 + (select count(*) from auth.identities) * 10
        + (select count(*) from auth.sessions)";
    for at in 1..100 {
        let state = external::begin(&project, "").await;
        due(&project, at).await;
        let answer = external::come_back(&project, &state).await;
        due(&project, 0).await;
        if answer.location_has("access_token=") {
            assert!(at > 4, "it writes more than {at} times");
            assert_eq!(project.count(people).await, 111);
            return;
        }
        assert_eq!(project.count(people).await, 0, "cut off at write {at}: {}", answer.body);
    }
    unreachable!("it never ends")
}
