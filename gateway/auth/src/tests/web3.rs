//! Tests of sign-in with wallets: `grant_type=web3`. The validation of signed messages is tested in flow/web3.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use k256::ecdsa::SigningKey;
use serde_json::Value;
use sha3::{Digest, Keccak256};

use super::{Answer, Project, json};
use crate::settings::{Settings, Switch};

fn with(chain: &str) -> impl FnOnce(&mut Settings) + '_ {
    move |settings| {
        settings.web3.insert(chain.into(), Switch { enabled: true });
    }
}

/// Returns a sign-in message of a Solana wallet, signed at the current time.
fn signed(nonce: &str) -> (String, Value) {
    let wallet = Ed25519KeyPair::from_seed_unchecked(&[5; 32]).unwrap();
    let address = bs58::encode(wallet.public_key().as_ref()).into_string();
    let now = chrono::Utc::now().to_rfc3339();
    let message = format!(
        "club.example wants you to sign in with your Solana account:\n{address}\n\nHello\n\nURI: https://club.example/\nVersion: 1\nNonce: {nonce}\nIssued At: {now}"
    );
    let signature = STANDARD.encode(wallet.sign(message.as_bytes()));
    (address, json!({"chain": "solana", "message": message, "signature": signature}))
}

fn ethereum_address(wallet: &SigningKey) -> String {
    let point = wallet.verifying_key().to_sec1_point(false);
    format!("0x{}", hex::encode(&Keccak256::digest(&point.as_bytes()[1..])[12..]))
}

/// Returns a sign-in message of an Ethereum wallet, signed at the current time. `address` is the wallet's address as the message spells it.
fn signed_by_ethereum(wallet: &SigningKey, address: &str, nonce: &str) -> Value {
    let now = chrono::Utc::now().to_rfc3339();
    let message = format!(
        "club.example wants you to sign in with your Ethereum account:\n{address}\n\nHello\n\nURI: https://club.example/\nVersion: 1\nChain ID: 1\nNonce: {nonce}\nIssued At: {now}"
    );
    let prefixed = format!("\u{19}Ethereum Signed Message:\n{}{message}", message.len());
    let (signature, id) = wallet.sign_prehash_recoverable(&Keccak256::digest(prefixed));
    let signature = format!("0x{}{:02x}", hex::encode(signature.to_bytes()), id.to_byte());
    json!({"chain": "ethereum", "message": message, "signature": signature})
}

async fn sign_in(project: &Project, body: Value) -> Answer {
    project.post("/token?grant_type=web3", body).send().await
}

#[tokio::test]
async fn a_chain_that_is_off_says_so() {
    let (_, body) = signed("1");
    sign_in(&Project::new().await, body.clone()).await.refused(422, "web3_provider_disabled");
    let project = Project::with(with("ethereum")).await;
    sign_in(&project, body.clone()).await.refused(422, "web3_provider_disabled");
    let mut other = body;
    other["chain"] = json!("bitcoin");
    sign_in(&project, other).await.refused(400, "web3_unsupported_chain");
}

#[tokio::test]
async fn a_message_signs_in_once() {
    let project = Project::with(with("solana")).await;
    let (address, body) = signed("1");
    let mut wrong = body.clone();
    wrong["signature"] = json!(STANDARD.encode([0; 64]));
    let refused = sign_in(&project, wrong).await.expect(400);
    assert_eq!(refused.body["error"], "invalid_grant");
    assert_eq!(project.count("select count(*) from auth.users").await, 0);

    let answers = futures_util::future::join_all((0..5).map(|_| sign_in(&project, body.clone()))).await;
    let (granted, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(granted.len(), 1);
    assert!(refused.iter().all(|answer| answer.body["error"] == "invalid_grant"));
    let session = &granted[0];
    let caller = project.verifier.verify(&session.access_token()).unwrap();
    assert_eq!(caller.claims()["amr"][0]["method"], "web3");
    assert_eq!(session.text("/user/app_metadata/provider"), "web3");
    assert_eq!(session.text("/user/identities/0/id"), format!("web3:solana:{address}"));
    assert_eq!(session.text("/user/user_metadata/custom_claims/address"), address);
    assert_eq!(session.text("/user/email"), "");

    // A second message of the same wallet signs in to the same account.
    let again = sign_in(&project, signed("2").1).await.expect(200);
    assert_eq!(again.text("/user/id"), session.text("/user/id"));
    assert_eq!(project.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn closed_sign_up_and_bans_hold_for_wallets() {
    let project = Project::with(|settings| {
        with("solana")(settings);
        settings.enable_signup = false;
    })
    .await;
    sign_in(&project, signed("1").1).await.refused(422, "signup_disabled");

    let project = Project::with(with("solana")).await;
    let user = sign_in(&project, signed("1").1).await.expect(200).text("/user/id");
    let ban = json!({"ban_duration": "1h"});
    project.put(&format!("/admin/users/{user}"), ban).bearer(&project.service_key()).send().await.expect(200);
    sign_in(&project, signed("2").1).await.refused(403, "user_banned");
}

#[tokio::test]
async fn the_limit_is_that_of_config_toml() {
    let change = |settings: &mut Settings| {
        with("solana")(settings);
        settings.rate_limit.web3 = 2;
    };
    let project = Project::set_up(change, true).await;
    for nonce in ["1", "2"] {
        sign_in(&project, signed(nonce).1).await.expect(200);
    }
    sign_in(&project, signed("3").1).await.refused(429, "over_request_rate_limit");
}

#[tokio::test]
async fn an_account_stored_with_upper_case_is_found() {
    let project = Project::with(with("ethereum")).await;
    let wallet = SigningKey::from_slice(&[7; 32]).unwrap();
    let address = ethereum_address(&wallet);
    let mixed = format!("0x{}", address[2..].to_ascii_uppercase());
    let session = sign_in(&project, signed_by_ethereum(&wallet, &mixed, "12345678")).await.expect(200);
    assert_eq!(session.text("/user/identities/0/id"), format!("web3:ethereum:{address}"));

    // Changes the stored identity to the form in which earlier versions of GoTrue stored it.
    sqlx::query("update auth.identities set provider_id = $1")
        .bind(format!("web3:ethereum:{mixed}"))
        .execute(project.database.superuser())
        .await
        .unwrap();
    let again = sign_in(&project, signed_by_ethereum(&wallet, &mixed, "12345679")).await.expect(200);
    assert_eq!(again.text("/user/id"), session.text("/user/id"));
    assert_eq!(project.count("select count(*) from auth.users").await, 1);
}
