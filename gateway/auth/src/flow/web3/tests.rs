use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use k256::ecdsa::SigningKey;

use super::*;

const NOW: &str = "2026-11-25T10:00:00Z";

fn message_text(chain: Chain, address: &str, changes: &[(&str, &str)]) -> String {
    let mut lines = vec![
        ("Domain", "club.example"),
        ("URI", "https://club.example/in"),
        ("Version", "1"),
        ("Chain ID", if chain == Chain::Ethereum { "1" } else { "solana:mainnet" }),
        ("Nonce", "32891756"),
        ("Issued At", "2026-11-25T09:59:00.5Z"),
    ];
    for (name, value) in changes {
        lines.retain(|(key, _)| key != name);
        lines.push((name, value));
    }
    let domain = lines.iter().find(|(key, _)| *key == "Domain").unwrap().1;
    let fields: Vec<String> = lines
        .iter()
        .filter(|(key, value)| *key != "Domain" && !value.is_empty())
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    let title = chain.title();
    format!(
        "{domain} wants you to sign in with your {title} account:\n{address}\n\nHello club\n\n{}",
        fields.join("\n")
    )
}

fn judge(chain: Chain, text: &str, signature: &[u8]) -> Result<()> {
    let targets = RedirectUrls::new("https://club.example", &["http://localhost:3000/**".into()]).unwrap();
    let message = Message::parse(chain, text)?;
    check(chain, &message, signature, &targets, NOW.parse().unwrap())
}

fn why(result: Result<()>) -> String {
    result.map_or_else(|error| error.message().to_owned(), |()| "fine".to_owned())
}

type Sign = Box<dyn Fn(&str) -> Vec<u8>>;

fn wallets() -> [(Chain, String, Sign); 2] {
    let ethereum = SigningKey::from_slice(&[7; 32]).unwrap();
    let address = ethereum::address_of(ethereum.verifying_key());
    let sign_ethereum = move |text: &str| {
        let (signature, id) = ethereum.sign_prehash_recoverable(&ethereum::prehash(text));
        [signature.to_bytes().as_slice(), &[id.to_byte() + 27]].concat()
    };
    let solana = Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
    let key = bs58::encode(solana.public_key().as_ref()).into_string();
    let sign_solana = move |text: &str| solana.sign(text.as_bytes()).as_ref().to_vec();
    [(Chain::Ethereum, address, Box::new(sign_ethereum)), (Chain::Solana, key, Box::new(sign_solana))]
}

#[test]
fn messages_of_other_apps_times_and_hands() {
    for (chain, address, sign) in wallets() {
        let judged = |changes: &[(&str, &str)]| {
            let text = message_text(chain, &address, changes);
            why(judge(chain, &text, &sign(&text)))
        };
        for (changes, expected) in [
            (vec![("URI", "http://club.example/in")], "does not use HTTPS"),
            (vec![("URI", "https://evil.example/in"), ("Domain", "evil.example")], "signed for another app"),
            (vec![("Domain", "evil.example")], "does not match the one in URI"),
            (vec![("Domain", "club.example:8443")], "does not match the one in URI"),
            (vec![("URI", "http://localhost:3000/in"), ("Domain", "evil.example")], "does not match the one in URI"),
            (vec![("URI", "http://localhost:3000/in"), ("Domain", "localhost:3001")], "does not match the one in URI"),
            (vec![("Not Before", "2026-11-25T10:00:01Z")], "becomes valid in the future"),
            (vec![("Expiration Time", "2026-11-25T09:59:59Z")], "is expired"),
            (vec![("Issued At", "2026-11-25T09:49:59Z")], "issued too long ago"),
            (vec![("Issued At", "2026-11-25T10:10:01Z")], "too far in the future"),
        ] {
            let said = judged(&changes);
            assert!(said.contains(expected), "{chain:?} {changes:?}: {said}");
        }
        let text = message_text(chain, &address, &[]);
        let altered = text.replace("Hello", "Hallo");
        assert_eq!(why(judge(chain, &altered, &sign(&text))), "Signature does not match address in message");
        let mut wrong = sign(&text);
        wrong[3] ^= 1;
        assert_eq!(why(judge(chain, &text, &wrong)), "Signature does not match address in message");
        for changes in [
            vec![],
            vec![("Issued At", "2026-11-25T11:59:00+02:00"), ("Expiration Time", "2026-11-25T10:00:01Z")],
            vec![("URI", "http://localhost:3000/in"), ("Domain", "localhost:3000")],
        ] {
            assert_eq!(judged(&changes), "fine", "{chain:?} {changes:?}");
        }
    }
}

#[test]
fn messages_of_another_form() {
    for (chain, address, _) in wallets() {
        let parsed = |text: &str| Message::parse(chain, text).map(drop);
        let with = |changes: &[(&str, &str)]| why(parsed(&message_text(chain, &address, changes)));
        for (changes, expected) in [
            (vec![("Domain", "club")], "domain in first line"),
            (vec![("Domain", "club.example/x")], "domain in first line"),
            (vec![("Domain", "127.0.0.1")], "domain in first line"),
            (vec![("Domain", "club.example:123456")], "domain in first line"),
            (vec![("URI", "")], "URI is not specified"),
            (vec![("URI", "club.example")], "URI is not valid"),
            (vec![("Version", "2")], "expected 1 got \"2\""),
            (vec![("Chain ID", "moon")], "Chain ID is not valid"),
            (vec![("Issued At", "")], "Issued At is not specified"),
            (vec![("Issued At", "yesterday")], "not a valid ISO8601"),
            (vec![("Expiration Time", "2026-11-25T09:00:00Z")], "after Expiration Time"),
            (
                vec![("Not Before", "2026-11-25T12:00:00Z"), ("Expiration Time", "2026-11-25T11:00:00Z")],
                "Not Before is after Expiration Time",
            ),
        ] {
            let said = with(&changes);
            assert!(said.contains(expected), "{chain:?} {changes:?}: {said}");
        }
        let text = message_text(chain, &address, &[]);
        for (wrong, expected) in [
            ("x".repeat(63), "too short"),
            ("x".repeat(20 * 1024 + 1), "20KB"),
            ("x\n".repeat(4) + &"x".repeat(64), "at least 6 lines"),
            (text.replace(" account:", " wallet:"), "first line does not end"),
            (text.replace(&address, "0xZ"), "wallet address"),
            (text.replace("\n\nHello club", "\nHello club"), "third line"),
            (text.clone() + "\nand so on", "unparsable line"),
            (text.clone() + "\nExpires: 2026-11-25T09:00:00Z", "\"Expires\" is not known"),
            (text.clone() + "\nURI: https://club.example/other", "URI is specified twice"),
            (text.clone() + "\nVersion: 1", "Version is specified twice"),
            (text.clone() + "\nResources:\n- nowhere", "Resource at position 0"),
        ] {
            let said = why(parsed(&wrong));
            assert!(said.contains(expected), "{chain:?} {wrong:?}: {said}");
        }
        assert_eq!(
            why(parsed(&(text.clone() + "\nRequest ID: 7\nResources:\n- https://club.example/terms\n"))),
            "fine"
        );
        let bare = text.replace("Hello club\n\n", "");
        assert_eq!(Message::parse(chain, &bare).unwrap().statement, None);
        assert_eq!(Message::parse(chain, &text).unwrap().statement, Some("Hello club"));
    }
}

#[test]
fn signatures_of_another_form() {
    for (chain, signature) in [
        (Chain::Ethereum, String::new()),
        (Chain::Ethereum, "0x".to_owned() + &"0".repeat(128)),
        (Chain::Ethereum, "0x".to_owned() + &"z".repeat(130)),
        (Chain::Solana, "A".repeat(87)),
        (Chain::Solana, "!".repeat(86)),
        (Chain::Solana, "A".repeat(88)),
    ] {
        assert!(chain.signature(&signature).is_err(), "{chain:?} {signature}");
    }
    assert_eq!(Chain::Solana.signature(&("A".repeat(86) + "==")).unwrap(), [0; 64]);
    assert_eq!(Chain::Solana.signature(&"A".repeat(86)).unwrap(), [0; 64]);
    assert_eq!(Chain::Ethereum.signature(&"00".repeat(65)).unwrap(), [0; 65]);
    // Signatures that have the correct length but were not made by the wallet must be refused.
    for (chain, address, _) in wallets() {
        let text = message_text(chain, &address, &[]);
        for byte in [0_u8, 29, 255] {
            let signature = vec![byte; if chain == Chain::Ethereum { 65 } else { 64 }];
            assert_eq!(why(judge(chain, &text, &signature)), "Signature does not match address in message");
        }
    }
}

/// Verifies a signature that another implementation made: the example of EIP-191's tooling.
#[test]
fn a_signature_of_another_library() {
    let key = SigningKey::from_slice(
        &hex::decode("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318").unwrap(),
    );
    let address = ethereum::address_of(key.unwrap().verifying_key());
    assert_eq!(address, "0x2c7536e3605d9c16a7a3d7b1898e529396a65c23");
    assert_eq!(
        hex::encode(ethereum::prehash("Some data")),
        "1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655"
    );
    let signature = "b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c";
    assert_eq!(ethereum::signer_of("Some data", &hex::decode(signature).unwrap()), Some(address));
}

#[test]
fn a_hardware_wallet_signs_an_off_chain_message() {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[9; 32]).unwrap();
    let address = bs58::encode(pair.public_key().as_ref()).into_string();
    let text = message_text(Chain::Solana, &address, &[]);
    let message = Message::parse(Chain::Solana, &text).unwrap();
    let wrapped = solana::off_chain(&message, pair.public_key().as_ref()).unwrap();
    assert_eq!(why(judge(Chain::Solana, &text, pair.sign(&wrapped).as_ref())), "fine");
    let mut other = wrapped;
    other[20] ^= 1;
    assert_ne!(why(judge(Chain::Solana, &text, pair.sign(&other).as_ref())), "fine");
}

#[test]
fn an_account_of_ethereum_has_one_address_however_it_is_written() {
    let written = "0xAbCdEF0123456789abcdef0123456789ABCDEF01";
    assert_eq!(Chain::Ethereum.account(written), written.to_ascii_lowercase());
    assert_eq!(Chain::Solana.account("AbC"), "AbC");
}

/// Encodings of the points of edwards25519 whose order divides eight, without the sign bit of x (libsodium's `ge25519_has_small_order`):
/// the y coordinates of the points of order 4, 1, 8, 8 and 2, then y = 0 and y = 1 with p added.
const SMALL_ORDER: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

/// If a public key has small order, k·A is one of eight points. A signature with S = 0 and one of these points as R therefore verifies for
/// at least one of eight messages.
#[test]
fn a_key_of_small_order_signs_nothing_though_its_signatures_verify() {
    use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
    let points: Vec<Vec<u8>> = SMALL_ORDER
        .iter()
        .flat_map(|hex| {
            let point = hex::decode(hex).unwrap();
            let mut negative = point.clone();
            negative[31] |= 0x80;
            [point, negative]
        })
        .collect();
    let mut verified = 0;
    for key in &points {
        let address = bs58::encode(key).into_string();
        let forged = (0..200).find_map(|nonce| {
            let text = message_text(Chain::Solana, &address, &[("Nonce", &format!("3289175600{nonce}"))]);
            let signatures = points.iter().map(|r| [r.as_slice(), &[0; 32]].concat());
            let mut signatures = signatures
                .filter(|signature| UnparsedPublicKey::new(&ED25519, key).verify(text.as_bytes(), signature).is_ok());
            signatures.next().map(|signature| (text, signature))
        });
        let Some((text, signature)) = forged else { continue };
        verified += 1;
        assert_ne!(why(judge(Chain::Solana, &text, &signature)), "fine", "{}", hex::encode(key));
    }
    // The library's decoder refuses two of the fourteen encodings, so fewer than fourteen signatures are verified.
    assert!(verified >= 8, "{verified} of {} keys have such a signature", points.len());
}
