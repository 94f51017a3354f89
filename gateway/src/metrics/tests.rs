use std::time::Duration;

use axum::body::{Body, to_bytes};
use cloch_core::Secret;
use cloch_http::metrics::RequestInFlight;
use cloch_sql::testing::TestDatabase;
use http::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::*;
use crate::background::cron_metrics;
use crate::service::Service;

const SERVICE_KEY: &str = "s.r.v";

fn keys() -> ApiKeys {
    let secret = |text: &str| Secret::new(text);
    ApiKeys {
        anon: secret("a.n.on"),
        service_role: secret(SERVICE_KEY),
        publishable: secret("sb_publishable_x"),
        secret: secret("sb_secret_y"),
        issued: cloch_sql::caller::IssuedKeys::default(),
    }
}

async fn metrics() -> (TestDatabase, Metrics) {
    let database = TestDatabase::platform().await;
    let subjects = Subjects {
        database: database.database().clone(),
        rest: None,
        replica: None,
        data: std::env::temp_dir(),
        backup: None,
        tls: None,
    };
    let mut services = Services::default();
    services.add(Service::default().metrics(cron_metrics::register));
    (database, Metrics::new(subjects, &services, MetricsAccess::Key, keys()))
}

async fn get(metrics: &Metrics, key: Option<&str>) -> (StatusCode, String) {
    let mut request = Request::get(PATH);
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let response = metrics.router().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let status = response.status();
    (status, String::from_utf8(to_bytes(response.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap())
}

#[tokio::test]
async fn a_visitor_gets_nothing() {
    let (_database, metrics) = metrics().await;
    for key in [None, Some("a.n.on"), Some("sb_publishable_x"), Some("")] {
        let (status, text) = get(&metrics, key).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        assert!(!text.contains("cloch_"), "{text}");
    }
}

#[tokio::test]
async fn the_operator_gets_what_is_counted_and_measured() {
    let (_database, metrics) = metrics().await;
    RequestInFlight::begin().answered("/rest/v1", &Method::GET, StatusCode::OK, Duration::from_millis(3));
    cron_metrics::count_run("succeeded");
    let (status, text) = get(&metrics, Some(SERVICE_KEY)).await;
    for (name, kind) in [("realtime_connections_connected", "gauge"), ("cloch_realtime_bus_messages_lost", "counter")] {
        assert!(text.contains(&format!("# TYPE {name} {kind}\n")), "{name}: {text}");
    }
    assert_eq!(status, StatusCode::OK);
    for line in [
        "http_request_duration_seconds_bucket{le=\"0.005\",api=\"/rest/v1\",method=\"GET\",status=\"2xx\"} ",
        "cloch_cron_runs_total{status=\"succeeded\"} ",
        "cloch_postgres_up 1",
        "cloch_postgres_connections{state=\"active\"} ",
        "cloch_db_pool_max{pool=\"admin\"} ",
        "process_resident_memory_bytes ",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let value = |name: &str| -> f64 {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok()).unwrap()
    };
    assert!(value("cloch_postgres_size_bytes") > 1e6);
    assert!(value("cloch_data_free_bytes") < value("cloch_data_size_bytes"));
    assert!(text.ends_with("# EOF\n"));
}

#[tokio::test]
async fn a_lost_database_is_said_to_be_down() {
    let (_database, metrics) = metrics().await;
    metrics.0.sources.lock().await.postgres.measure().await;
    let sources = metrics.0.sources.lock().await;
    sources.pools.measure();
    drop(sources);
    assert!(get(&metrics, Some(SERVICE_KEY)).await.1.contains("cloch_postgres_up 1"));
    metrics.0.sources.lock().await.postgres.close().await;
    assert!(get(&metrics, Some(SERVICE_KEY)).await.1.contains("cloch_postgres_up 0"));
}

#[tokio::test]
async fn the_history_asks_the_database_once_a_minute_and_not_while_it_is_lost() {
    let (database, metrics) = metrics().await;
    metrics.sample().await;
    assert!(metrics.text().unwrap().contains("cloch_postgres_up 1"));
    metrics.0.sources.lock().await.postgres.close().await;
    metrics.sample().await;
    assert!(metrics.text().unwrap().contains("cloch_postgres_up 1"), "it was not asked again");
    database.database().admin_login().availability.set_lost("a test");
    metrics.sample().await;
    assert!(metrics.text().unwrap().contains("cloch_postgres_up 0"));
}

#[tokio::test]
async fn the_own_listener_serves_metrics_only() {
    let (_database, metrics) = metrics().await;
    let listener = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.local_addr().unwrap();
    assert!(bind(address).await.unwrap_err().to_string().contains("metrics.listen"));
    let stop = CancellationToken::new();
    let serving = tokio::spawn(serve(listener, metrics, stop.clone()));
    let ask = async |head: &str| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(format!("{head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    assert!(ask("GET /rest/v1/users").await.starts_with("HTTP/1.1 404"));
    assert!(ask("POST /metrics").await.starts_with("HTTP/1.1 405"));
    let answer = ask("GET /metrics").await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("cloch_postgres_up"), "{answer}");
    stop.cancel();
    serving.await.unwrap();
}
