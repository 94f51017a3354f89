//! Tests of the table REST API with a superuser's login, which `CLOCH_DB_URL` may contain.

use cloch_rest::Settings;
use cloch_sql::caller::Caller;
use cloch_sql::testing::TestDatabase;

use super::{DIARY, Rest};

/// A superuser's login may switch to every role without a grant. With this login, callers must get the same timeouts and error hints as
/// with the login `authenticator`.
#[tokio::test]
async fn a_superusers_login_gives_callers_what_authenticator_gives_them() {
    let limit = "create function public.time_limit() returns text language sql as \
                 $$ select current_setting('statement_timeout') $$";
    let named = format!("{DIARY}; {limit}");
    let usual = Rest::start(&named, Settings::default()).await;
    let database = TestDatabase::platform().await;
    let superuser = database.login().clone();
    let rest = Rest::start_at(database, superuser, &named, Settings::default()).await;
    for path in ["/rpc/time_limit", "/diarry"] {
        let visitor = Caller::anon();
        let expected = usual.send(&visitor, "GET", path, "").await;
        assert_eq!(rest.send(&visitor, "GET", path, "").await.body, expected.body);
    }
}
