//! Long lists in pages, with the headers by which clients find the next one.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::auth::error::{AuthError, Result};
use crate::auth::request::Incoming;

const TOTAL: HeaderName = HeaderName::from_static("x-total-count");
const DEFAULT: u32 = 50;

/// Which part of a list is asked for; pages count from one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    number: u32,
    size: u32,
}

impl Page {
    /// `page` and `per_page`; empty is as good as absent.
    pub(super) fn of(incoming: &Incoming) -> Result<Self> {
        let number = |name: &str, default: u32| match incoming.query(name) {
            "" => Ok(default),
            text => text.parse().map_err(|_| {
                AuthError::validation(format!(
                    "Bad Pagination Parameters: strconv.ParseUint: parsing {text:?}: invalid syntax"
                ))
            }),
        };
        let page = Self { number: number("page", 1)?, size: number("per_page", DEFAULT)? };
        Ok(Self { number: page.number.max(1), size: page.size.max(1) })
    }

    pub(super) fn limit(self) -> i64 {
        self.size.into()
    }

    pub(super) fn offset(self) -> i64 {
        i64::from(self.number - 1) * i64::from(self.size)
    }

    /// `X-Total-Count` and `Link`. In each address `page` comes first: auth-js reads the digits after the first `=`.
    pub(super) fn headers(self, path: &str, total: i64) -> HeaderMap {
        let last = total.max(1).unsigned_abs().div_ceil(self.size.into());
        let link = |page: u64, rel: &str| format!("<{path}?page={page}&per_page={}>; rel=\"{rel}\"", self.size);
        let mut links = Vec::new();
        if u64::from(self.number) < last {
            links.push(link(u64::from(self.number) + 1, "next"));
        }
        links.push(link(last, "last"));
        let mut headers = HeaderMap::new();
        headers.insert(TOTAL, total.into());
        if let Ok(value) = HeaderValue::from_str(&links.join(", ")) {
            headers.insert(header::LINK, value);
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn links_lead_to_the_next_and_the_last_page() {
        let headers = |number, total| Page { number, size: 10 }.headers("/admin/users", total);
        assert_eq!(
            headers(1, 25)["link"],
            "</admin/users?page=2&per_page=10>; rel=\"next\", </admin/users?page=3&per_page=10>; rel=\"last\""
        );
        assert_eq!(headers(3, 25)["link"], "</admin/users?page=3&per_page=10>; rel=\"last\"");
        assert_eq!(headers(1, 0)["link"], "</admin/users?page=1&per_page=10>; rel=\"last\"");
        assert_eq!(headers(1, 0)["x-total-count"], "0");
    }
}
