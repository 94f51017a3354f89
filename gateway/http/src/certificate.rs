//! Parses X.509 certificates. Returns their validity, domains, issuer key and serial number.

use std::time::SystemTime;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{AuthorityKeyIdentifier, SubjectAltName};

/// Fields of a TLS certificate that the server uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Beginning of the certificate's validity.
    pub not_before: SystemTime,
    /// End of the certificate's validity.
    pub not_after: SystemTime,
    /// DNS names of the certificate, in lower case.
    pub domains: Vec<String>,
    /// Key identifier of the issuer. `None` if the certificate does not contain the identifier.
    pub issuer_key: Option<Vec<u8>>,
    /// Serial number, as the content bytes of the DER integer.
    pub serial: Vec<u8>,
}

/// Parses a DER certificate. `None` if the bytes are invalid.
#[must_use]
pub fn details(certificate: &CertificateDer<'_>) -> Option<Details> {
    let parsed = Certificate::from_der(certificate).ok()?;
    let content = parsed.tbs_certificate();
    let validity = content.validity();
    let names = content.get_extension::<SubjectAltName>().ok()?.map(|(_, names)| names.0).unwrap_or_default();
    let domain = |name: &GeneralName| match name {
        GeneralName::DnsName(name) => Some(name.as_str().to_ascii_lowercase()),
        _ => None,
    };
    let issuer = content.get_extension::<AuthorityKeyIdentifier>().ok()?;
    Some(Details {
        not_before: validity.not_before.to_system_time(),
        not_after: validity.not_after.to_system_time(),
        domains: names.iter().filter_map(domain).collect(),
        issuer_key: issuer.and_then(|(_, issuer)| issuer.key_identifier).map(|key| key.as_bytes().to_vec()),
        serial: content.serial_number().as_bytes().to_vec(),
    })
}

/// Parses the first certificate of a chain in PEM form. `None` if that certificate is invalid.
#[must_use]
pub fn details_of_pem(chain: &str) -> Option<Details> {
    details(&CertificateDer::from_pem_slice(chain.as_bytes()).ok()?)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyIdMethod, KeyPair, SerialNumber, date_time_ymd};

    use super::*;

    #[test]
    fn all_parts_are_read() {
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_identifier_method = KeyIdMethod::PreSpecified(vec![0xC0, 0xFF, 0xEE]);
        let authority = Issuer::new(authority, KeyPair::generate().unwrap());
        let mut own = CertificateParams::new(["Club.example".to_owned(), "www.club.example".to_owned()]).unwrap();
        own.not_before = date_time_ymd(2026, 1, 1);
        own.not_after = date_time_ymd(2026, 4, 1);
        own.serial_number = Some(SerialNumber::from_slice(&[0x87, 0x65, 0x43, 0x21]));
        own.use_authority_key_identifier_extension = true;
        let certificate = own.signed_by(&KeyPair::generate().unwrap(), &authority).unwrap();
        let read = details(certificate.der()).unwrap();
        assert_eq!(read.not_after.duration_since(read.not_before).unwrap(), Duration::from_secs(90 * 86_400));
        assert_eq!(read.domains, ["club.example", "www.club.example"]);
        assert_eq!(read.issuer_key.unwrap(), [0xC0, 0xFF, 0xEE]);
        // The leading zero byte of the DER integer is part of the serial number (RFC 9773, section 4.1).
        assert_eq!(read.serial, [0x00, 0x87, 0x65, 0x43, 0x21]);
        assert_eq!(details_of_pem(&certificate.pem()).unwrap().serial, read.serial);
    }

    #[test]
    fn other_bytes_are_no_certificate() {
        assert_eq!(details(&CertificateDer::from(vec![0x30, 0x03, 0x02, 0x01, 0x01])), None);
        assert_eq!(details_of_pem("no certificate"), None);
    }
}
