//! Describes errors of TLS certificates for users. The TLS library's own error texts are only the names of its error variants, such as
//! `UnknownIssuer`.

use std::error::Error;

use rustls::{CertificateError, Error as TlsError};

/// Returns a description of the first TLS certificate error that `error` or one of its causes contains. `None` if there is none.
#[must_use]
pub fn in_words(error: &(dyn Error + 'static)) -> Option<&'static str> {
    std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source()).find_map(|error| {
        let inside = || error.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref::<TlsError>();
        words(error.downcast_ref::<TlsError>().or_else(inside)?)
    })
}

fn words(error: &TlsError) -> Option<&'static str> {
    let certificate = match error {
        TlsError::InconsistentKeys(_) => return Some("the private key does not belong to the certificate"),
        TlsError::NoCertificatesPresented => return Some("the other side sent no certificate"),
        TlsError::InvalidCertificate(certificate) => certificate,
        _ => return None,
    };
    Some(match certificate {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "the certificate has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the certificate is not valid yet, or the clock of this machine is wrong"
        }
        CertificateError::Revoked => "the certificate is revoked",
        CertificateError::UnknownIssuer => {
            "the certificate is from an authority that this machine does not trust: it is self-signed, or the certificate of its issuer is missing"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the certificate is for another host name"
        }
        CertificateError::BadEncoding => "the certificate is damaged",
        CertificateError::BadSignature => "the certificate's signature is wrong",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_error_is_found_inside_of_others() {
        let error = TlsError::InvalidCertificate;
        assert_eq!(in_words(&error(CertificateError::Expired)), Some("the certificate has expired"));
        let wrapped = std::io::Error::other(error(CertificateError::UnknownIssuer));
        assert!(in_words(&wrapped).unwrap().contains("self-signed"));
        assert_eq!(in_words(&std::io::Error::other("another")), None);
        assert_eq!(in_words(&TlsError::HandshakeNotComplete), None);
    }
}
