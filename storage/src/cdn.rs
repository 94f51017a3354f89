//! `DELETE /cdn/…`: the purging of a cache in front. This server has none to purge, and says so to who may ask.

use crate::error::{Error, Result};
use crate::request::Asking;

/// Refused: to all but the service role because of who they are, to it because there is no cache.
pub(crate) async fn purge(asking: Asking) -> Result<()> {
    // The endpoint itself is the service role's, as upstream: it touches no row that a policy could guard.
    if !asking.caller().is_service_role() {
        return Err(Error::InvalidRole);
    }
    Err(Error::MissingParameter("CDN_PURGE_ENDPOINT_URL is not set"))
}
