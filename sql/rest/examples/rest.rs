//! Serves the table REST API alone, for benchmarks and for comparison with PostgREST: `rest <folder of the PostgreSQL socket> <port> <user>
//! <database> <port to listen on> <JWT secret>`. `CLOCH_REST_*` variables enable features that are disabled by default, as on the Supabase
//! platform.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a tool that may stop at the first surprise")]
#![allow(clippy::panic, reason = "a program for development may stop at what it cannot read")]

use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use cloch_core::Secret;
use cloch_rest::OpenApiMode;
use cloch_rest::{RestState, Settings, TxEnd};
use cloch_sql::Availability;
use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{Caller, CallerResult, KeyRing};
use cloch_sql::database::{Address, Login, SessionAttributes, SslMode};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().unwrap_or_else(|| panic!("missing: {what}"));
    let login = Login {
        address: Address::Socket(next("socket folder").into()),
        port: next("database port").parse().unwrap(),
        user: next("user"),
        password: Secret::default(),
        database: next("database"),
        ssl_mode: SslMode::Disable,
        ssl_root_cert: None,
        keep_statements: std::env::var_os("CLOCH_REST_FORGET").is_none(),
        hosts: Vec::new(),
        session_attributes: SessionAttributes::Any,
        catalog_only: false,
        availability: Availability::default(),
    };
    let port: u16 = next("port").parse().unwrap();
    let verifier = Verifier::new(Arc::new(KeyRing::new(Secret::new(next("JWT secret")), &[]).unwrap()));
    let list = |name: &str, default: &str| -> Vec<String> {
        let text = std::env::var(name).unwrap_or_else(|_| default.to_owned());
        text.split(',').filter(|item| !item.is_empty()).map(str::to_owned).collect()
    };
    let permissive = std::env::var_os("CLOCH_REST_PERMISSIVE").is_some();
    let settings = Settings {
        schemas: list("CLOCH_REST_SCHEMAS", "public"),
        extra_search_path: list("CLOCH_REST_SEARCH_PATH", "public"),
        aggregates_enabled: permissive,
        plan_enabled: permissive,
        require_where: !permissive,
        tx_end: if permissive { TxEnd::CommitAllowOverride } else { TxEnd::Commit },
        openapi_mode: OpenApiMode::FollowPrivileges,
        pool_size: std::env::var("CLOCH_REST_POOL").map_or(12, |size| size.parse().unwrap()),
        ..Settings::default()
    };
    let state = RestState::connect(login.clone(), login, settings, CancellationToken::new());
    let identify = middleware::from_fn(move |mut request: Request, next: Next| {
        let caller: CallerResult = match request.headers().get("authorization").and_then(|value| value.to_str().ok()) {
            Some(value) => match value.split_once(' ') {
                Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => verifier.verify(token.trim()),
                _ => Ok(Caller::anon()),
            },
            None => Ok(Caller::anon()),
        };
        request.extensions_mut().insert(caller);
        next.run(request)
    });
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.unwrap();
    let router = Router::new().fallback(move |request| state.clone().answer(request));
    axum::serve(listener, router.layer(identify)).await.unwrap();
}
