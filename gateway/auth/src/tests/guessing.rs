//! Tests of the limits on wrong passwords and codes from many addresses: an account is protected, but its owner is not locked out.

use super::{Answer, Project, json};
use crate::AddressLimits;

const EMAIL: &str = "a@b.example";
const ALLOWED: u32 = 5;

async fn project() -> Project {
    let project = Project::made(
        |_| {},
        |setup| {
            setup.address_limits = AddressLimits::Everybody;
            setup.wrong_passwords_per_hour = ALLOWED;
        },
    )
    .await;
    project.member(EMAIL).await;
    project
}

async fn sign_in(project: &Project, email: &str, password: &str, from: &str) -> Answer {
    let body = json!({"email": email, "password": password});
    project.post("/token?grant_type=password", body).from(from).send().await
}

#[tokio::test]
async fn many_addresses_guess_no_more_than_one() {
    let project = project().await;
    for email in [EMAIL, "A@B.example", "unknown@b.example"] {
        project.execute("delete from cloch.rate_limits").await;
        for guess in 0..ALLOWED {
            let from = format!("198.51.100.{guess}");
            sign_in(&project, email, "wrong horse", &from).await.refused(400, "invalid_credentials");
        }
        // When the limit is reached, the correct password gets the same response as a wrong password.
        for password in ["wrong horse", "correct horse"] {
            let answer = sign_in(&project, email, password, "198.51.100.200").await;
            let answer = answer.refused(429, "over_request_rate_limit");
            assert_eq!(answer.text("/message"), "Request rate limit reached");
        }
    }
}

/// Wrong passwords for an e-mail address are counted together, whether the address is written in upper or lower case.
#[tokio::test]
async fn guesses_are_counted_alike_in_large_and_small_letters() {
    let project = project().await;
    for (guess, email) in (0..ALLOWED).zip([EMAIL, "A@b.example", "a@B.example", "A@B.EXAMPLE"].into_iter().cycle()) {
        let from = format!("198.51.100.{guess}");
        sign_in(&project, email, "wrong horse", &from).await.refused(400, "invalid_credentials");
    }
    for email in [EMAIL, "a@b.EXAMPLE"] {
        let answer = sign_in(&project, email, "correct horse", "198.51.100.200").await;
        answer.refused(429, "over_request_rate_limit");
    }
}

#[tokio::test]
async fn guesses_at_the_same_time_are_counted_each() {
    let project = project().await;
    let addresses: Vec<String> = (0..40).map(|n| format!("198.51.100.{n}")).collect();
    let guesses = addresses.iter().map(|from| sign_in(&project, EMAIL, "wrong horse", from));
    let answers = futures_util::future::join_all(guesses).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 400).count(), ALLOWED as usize);
}

#[tokio::test]
async fn a_stranger_does_not_lock_the_owner_out() {
    let project = project().await;
    for guess in 0..40 {
        sign_in(&project, EMAIL, "wrong horse", &format!("198.51.100.{guess}")).await;
    }
    sign_in(&project, EMAIL, "correct horse", "198.51.100.200").await.refused(429, "over_request_rate_limit");
    // The owner can still sign in, and mistype the password, from a network from which the owner has signed in before.
    sign_in(&project, EMAIL, "correct hose", "192.0.2.7").await.refused(400, "invalid_credentials");
    sign_in(&project, EMAIL, "correct horse", "192.0.2.7").await.expect(200);
    // From a new network, the owner can sign in by a mailed link. Afterwards this network counts as known.
    project.post("/recover", json!({"email": EMAIL})).from("203.0.113.5").send().await.expect(200);
    let link = project.mail(EMAIL).await.link;
    assert!(project.get(&link).from("203.0.113.5").send().await.location_has("access_token="));
    sign_in(&project, EMAIL, "correct horse", "203.0.113.5").await.expect(200);
    // A network from which the owner has signed in before has a counter of its own, which is also limited.
    for _ in 0..ALLOWED {
        sign_in(&project, EMAIL, "wrong horse", "203.0.113.5").await.refused(400, "invalid_credentials");
    }
    sign_in(&project, EMAIL, "correct horse", "203.0.113.5").await.refused(429, "over_request_rate_limit");
    sign_in(&project, EMAIL, "correct horse", "192.0.2.7").await.expect(200);
}

#[tokio::test]
async fn right_passwords_are_not_counted() {
    let project = project().await;
    for n in 0..=2 * ALLOWED {
        sign_in(&project, EMAIL, "correct horse", &format!("198.51.100.{n}")).await.expect(200);
    }
}

/// The rate limits do not apply to clients on the server's machine, but apply to clients behind a local proxy.
#[tokio::test]
async fn only_requests_made_at_the_machine_itself_are_unlimited() {
    let project = Project::made(
        |settings| settings.rate_limit.token_refresh = 3,
        |setup| {
            setup.address_limits = AddressLimits::AllButLocal;
            setup.wrong_passwords_per_hour = 1000;
        },
    )
    .await;
    let guess = async |address: &str, host: &str, forwarded: Option<&str>| {
        let body = json!({"email": EMAIL, "password": "wrong horse"});
        let call = project.post("/token?grant_type=password", body).from(address).header("host", host);
        match forwarded {
            Some(header) => call.header(header, "198.51.100.1").send().await.status.as_u16(),
            None => call.send().await.status.as_u16(),
        }
    };
    // If a local proxy sends no client addresses, the gateway assigns one of these addresses to the proxy's clients.
    for address in ["0.0.0.0", "192.0.2.7"] {
        let statuses = [
            guess(address, "127.0.0.1", None).await,
            guess(address, "127.0.0.1", None).await,
            guess(address, "127.0.0.1", None).await,
            guess(address, "127.0.0.1", None).await,
        ];
        assert_eq!(statuses, [400, 400, 400, 429], "{address}");
    }
    for _ in 0..3 {
        assert_eq!(guess("127.0.0.1", "club.example", None).await, 400);
    }
    assert_eq!(guess("127.0.0.1", "club.example", None).await, 429);
    for header in ["x-forwarded-for", "x-real-ip", "via", "forwarded", "x-forwarded-prefix"] {
        assert_eq!(guess("127.0.0.1", "127.0.0.1", Some(header)).await, 429, "{header}");
    }
    for _ in 0..10 {
        assert_eq!(guess("127.0.0.1", "127.0.0.1:54321", None).await, 400);
    }
}

#[tokio::test]
async fn a_strangers_guesses_do_not_block_a_code() {
    let project = Project::new().await;
    project.member(EMAIL).await;
    let ask = |from: &'static str| project.post("/otp", json!({"email": EMAIL})).from(from).send();
    let guess = |code: &str, from: &'static str| {
        project.post("/verify", json!({"type": "email", "email": EMAIL, "token": code})).from(from).send()
    };
    ask("192.0.2.7").await.expect(200);
    let code = project.mail(EMAIL).await.code;
    let wrong = if code == "000000" { "111111" } else { "000000" };
    for _ in 0..12 {
        guess(wrong, "198.51.100.1").await.refused(403, "otp_expired");
    }
    // The number of guesses for all unknown networks is used up, so even the correct code is refused from such a network.
    guess(&code, "198.51.100.2").await.refused(403, "otp_expired");
    guess(&code, "192.0.2.7").await.expect(200);

    // A network that requested a code has a counter of its own. A stranger who requests a code therefore gets only a limited number of
    // guesses.
    ask("198.51.100.1").await.expect(200);
    ask("192.0.2.7").await.expect(200);
    let code = project.mail(EMAIL).await.code;
    let wrong = if code == "000000" { "111111" } else { "000000" };
    for _ in 0..10 {
        guess(wrong, "198.51.100.1").await.refused(403, "otp_expired");
    }
    guess(&code, "198.51.100.1").await.refused(403, "otp_expired");
    guess(&code, "192.0.2.7").await.expect(200);
}

/// Networks that each request a code share an additional limit, so many networks together do not get an unlimited number of guesses.
#[tokio::test]
async fn guesses_of_all_who_asked_end_as_well() {
    let project = Project::new().await;
    project.member(EMAIL).await;
    let mut judged = 0;
    for n in 0..8 {
        let from = format!("198.51.100.{n}");
        project.post("/otp", json!({"email": EMAIL})).from(&from).send().await.expect(200);
        let code = project.mail(EMAIL).await.code;
        let wrong = if code == "000000" { "111111" } else { "000000" };
        for _ in 0..9 {
            let body = json!({"type": "email", "email": EMAIL, "token": wrong});
            project.post("/verify", body).from(&from).send().await.refused(403, "otp_expired");
            judged += 1;
        }
        let body = json!({"type": "email", "email": EMAIL, "token": code});
        let right = project.post("/verify", body).from(&from).send().await;
        assert_eq!(right.status == 200, judged < 60, "after {judged} guesses");
    }
}
