//! Tests of function calls over HTTP: names, tokens, bodies, limits, upstream servers.

use axum::Router;
use axum::extract::Request;
use base64::Engine;
use cloch_functions::limits::Limits;
use cloch_functions::{Call, Function, FunctionError, FunctionResponse};
use serde_json::{Value, json};

use crate::support::{Reply, Site};

#[tokio::test]
async fn only_declared_functions_exist() {
    let site = Site::open().await;
    for name in ["unknown", "..%2fsend-email", "send-email%00", "SEND-EMAIL", "_internal"] {
        let reply = site.call(name, &site.anon(), &json!({})).await;
        assert_eq!((reply.status, reply.body), (404, json!("Function not found")), "{name}");
    }
    // A declared function without code returns the same error as a function that does not boot.
    let reply = site.call("nothing", &site.anon(), &json!({})).await;
    assert_eq!((reply.status, reply.body["code"].clone()), (503, json!("BOOT_ERROR")));
    let list = site.client.get(format!("{}/functions/v1", site.url)).send().await.unwrap();
    assert_eq!(list.status(), 404);
    let health = site.client.get(format!("{}/functions/v1/_internal/health", site.url)).send().await.unwrap();
    assert_eq!(health.text().await.unwrap(), r#"{"message":"ok"}"#);
}

#[tokio::test]
async fn a_token_is_needed_and_checked() {
    let site = Site::open().await;
    let url = format!("{}/functions/v1/send-invite", site.url);
    let post = |authorization: Option<String>| {
        let request = site.client.post(&url).json(&json!({"email": "x@example.org"}));
        let request = match authorization {
            Some(text) => request.header("authorization", text),
            None => request,
        };
        async { Reply::of(request.send().await.unwrap()).await }
    };
    let reply = post(None).await;
    assert_eq!((reply.status, reply.body), (401, json!({"msg": "Error: Missing authorization header"})));
    let reply = post(Some("Basic YTpi".into())).await;
    assert_eq!((reply.status, reply.body), (401, json!({"msg": "Error: Auth header is not 'Bearer {token}'"})));
    let expired = site.sign(&json!({"role": "authenticated", "exp": 1_000_000_000}));
    for token in ["abc", "a.b.c", "eyJhbGciOiJub25lIn0.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.", &expired] {
        let reply = post(Some(format!("Bearer {token}"))).await;
        assert_eq!((reply.status, reply.body), (401, json!({"msg": "Invalid JWT"})), "{token}");
        assert_eq!(reply.headers["access-control-allow-origin"], "*", "the page may read the refusal");
    }
    // A request whose only credential is an opaque API key in the header `apikey` is accepted.
    let request =
        site.client.post(&url).header("apikey", "sb_publishable_test").json(&json!({"email": "x@example.org"}));
    assert_eq!(Reply::of(request.send().await.unwrap()).await.status, 403);
}

#[tokio::test]
async fn a_preflight_needs_no_token() {
    let site = Site::open().await;
    let request = site
        .client
        .request(reqwest::Method::OPTIONS, format!("{}/functions/v1/send-email", site.url))
        .header("origin", "https://club.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,x-client-info,apikey,content-type,x-new");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.headers()["access-control-allow-headers"],
        "authorization,x-client-info,apikey,content-type,x-new"
    );
}

#[tokio::test]
async fn bodies_are_json_or_forms_of_bounded_size() {
    let site = Site::open().await;
    let send = |content_type: &'static str, body: Vec<u8>| {
        let request = site.client.post(format!("{}/functions/v1/validate-judging-password", site.url));
        let request = request.bearer_auth(site.anon()).header("content-type", content_type).body(body);
        async { Reply::of(request.send().await.unwrap()).await }
    };
    let deep_list = format!(r#"{{"password": {}1{}}}"#, "[".repeat(2000), "]".repeat(2000));
    let deep_object = r#"{"password":"#.repeat(300);
    for (content_type, body, status) in [
        ("application/json", "{", 400),
        ("application/json", "[1]", 400),
        ("application/json", "\u{feff}{}", 400),
        ("application/json", r#"{"password": 3}"#, 400),
        ("application/json", r#"{"password": "#, 400),
        ("application/json", deep_list.as_str(), 400),
        ("application/json", deep_object.as_str(), 400),
        ("application/json", r#"{"password": "x", "extra": 1}"#, 400),
        ("application/json", "", 400),
        ("application/octet-stream", "x", 415),
        ("multipart/form-data", "x", 400),
        (
            "multipart/form-data; boundary=x",
            "--x\r\ncontent-disposition: form-data; name=\"password\"; filename=\"a\"\r\n\r\nx\r\n--x--",
            400,
        ),
        ("application/json", r#"{"password": "wrong"}"#, 200),
        ("text/plain;charset=UTF-8", r#"{"password": "wrong"}"#, 200),
        ("application/x-www-form-urlencoded", "password=wrong", 200),
        (
            "multipart/form-data; boundary=x",
            "--x\r\ncontent-disposition: form-data; name=\"password\"\r\n\r\nwrong\r\n--x--",
            200,
        ),
    ] {
        let reply = send(content_type, body.into()).await;
        assert_eq!(reply.status, status, "{content_type} {body}: {:?}", reply.body);
        assert_eq!(reply.body["valid"].as_bool(), (status == 200).then_some(false));
    }
    let reply = send("application/json", vec![b' '; 5000]).await;
    assert_eq!((reply.status, reply.body["code"].clone()), (413, json!("too_large")));
    // A request body without the header `Content-Length`.
    let chunks = futures_util::stream::iter((0..50).map(|_| Ok::<_, std::io::Error>(vec![b' '; 100])));
    let request = site.client.post(format!("{}/functions/v1/validate-judging-password", site.url));
    let request = request.bearer_auth(site.anon()).header("content-type", "application/json");
    let reply = Reply::of(request.body(reqwest::Body::wrap_stream(chunks)).send().await.unwrap()).await;
    assert_eq!((reply.status, reply.body["code"].clone()), (413, json!("too_large")));
    let get = site.client.get(format!("{}/functions/v1/send-email", site.url)).bearer_auth(site.anon());
    assert_eq!(get.send().await.unwrap().status(), 405);
}

#[tokio::test]
async fn calls_are_counted_by_address_and_others_do_not_use_them_up() {
    let site = Site::with(
        "[functions.send-email]\nallowed_recipients = ['club@example.org']\ncalls_per_address_hourly = 5\ncalls_of_visitors_hourly = 8",
    )
    .await;
    let mail = json!({"to": "club@example.org", "subject": "s", "message": "m"});
    let (anon, at_once) = (site.anon(), 50);
    // A thousand calls from one address, fifty at a time, of which five are accepted.
    let mut statuses = std::collections::BTreeMap::new();
    for _ in 0..20 {
        let replies = futures_util::future::join_all((0..at_once).map(|_| site.call("send-email", &anon, &mail))).await;
        for reply in replies {
            *statuses.entry(reply.status).or_insert(0) += 1;
            if reply.status == 429 {
                let seconds: u64 = reply.headers["retry-after"].to_str().unwrap().parse().unwrap();
                assert!((3500..=3661).contains(&seconds));
                assert_eq!(reply.body["code"], "too_many_calls");
            }
        }
    }
    assert_eq!(statuses, [(200, 5), (429, 995)].into());
    // A second network uses up the limit of all visitors (callers without a session) together. Further networks may still make a few calls
    // each.
    for (address, allowed) in [("198.51.100.1", 5), ("198.51.100.2", 3), ("2001:db8::1", 3), ("2001:db8::2", 0)] {
        let calls = (0..10).map(|_| site.call_from(address, "send-email", &anon, &mail));
        let replies = futures_util::future::join_all(calls).await;
        assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), allowed, "{address}");
    }
    assert_eq!(site.mails().await.len(), 16);
    // An administrator has a separate limit on calls.
    let admin = site.admin("ann@example.org").await;
    assert_eq!(site.call("send-email", &admin, &mail).await.status, 200);
}

/// A function with a limit on the calls of all visitors together, and without a limit for each address.
struct OfAllVisitors;

#[derive(serde::Deserialize)]
struct NoInput {}

impl Function for OfAllVisitors {
    type Input = NoInput;

    fn name(&self) -> &'static str {
        "nothing"
    }

    fn roles(&self) -> &'static [&'static str] {
        &["anon"]
    }

    fn limits(&self) -> Limits {
        Limits { per_address_hourly: None, visitors_hourly: Some(4), ..Limits::default() }
    }

    async fn call(&self, _: Call, _: NoInput) -> Result<FunctionResponse, FunctionError> {
        Ok(FunctionResponse::Text("counted".into()))
    }
}

#[tokio::test]
async fn calls_of_all_visitors_are_counted_without_a_limit_of_each_address() {
    let site = Site::with_functions("", |registry| registry.with(OfAllVisitors)).await;
    let anon = site.anon();
    // The first network uses up the four calls that all visitors have together. After that, each network still has three calls.
    for (address, allowed) in [("198.51.100.1", 7), ("198.51.100.2", 3), ("2001:db8::1", 3)] {
        let mut statuses = Vec::new();
        for _ in 0..10 {
            statuses.push(site.call_from(address, "nothing", &anon, &json!({})).await.status);
        }
        let expected: Vec<u16> = (0..10).map(|number| if number < allowed { 200 } else { 429 }).collect();
        assert_eq!(statuses, expected, "{address}");
    }
}

/// A function of the test. It responds in the format that the input requests.
struct Own;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnInput {
    form: String,
}

impl Function for Own {
    type Input = OwnInput;

    fn name(&self) -> &'static str {
        "open"
    }

    fn roles(&self) -> &'static [&'static str] {
        &["anon", "authenticated"]
    }

    async fn call(&self, call: Call, input: OwnInput) -> Result<FunctionResponse, FunctionError> {
        match input.form.as_str() {
            "json" => FunctionResponse::json(
                &json!({"role": call.caller().role(), "password": call.secret("JUDGING_PASSWORD").is_some()}),
            ),
            "text" => Ok(FunctionResponse::Text("plain".into())),
            "binary" => {
                Ok(FunctionResponse::Binary(http::HeaderValue::from_static("application/pdf"), vec![0, 255].into()))
            }
            "events" => Ok(FunctionResponse::events(futures_util::stream::iter([json!({"n": 1}), json!({"n": 2})]))),
            "teapot" => Err(FunctionError::new(http::StatusCode::IM_A_TEAPOT, "teapot", "short and stout")),
            "panics" => panic!("the secret reason"),
            "unreachable" => Err(sqlx::Error::PoolTimedOut.into()),
            "fails" => Err(FunctionError::internal(&"the secret reason")),
            _ => {
                tokio::time::sleep(std::time::Duration::from_secs(60)).await;
                Ok(FunctionResponse::Text("late".into()))
            }
        }
    }
}

#[tokio::test]
async fn a_projects_own_function_answers_in_every_form() {
    let site = Site::with_functions("[functions.open]\ntimeout_seconds = 1", |registry| registry.with(Own)).await;
    let call = async |form: &str| {
        let answer = site
            .client
            .post(format!("{}/functions/v1/open", site.url))
            .json(&json!({"form": form}))
            .send()
            .await
            .unwrap();
        let content_type = answer.headers()["content-type"].to_str().unwrap().to_owned();
        (answer.status().as_u16(), content_type, String::from_utf8_lossy(&answer.bytes().await.unwrap()).into_owned())
    };
    let (status, content_type, body) = call("json").await;
    assert_eq!(
        (status, content_type.as_str(), body.as_str()),
        (200, "application/json", r#"{"role":"anon","password":true}"#)
    );
    let (_, content_type, body) = call("text").await;
    assert_eq!((content_type.as_str(), body.as_str()), ("text/plain; charset=utf-8", "plain"));
    assert_eq!(call("binary").await.1, "application/pdf");
    let (_, content_type, body) = call("events").await;
    assert_eq!((content_type.as_str(), body.as_str()), ("text/event-stream", "data: {\"n\":1}\n\ndata: {\"n\":2}\n\n"));
    let (status, _, body) = call("teapot").await;
    assert_eq!((status, body.as_str()), (418, r#"{"error":"short and stout","code":"teapot"}"#));
    let (status, _, body) = call("fails").await;
    assert!(status == 500 && !body.contains("secret reason"), "{body}");
    assert_eq!(call("slow").await.0, 504);
    let (status, content_type, body) = call("panics").await;
    assert_eq!((status, content_type.as_str()), (500, "application/json"));
    assert!(!body.contains("secret reason"), "{body}");
    assert_eq!(call("unreachable").await.0, 503);
    let judge = site.sign(&json!({"role": "judge"}));
    assert_eq!(site.call("open", &judge, &json!({"form": "json"})).await.status, 403);
    // With `verify_jwt = false`, a call with an invalid token is accepted with the role anon.
    assert_eq!(site.call("open", "a.b.c", &json!({"form": "json"})).await.body["role"], "anon");
}

#[tokio::test]
async fn a_function_elsewhere_gets_the_verified_claims() {
    let echo = async |request: Request| {
        let (parts, body) = request.into_parts();
        let headers: Value = parts
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), Value::from(value.to_str().unwrap())))
            .collect();
        let body = axum::body::to_bytes(body, 1 << 20).await.unwrap_or_default();
        let status = if parts.uri.path().ends_with("teapot") { 418 } else { 200 };
        let answer = json!({"method": parts.method.as_str(), "uri": parts.uri.to_string(), "headers": headers, "body": String::from_utf8_lossy(&body)});
        (
            http::StatusCode::from_u16(status).unwrap(),
            [("connection", "x-private"), ("x-private", "1"), ("cache-control", "private, max-age=60")],
            axum::Json(answer),
        )
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let upstream = format!("http://{}/base/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(echo)).await.unwrap() });
    let site = Site::with(&format!(
        "[functions.elsewhere]\nupstream = '{upstream}'\nmax_body_kb = 1\n[functions.nowhere]\nupstream = 'http://127.0.0.1:9/'"
    ))
    .await;
    let token = site.member("ann@example.org").await;

    let request = site
        .client
        .put(format!("{}/functions/v1/elsewhere/a/b%20c?x=1&y=%2F", site.url))
        .bearer_auth(&token)
        .header("x-cloch-role", "service_role")
        .header("x-cloch-claims", "forged")
        .header("x-cloch-admin", "true")
        .header("x-forwarded-for", "10.0.0.1")
        .header("connection", "x-hop")
        .header("x-hop", "1")
        .body("hello");
    let reply = Reply::of(request.send().await.unwrap()).await;
    let headers = &reply.body["headers"];
    assert_eq!(
        (reply.status, reply.body["method"].clone(), reply.body["body"].clone()),
        (200, json!("PUT"), json!("hello"))
    );
    assert_eq!(reply.body["uri"], "/base/a/b%20c?x=1&y=%2F");
    assert_eq!(headers["x-cloch-role"], "authenticated");
    assert_eq!(headers["x-cloch-admin"], Value::Null, "nobody else says what the gateway says");
    assert_eq!(headers["x-forwarded-for"], "127.0.0.1");
    assert_eq!((&headers["x-hop"], reply.headers.get("x-private")), (&Value::Null, None));
    let claims =
        base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(headers["x-cloch-claims"].as_str().unwrap()).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    assert_eq!(claims["email"], "ann@example.org");

    assert_eq!(reply.headers["cache-control"], "private, max-age=60", "the upstream decides");

    for path in ["..%2f..%2fsecret", "x/..%5csecret", "..%252fsecret"] {
        assert_eq!(site.call(&format!("elsewhere/{path}"), &token, &json!({})).await.status, 400, "{path}");
    }
    let reply = site.call("elsewhere/teapot", &token, &json!({})).await;
    assert_eq!((reply.status, reply.headers.get("x-relay-error")), (418, None));
    assert_eq!(site.call("elsewhere", &token, &json!({"x": "y".repeat(2000)})).await.status, 413);
    let chunks = futures_util::stream::iter((0..200).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 100])));
    let request = site.client.post(format!("{}/functions/v1/elsewhere", site.url)).bearer_auth(&token);
    let reply = Reply::of(request.body(reqwest::Body::wrap_stream(chunks)).send().await.unwrap()).await;
    assert_eq!(reply.status, 413, "{:?}", reply.body);
    let reply = site.call("nowhere", &token, &json!({})).await;
    assert_eq!((reply.status, reply.headers["x-relay-error"].to_str().unwrap()), (502, "true"));
    assert_eq!(site.call("elsewhere", "a.b.c", &json!({})).await.status, 401);
}

#[tokio::test]
async fn no_cache_keeps_what_a_function_answers() {
    let site = Site::open().await;
    for (name, token) in
        [("validate-judging-password", site.anon()), ("set-judging-password", site.anon()), ("none", site.anon())]
    {
        let reply = site.call(name, &token, &json!({"password": crate::support::PASSWORD})).await;
        assert_eq!(reply.headers["cache-control"], "no-store", "{name}: {}", reply.status);
    }
    let reply = site.call("send-email", "a.b.c", &json!({})).await;
    assert_eq!(reply.headers["cache-control"], "no-store", "{}", reply.status);
}

/// The database connection of a function call is lost during the call, as when PostgreSQL restarts.
#[tokio::test]
async fn a_lost_connection_is_not_the_functions_failure() {
    let site = Site::open().await;
    site.sql(
        "create function public.lose_connection() returns trigger language plpgsql security definer as $$
           begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
         create trigger lose_connection before insert on cloch.mail_outbox for each row execute function public.lose_connection()",
    )
    .await;
    let mail = json!({"to": "club@example.org", "subject": "s", "message": "m"});
    let reply = site.call("send-email", &site.anon(), &mail).await;
    assert_eq!((reply.status, reply.body["code"].clone()), (503, json!("unavailable")), "{reply:?}");
    assert_eq!(reply.headers["retry-after"], "2");
    site.sql("drop trigger lose_connection on cloch.mail_outbox").await;
    assert_eq!(site.call("send-email", &site.anon(), &mail).await.status, 200);
}

#[tokio::test]
async fn a_function_is_not_sent_to_where_clouds_tell_secrets() {
    let start = tokio::spawn(Site::with("[functions.elsewhere]\nupstream = 'http://169.254.169.254/latest/'"));
    let refusal = start.await.err().unwrap().into_panic();
    let text = refusal.downcast::<String>().unwrap();
    assert!(text.contains("cloch.toml: functions.elsewhere.upstream: requests may not go to this address"), "{text}");
}
