//! Traffic of a demo: requests as the members' apps would send them, about one per second, so that the dashboard's charts, logs and
//! explanations have content. No function is called, because the first call would download Deno.

use std::time::Duration;

use chrono::{Days, Utc};
use cloch_core::Secret;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::accounts::MEMBERS;
use crate::error::CommandError;

/// Pauses between two requests, used in this order and then again from the start. The different lengths create peaks of traffic.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(150),
    Duration::from_millis(400),
    Duration::from_millis(250),
    Duration::from_millis(1800),
    Duration::from_millis(900),
    Duration::from_millis(2500),
];
/// Age of the members' sessions at which they sign in again. Shorter than the lifetime of an access token.
const SESSION_AGE: Duration = Duration::from_mins(45);
const TIMEOUT: Duration = Duration::from_secs(10);
const SLOTS: [&str; 3] = ["morning", "afternoon", "evening"];
const PHOTOS: [&str; 4] = ["osprey", "kittiwake", "selkie", "isle-of-bute"];
/// Number of days, from today, for which the traffic creates bookings. It limits the number of created rows.
const DAYS_AHEAD: u64 = 21;

/// HTTP client that sends the requests of the members' apps.
pub(super) struct Clients {
    client: Client,
    url: String,
    key: String,
    password: Secret,
}

impl Clients {
    pub(super) fn new(url: String, key: String, password: Secret) -> Result<Self, CommandError> {
        let client = Client::builder().no_proxy().timeout(TIMEOUT).build()?;
        Ok(Self { client, url, key, password })
    }

    /// Sends requests until this future is dropped. The responses are not checked, because some requests are refused on purpose.
    pub(super) async fn run(self) {
        let mut number = 0_usize;
        loop {
            let (tokens, since) = (self.sign_in().await, Instant::now());
            while since.elapsed() < SESSION_AGE {
                let token = tokens.get(number % tokens.len().max(1)).map(String::as_str);
                if let Ok(response) = self.request(number, token).send().await {
                    let _ = response.bytes().await;
                }
                let pause = PAUSES.get(number % PAUSES.len()).copied().unwrap_or(TIMEOUT);
                number = number.wrapping_add(1);
                sleep(pause).await;
            }
        }
    }

    async fn sign_in(&self) -> Vec<String> {
        let mut tokens = Vec::new();
        for email in MEMBERS {
            let account = json!({ "email": email, "password": self.password.expose() });
            let request = self.post("/auth/v1/token?grant_type=password", None).json(&account);
            let Ok(response) = request.send().await else { continue };
            let session: Value = response.json().await.unwrap_or_default();
            tokens.extend(session.get("access_token").and_then(Value::as_str).map(str::to_owned));
        }
        tokens
    }

    /// Returns the request with this sequence number. Successive numbers alternate between all kinds of requests.
    fn request(&self, number: usize, member: Option<&str>) -> RequestBuilder {
        let slot = SLOTS.get(number % SLOTS.len()).copied().unwrap_or_default();
        let photo = PHOTOS.get(number % PHOTOS.len()).copied().unwrap_or_default();
        let ahead = u64::try_from(number).unwrap_or_default() % DAYS_AHEAD;
        let day = Utc::now().date_naive() + Days::new(ahead);
        match number % 13 {
            0 | 6 => self.get("/rest/v1/boats?select=*&order=name", None),
            1 => self.get(&format!("/storage/v1/object/public/boats/{photo}.webp"), None),
            2 => self.get("/rest/v1/readings?order=taken_at.desc&limit=24", None),
            3 | 9 => {
                let columns = "select=day,slot,purpose,boats(name),members(name)";
                self.get(&format!("/rest/v1/bookings?{columns}&day=gte.{day}&order=day,slot&limit=20"), member)
            }
            4 => self.get("/rest/v1/notes?select=*&order=id.desc", member),
            5 => self.post("/rest/v1/rpc/free_boats", member).json(&json!({ "day": day, "slot": slot })),
            7 => self.get("/auth/v1/user", member),
            8 => self.get("/rest/v1/boat_usage?order=bookings.desc", member),
            10 => {
                let booking = json!({ "boat_id": 1 + ahead % 7, "day": day, "slot": slot, "purpose": "Training" });
                let request = self.post("/rest/v1/bookings?on_conflict=boat_id,day,slot", member);
                request.header("prefer", "resolution=ignore-duplicates").json(&booking)
            }
            11 => self.post("/storage/v1/object/list/documents", member).json(&json!({ "prefix": "", "limit": 100 })),
            // A visitor without a session sees no bookings: the list is empty, and the dashboard explains why.
            12 if number.is_multiple_of(2) => self.get("/rest/v1/bookings?select=day,slot&limit=5", None),
            // Requests a column that does not exist, as an app with an error would. The response has status 400.
            _ => self.get("/rest/v1/boats?select=name,colour", None),
        }
    }

    fn get(&self, path: &str, token: Option<&str>) -> RequestBuilder {
        self.with_key(self.client.get(format!("{}{path}", self.url)), token)
    }

    fn post(&self, path: &str, token: Option<&str>) -> RequestBuilder {
        self.with_key(self.client.post(format!("{}{path}", self.url)), token)
    }

    fn with_key(&self, request: RequestBuilder, token: Option<&str>) -> RequestBuilder {
        let request = request.header("apikey", &self.key);
        match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }
}
