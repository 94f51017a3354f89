//! Refusals that the S3 protocol has in more than one place.

use super::Error;

impl Error {
    /// A conditional request whose condition does not hold (S3).
    pub(crate) fn precondition_failed() -> Self {
        let message = "At least one of the pre-conditions you specified did not hold".to_owned();
        Self::S3(412, "PreconditionFailed", message)
    }
}
