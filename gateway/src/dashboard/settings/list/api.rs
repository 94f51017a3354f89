//! Settings of URLs, of the table REST API and of the server.

use serde_json::json;

use super::{Group, Kind, Names, Spec, size};

pub(super) const GROUPS: &[Group] = &[
    Group { name: "urls", title: "URLs", names: Names::None, settings: URLS },
    Group { name: "api", title: "API", names: Names::None, settings: API },
];

const URLS: &[Spec] = &[
    Spec::config("auth.site_url", Kind::Url, "URL of the app", |f, _| json!(f.config.auth.site_url))
        .hint("Links in mails lead there if a request names no allowed URL."),
    Spec::config("auth.additional_redirect_urls", Kind::List, "Other URLs that sign-ins may lead to", |f, _| {
        json!(f.config.auth.additional_redirect_urls)
    })
    .hint("A pattern such as https://*.example.com/** allows many URLs."),
    Spec::config("api.external_url", Kind::Url, "Public URL of this server", |f, _| json!(f.config.api.external_url))
        .lock_out(
            "The dashboard is then used at the new URL, and passkeys of operators belong to the host of the old URL.",
        ),
];

const API: &[Spec] = &[
    Spec::config("api.schemas", Kind::List, "Schemas of the API", |f, _| json!(f.config.api.schemas))
        .hint("The first one is the default."),
    Spec::config("api.max_rows", Kind::Count { min: 1, max: 4_294_967_295 }, "Maximum rows of a response", |f, _| {
        json!(f.config.api.max_rows)
    }),
    Spec::cloch("server.body_limit", Kind::Size, "Maximum size of a request that is not an upload", |f, _| {
        size(f.cloch.server.body_limit)
    }),
    Spec::cloch(
        "server.request_timeout",
        Kind::Count { min: 1, max: 86_400 },
        "Seconds until a request times out",
        |f, _| json!(f.cloch.server.request_timeout),
    ),
    Spec::cloch("management.mcp_writes", Kind::Switch, "Tools of /mcp may write", |f, _| {
        json!(f.cloch.management.mcp_writes)
    }),
    Spec::cloch("dashboard.enabled", Kind::Switch, "This dashboard is served", |f, _| {
        json!(f.cloch.dashboard.enabled)
    })
    .lock_out("The dashboard is gone after the restart. Only a change of cloch.toml on the server's machine brings it back."),
];
