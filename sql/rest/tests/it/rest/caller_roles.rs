//! Tests of the roles in access tokens with two database logins: the login of the embedded database, and a superuser's login, which
//! `CLOCH_DB_URL` may contain.

use std::time::{Duration, Instant};

use cloch_core::Secret;
use cloch_rest::Settings;
use cloch_sql::LocalSettings;
use cloch_sql::caller::Caller;
use cloch_sql::caller::roles::{CallerRoles, GrantedBy, Reason, RoleError, RoleRefusal};
use cloch_sql::client::Pool;
use cloch_sql::database::{Database, Logins, PoolSizes};
use cloch_sql::testing::TestDatabase;
use http::StatusCode;
use serde_json::json;

use super::{DIARY, Rest, execute};

/// Returns the SQL that creates roles for one test. Roles belong to the whole database cluster, so each test uses role names with its own
/// suffix.
fn roles(suffix: &str) -> String {
    format!(
        "create role plain_{suffix}; grant plain_{suffix} to authenticator;
         create role alone_{suffix};
         create role strong_{suffix} bypassrls; grant strong_{suffix} to authenticator;
         create role below_{suffix} in role strong_{suffix}; grant below_{suffix} to authenticator;
         create role behind_{suffix} in role below_{suffix}; grant behind_{suffix} to authenticator;
         create role reader_{suffix} in role pg_read_server_files; grant reader_{suffix} to authenticator;
         create role almighty_{suffix} superuser; grant almighty_{suffix} to authenticator;
         create role serving_{suffix} in role service_role; grant serving_{suffix} to authenticator;"
    )
}

async fn drop_roles(database: &TestDatabase, suffix: &str) {
    let names = ["behind", "below", "strong", "reader", "almighty", "serving", "plain", "alone"];
    let names = names.map(|name| format!("{name}_{suffix}")).join(", ");
    execute(database, &format!("drop owned by {names}; drop role {names}")).await;
}

fn token(role: &str, more: serde_json::Value) -> Caller {
    let mut claims = json!({ "role": role, "sub": "a" });
    claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Caller::from_claims(claims.as_object().unwrap().clone(), None)
}

async fn a_role_is_one_of_callers(rest: &Rest, suffix: &str, login: &str) {
    let suffixed = |name: &str| format!("{name}_{suffix}");
    let denied = ["strong", "below", "behind", "reader", "almighty", "serving", "alone"].map(suffixed);
    let fixed = ["none", "None", "authenticator", "postgres", "supabase_admin", "supabase_auth_admin", login];
    for role in denied.iter().map(String::as_str).chain(fixed) {
        for (method, path, body) in [("GET", "/diary", ""), ("POST", "/diary", r#"{"owner":"b"}"#), ("GET", "/", "")] {
            let answer = rest.send(&token(role, json!({})), method, path, body).await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (StatusCode::FORBIDDEN, "42501"),
                "{role} {method} {path}"
            );
            assert_eq!(answer.json()["message"], format!("permission denied to set role \"{role}\""));
        }
    }
    for role in ["no_such_role", "", "anon, postgres"] {
        let answer = rest.send(&token(role, json!({})), "GET", "/diary", "").await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::UNAUTHORIZED, "22023"), "{role}");
    }
    // A token with a session id never bypasses row-level security, because a hook may have changed the claims of the token.
    let session = token("service_role", json!({ "session_id": "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10" }));
    assert_eq!(rest.send(&session, "GET", "/diary", "").await.status, StatusCode::FORBIDDEN);

    for role in ["anon", "authenticated", "service_role", &suffixed("plain")] {
        let answer = rest.send(&token(role, json!({})), "GET", "/rpc/add_up?a=1", "").await;
        assert_eq!((answer.status, answer.body.as_str()), (StatusCode::OK, "2"), "{role}");
    }
}

#[tokio::test]
async fn a_token_names_a_role_of_callers() {
    let rest = Rest::start(&format!("{DIARY}; {}", roles("usual")), Settings::default()).await;
    a_role_is_one_of_callers(&rest, "usual", "authenticator").await;
    drop_roles(&rest.database, "usual").await;
}

#[tokio::test]
async fn a_token_names_a_role_of_callers_also_where_the_login_is_a_superuser() {
    let database = TestDatabase::platform().await;
    let superuser = database.login().clone();
    let name = superuser.user.clone();
    let rest = Rest::start_at(database, superuser, &format!("{DIARY}; {}", roles("url")), Settings::default()).await;
    a_role_is_one_of_callers(&rest, "url", &name).await;
    drop_roles(&rest.database, "url").await;
}

/// Storage, Realtime, functions and the dashboard's "view as" begin their transactions with the functions that are tested here.
#[tokio::test]
async fn no_transaction_begins_in_another_role() {
    let database = TestDatabase::platform().await;
    let opened = Database::new(Logins::same(database.login()), PoolSizes::default());
    for role in ["none", "postgres", "supabase_admin", database.login().user.as_str(), "authenticator", "no_such_role"]
    {
        let refused = opened.begin_as(&token(role, json!({}))).await.unwrap_err();
        let code = refused.as_database_error().unwrap().code().unwrap().into_owned();
        assert_eq!(code, if role == "no_such_role" { "22023" } else { "42501" }, "{role}");
        assert!(opened.begin_with(role, &LocalSettings::default()).await.is_err(), "{role}");
    }
    let mut own = opened.begin_as(&Caller::service_role()).await.unwrap();
    let role: String = sqlx::query_scalar("select current_user::text").fetch_one(&mut *own).await.unwrap();
    assert_eq!(role, "service_role");
}

async fn refusal(roles: &CallerRoles, role: &str, granted_by: GrantedBy) -> Option<RoleRefusal> {
    match roles.check(role, granted_by).await {
        Ok(()) => None,
        Err(RoleError::Refused(refusal)) => Some(refusal),
        Err(error) => panic!("{error}"),
    }
}

/// A newly granted role is accepted quickly. Cached facts about roles expire after a short time, and at once after a notification of a
/// change.
#[tokio::test]
async fn roles_that_change() {
    let database = TestDatabase::platform().await;
    let login = database.login().with_user("authenticator", Secret::default());
    let roles = CallerRoles::new(Pool::new(login, 2));
    let own = GrantedBy::OwnKey;
    assert_eq!(refusal(&roles, "late_caller", own).await, Some(RoleRefusal::Unknown("late_caller".into())));
    execute(&database, "create role late_caller; grant late_caller to authenticator").await;
    let begun = Instant::now();
    while refusal(&roles, "late_caller", own).await.is_some() {
        assert!(begun.elapsed() < Duration::from_secs(2), "a role that was granted is refused");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    execute(&database, "alter role late_caller bypassrls").await;
    roles.expire();
    let denied = RoleRefusal::Denied("late_caller".into(), Reason::BypassesRowSecurity);
    assert_eq!(refusal(&roles, "late_caller", own).await, Some(denied.clone()));
    execute(&database, "alter role late_caller nobypassrls").await;
    roles.expire();
    assert_eq!(refusal(&roles, "late_caller", own).await, None);
    execute(&database, "alter role late_caller bypassrls").await;
    let begun = Instant::now();
    // Without a notification of the change, later requests refresh the cache of roles in the background.
    while refusal(&roles, "late_caller", own).await != Some(denied.clone()) {
        assert!(begun.elapsed() < Duration::from_secs(10), "the change is not noticed");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    execute(&database, "drop owned by late_caller; drop role late_caller").await;

    let service = Some(RoleRefusal::Denied("service_role".into(), Reason::ServiceRole));
    assert_eq!(refusal(&roles, "service_role", GrantedBy::Others).await, service);
    assert_eq!(refusal(&roles, "service_role", own).await, None);
}
