//! Systems other than Linux have none of the restrictions.

use std::io;

use super::Fence;

pub(super) fn missing() -> Option<&'static str> {
    Some(
        "only Linux has the sandbox: on this system, only Deno's permissions keep functions from files and from listening on ports, the limits of \
         memory and processor time do not apply, and functions outlive a killed server",
    )
}

impl Fence {
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the signature is the one of Linux")]
    pub(super) fn apply(&self) -> io::Result<()> {
        Ok(())
    }
}
