//! Time-based one-time passwords (TOTP, RFC 6238): SHA-1, six digits, 30-second steps, tolerance of one step.

use qrcode::QrCode;
use qrcode::render::svg;
use qrcode::types::QrError;
use totp_rs::{Algorithm, Builder, Secret};

const SECRET_BYTES: usize = 20;

/// Generates a random TOTP secret, base32-encoded.
#[must_use]
pub fn new_secret() -> String {
    let bytes: [u8; SECRET_BYTES] = rand::random();
    Secret::from(bytes.to_vec()).to_base32()
}

/// Returns the time step for which a TOTP code is valid. `None` if the code is not valid for the secret at the current time.
#[must_use]
pub fn step_of(secret: &str, code: &str) -> Option<i64> {
    let now = u64::try_from(chrono::Utc::now().timestamp()).ok()?;
    let secret = Secret::try_from_base32(secret.trim_end_matches('=')).ok()?;
    if code.len() != 6 || !code.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let totp = Builder::new()
        .with_algorithm(Algorithm::SHA1)
        .with_digits(6)
        .with_skew(1)
        .with_step_duration(30)
        .with_secret(secret)
        .build_noncompliant();
    i64::try_from(totp.check(code, now)?).ok()
}

/// Returns the key URI (`otpauth://…`), which an authenticator app reads from the QR code.
#[must_use]
pub fn address(issuer: &str, account: &str, secret: &str) -> String {
    let escape = |text: &str| {
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC)
            .to_string()
            .replace("%2E", ".")
            .replace("%2D", "-")
            .replace("%5F", "_")
            .replace("%7E", "~")
            .replace("%40", "@")
    };
    format!(
        "otpauth://totp/{}:{}?algorithm=SHA1&digits=6&issuer={}&period=30&secret={secret}",
        escape(issuer),
        escape(account),
        escape(issuer),
    )
}

/// Renders the key URI as a QR code in SVG. Returns `None` if the URI is too long for a QR code.
///
/// # Errors
///
/// Returns an error if the URI cannot be encoded.
pub fn picture(address: &str) -> Result<Option<String>, Box<dyn std::error::Error + Send + Sync>> {
    let code = match QrCode::new(address) {
        Err(QrError::DataTooLong) => return Ok(None),
        code => code?,
    };
    let svg = code.render::<svg::Color<'_>>().min_dimensions(200, 200).build();
    let start = svg.find("<svg").ok_or("the QR code has no svg element")?;
    // auth-js inserts the SVG into a data: URL without escaping. A `#` would end the URL, so colours are written as names.
    let picture = svg.get(start..).unwrap_or_default();
    Ok(Some(
        picture
            .replace("#000000", "black")
            .replace("#ffffff", "white")
            .replace("#000", "black")
            .replace("#fff", "white"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_six_digits_of_this_secret() {
        let secret = new_secret();
        assert_eq!(secret.len(), 32);
        for code in ["", "12345", "1234567", "abcdef", "12345６"] {
            assert_eq!(step_of(&secret, code), None, "{code}");
        }
        assert_eq!(step_of("not base32 !", "123456"), None);
    }

    #[test]
    fn the_address_names_issuer_and_account() {
        assert_eq!(
            address("club.example:8080", "ann+x@b.example", "ABC"),
            "otpauth://totp/club.example%3A8080:ann%2Bx@b.example?algorithm=SHA1&digits=6&issuer=club.example%3A8080&period=30&secret=ABC"
        );
        let svg = picture("otpauth://totp/a:b?secret=ABC").unwrap().unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>") && !svg.contains('#'));
    }

    #[test]
    fn a_picture_has_room_for_two_thousand_bytes() {
        assert!(picture(&"a".repeat(3000)).unwrap().is_none());
        assert!(picture(&"a".repeat(2000)).unwrap().is_some());
    }
}
