//! Parses the pagination parameters of lists, and builds the response headers of a page.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use url::form_urlencoded::Serializer;

use crate::error::{AuthError, Result};
use crate::http::request::Incoming;

const TOTAL_COUNT_HEADER: HeaderName = HeaderName::from_static("x-total-count");
const DEFAULT_PAGE_SIZE: u32 = 50;

/// The page that a request selects. Page numbers start at one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    number: u32,
    size: u32,
}

impl Page {
    /// Parses the query parameters `page` and `per_page`. An empty parameter counts as absent.
    pub(crate) fn of(incoming: &Incoming) -> Result<Self> {
        let number = |name: &str, default: u32| match incoming.query(name) {
            "" => Ok(default),
            text => text.parse().map_err(|_| {
                AuthError::validation(format!(
                    "Bad Pagination Parameters: strconv.ParseUint: parsing {text:?}: invalid syntax"
                ))
            }),
        };
        let page = Self { number: number("page", 1)?, size: number("per_page", DEFAULT_PAGE_SIZE)? };
        Ok(Self { number: page.number.max(1), size: page.size.max(1) })
    }

    pub(crate) fn limit(self) -> i64 {
        self.size.into()
    }

    pub(crate) fn offset(self) -> i64 {
        i64::from(self.number - 1) * i64::from(self.size)
    }

    /// Returns the response headers `X-Total-Count` and `Link`. In each URL of `Link`, `page` is the first parameter, because auth-js
    /// parses the digits after the first `=`. The request's other query parameters follow, so that the link leads to a page of the same
    /// list.
    pub(crate) fn headers(self, path: &str, incoming: &Incoming, total: i64) -> HeaderMap {
        self.of_list(path, incoming.query_pairs(), total)
    }

    fn of_list(self, path: &str, asked: &[(String, String)], total: i64) -> HeaderMap {
        let last = total.unsigned_abs().div_ceil(self.size.into());
        let rest = asked.iter().filter(|(name, _)| name != "page");
        let link = |page: u64, rel: &str| {
            let query = Serializer::new(String::new())
                .append_pair("page", &page.to_string())
                .extend_pairs(rest.clone())
                .finish();
            format!("<{path}?{query}>; rel=\"{rel}\"")
        };
        let mut links = Vec::new();
        if u64::from(self.number) < last {
            links.push(link(u64::from(self.number) + 1, "next"));
        }
        links.push(link(last, "last"));
        let mut headers = HeaderMap::new();
        headers.insert(TOTAL_COUNT_HEADER, total.into());
        if let Ok(value) = HeaderValue::from_str(&links.join(", ")) {
            headers.insert(header::LINK, value);
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_next_and_the_last_page() {
        let asked = [("per_page".to_owned(), "10".to_owned()), ("page".to_owned(), "1".to_owned())];
        let headers = |number, total| Page { number, size: 10 }.of_list("/admin/users", &asked, total);
        assert_eq!(
            headers(1, 25)["link"],
            "</admin/users?page=2&per_page=10>; rel=\"next\", </admin/users?page=3&per_page=10>; rel=\"last\""
        );
        assert_eq!(headers(3, 25)["link"], "</admin/users?page=3&per_page=10>; rel=\"last\"");
        assert_eq!(headers(1, 0)["link"], "</admin/users?page=0&per_page=10>; rel=\"last\"");
        assert_eq!(headers(1, 0)["x-total-count"], "0");
    }

    #[test]
    fn a_link_keeps_the_filter_and_asks_for_no_more_than_was_asked() {
        let asked = [("filter".to_owned(), "a&b".to_owned())];
        let headers = Page { number: 1, size: 50 }.of_list("/admin/users", &asked, 3);
        assert_eq!(headers["link"], "</admin/users?page=1&filter=a%26b>; rel=\"last\"");
    }
}
