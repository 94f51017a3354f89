//! Tests of the replica with a primary that is configured as its own replica, and of the header that the response to a write contains.
//! tests/client/read_replica.test.mjs uses a real standby.

use cloch_sql::replica::{Lsn, ReplicaSettings};

use super::*;

#[tokio::test]
async fn a_primary_is_no_replica_of_itself() {
    let database = TestDatabase::platform().await;
    let login = database.login().with_user("authenticator", Secret::default());
    let replica = ReplicaSettings { login: login.clone(), max_lag: Duration::from_secs(10) };
    let settings = Settings { replica: Some(replica), ..Settings::default() };
    let rest = Rest::start_at(database, login, DIARY, settings).await;
    for id in 0..5 {
        let body = format!(r#"{{"id":{},"line":"new"}}"#, 100 + id);
        let written = rest.send(&Caller::service_role(), "POST", "/diary", &body).await;
        assert_eq!(written.status, StatusCode::CREATED);
        written.headers["cloch-lsn"].to_str().unwrap().parse::<Lsn>().unwrap();
        let read = rest.get("/diary?select=id&order=id.desc&limit=1").await;
        assert_eq!((read.status, read.body), (StatusCode::OK, format!(r#"[{{"id":{}}}]"#, 100 + id)));
        assert!(!read.headers.contains_key("cloch-lsn"));
    }
    let plain = Rest::start(DIARY, Settings::default()).await;
    let written = plain.send(&Caller::service_role(), "POST", "/diary", r#"{"id":100,"line":"new"}"#).await;
    assert_eq!(written.status, StatusCode::CREATED);
    assert!(!written.headers.contains_key("cloch-lsn"));
}
