//! A test server with the two endpoints of the auth API that the club's functions call. The endpoints only change the database in the same way as the
//! auth API. The gateway's tests use the real auth API.

use axum::extract::{Json, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Extension, Router};
use cloch_mail::{Mailer, Message};
use cloch_sql::Database;
use cloch_sql::caller::CallerResult;
use http::StatusCode;
use serde_json::{Value, json};
use sqlx::Row;
use std::collections::HashMap;

#[derive(Clone)]
struct Auth {
    database: Database,
    mailer: Mailer,
}

pub fn router(database: Database, mailer: Mailer) -> Router {
    Router::new().route("/invite", post(invite)).route("/recover", post(recover)).with_state(Auth { database, mailer })
}

async fn invite(
    State(auth): State<Auth>,
    Extension(caller): Extension<CallerResult>,
    Query(query): Query<HashMap<String, String>>,
    Json(body): Json<Value>,
) -> Response {
    if !caller.is_ok_and(|caller| caller.is_service_role()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let email = body["email"].as_str().unwrap();
    let mut transaction = cloch_sql::transaction::begin(auth.database.admin()).await.unwrap();
    let known = sqlx::query("select email_confirmed_at is not null from auth.users where email = $1")
        .bind(email)
        .fetch_optional(&mut *transaction)
        .await
        .unwrap();
    match known.map(|row| row.get::<bool, _>(0)) {
        Some(true) => {
            let body = Json(json!({"code": 422, "error_code": "email_exists", "msg": "exists"}));
            return (StatusCode::UNPROCESSABLE_ENTITY, body).into_response();
        }
        Some(false) => {
            let update = "update auth.users set invited_at = now(), confirmation_sent_at = now() where email = $1";
            sqlx::query(update).bind(email).execute(&mut *transaction).await.unwrap();
        }
        None => {
            let insert = "insert into auth.users (id, email, invited_at, confirmation_sent_at, aud, role) values (gen_random_uuid(), $1, now(), now(), 'authenticated', 'authenticated')";
            // If two invitations run concurrently, one of the two fails.
            if sqlx::query(insert).bind(email).execute(&mut *transaction).await.is_err() {
                return StatusCode::INTERNAL_SERVER_ERROR.into_response();
            }
        }
    }
    mail(&auth, &mut transaction, "invite", email, &query).await;
    transaction.commit().await.unwrap();
    Json(json!({})).into_response()
}

async fn recover(
    State(auth): State<Auth>,
    Query(query): Query<HashMap<String, String>>,
    Json(body): Json<Value>,
) -> Json<Value> {
    let mut transaction = cloch_sql::transaction::begin(auth.database.admin()).await.unwrap();
    mail(&auth, &mut transaction, "recovery", body["email"].as_str().unwrap(), &query).await;
    transaction.commit().await.unwrap();
    Json(json!({}))
}

async fn mail(
    auth: &Auth,
    connection: &mut sqlx::PgConnection,
    kind: &str,
    email: &str,
    query: &HashMap<String, String>,
) {
    // Each link contains a new token.
    let html = format!("<p>{}#{}</p>", query["redirect_to"], uuid::Uuid::new_v4());
    let message = Message::new(kind, [email.parse().unwrap()], kind, html).unwrap();
    auth.mailer.queue(connection, &message).await.unwrap();
}
