//! The program of docs/clients.md, which is compared with this file.

use postgrest::Postgrest;
use serde_json::{Value, json};

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (url, key) = (std::env::var("SUPABASE_URL")?, std::env::var("SUPABASE_ANON_KEY")?);
    let http = reqwest::Client::new();

    let user = json!({ "email": "ann@club.example", "password": "Greenock pier" });
    let sign_in = http.post(format!("{url}/auth/v1/token?grant_type=password")).header("apikey", &key).json(&user);
    let session: Value = sign_in.send().await?.error_for_status()?.json().await?;
    let token = session["access_token"].as_str().ok_or("no session")?;

    let tables = Postgrest::new(format!("{url}/rest/v1")).insert_header("apikey", &key);
    let note = json!({ "body": "Meet at the pier" }).to_string();
    let created = tables.from("notes").auth(token).insert(note).select("*").single().execute().await?;
    let note: Value = serde_json::from_str(&created.error_for_status()?.text().await?)?;
    println!("{}", note["body"].as_str().unwrap_or_default());

    let file = format!("{url}/storage/v1/object/files/rust.txt");
    let upload = http.post(&file).header("apikey", &key).bearer_auth(token).header("x-upsert", "true");
    upload.header("content-type", "text/plain").body("hello").send().await?.error_for_status()?;
    let download = http.get(&file).header("apikey", &key).bearer_auth(token).send().await?;
    println!("{}", download.error_for_status()?.text().await?);
    Ok(())
}
