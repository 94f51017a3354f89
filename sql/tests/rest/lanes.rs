//! The connections of the lanes: each lane's own first, but none idle while somebody waits.

use tokio::join;

use super::*;

/// `meet` returns once a note is there: somebody else has to write it meanwhile.
const NOTES: &str = "
    create table note (line text);
    grant select, insert on note to service_role;
    create function meet() returns text language plpgsql as $$
    begin
      for tried in 1..800 loop
        if exists (select from note) then return 'met'; end if;
        perform pg_sleep(0.01);
      end loop;
      return 'alone';
    end $$;
    create function nap(seconds float8) returns text language sql as $$ select pg_sleep(seconds)::text $$;";

#[tokio::test]
async fn a_busy_lane_borrows_what_is_idle() {
    let rest = Rest::start(NOTES, Settings { pool_size: 2, ..Settings::default() }).await;
    let caller = Caller::service_role();
    let meeting = rest.send(&caller, "POST", "/rpc/meet", "{}");
    let (met, written) = join!(meeting, rest.send(&caller, "POST", "/note", r#"{"line":"here"}"#));
    assert_eq!((met.body.as_str(), written.status), (r#""met""#, StatusCode::CREATED));
}

#[tokio::test]
async fn who_has_waited_takes_the_first_that_becomes_free_anywhere() {
    let rest = Rest::start(NOTES, Settings { pool_size: 2, ..Settings::default() }).await;
    let caller = Caller::service_role();
    let (meeting, napping) = (rest.send(&caller, "POST", "/rpc/meet", "{}"), rest.get("/rpc/nap?seconds=0.3"));
    let writing = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        rest.send(&caller, "POST", "/note", r#"{"line":"here"}"#).await
    };
    let (met, _, written) = join!(meeting, napping, writing);
    assert_eq!((met.body.as_str(), written.status), (r#""met""#, StatusCode::CREATED));
}
