//! Determines the type of an HTML attribute's value from the attribute's name.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Plain,
    Css,
    Html,
    Js,
    SrcSet,
    /// A value that determines how the browser interprets other parts of the document.
    Unsafe,
    Url,
}

const URLS: [&str; 16] = [
    "action",
    "archive",
    "background",
    "cite",
    "classid",
    "codebase",
    "data",
    "formaction",
    "href",
    "icon",
    "longdesc",
    "manifest",
    "poster",
    "profile",
    "src",
    "usemap",
];

const UNSAFE: [&str; 22] = [
    "accept-charset",
    "async",
    "challenge",
    "charset",
    "content",
    "crossorigin",
    "defer",
    "enctype",
    "form",
    "formenctype",
    "formmethod",
    "formnovalidate",
    "http-equiv",
    "keytype",
    "language",
    "method",
    "novalidate",
    "pattern",
    "rel",
    "sandbox",
    "type",
    "value",
];

/// Names of attributes with plain text values that would otherwise be classified as event handlers or URLs.
const PLAIN: [&str; 1] = ["srclang"];

/// Returns the type of an attribute's value. `name` is in lower case.
pub(super) fn content(name: &str) -> Content {
    let name = match (name.strip_prefix("data-"), name.split_once(':')) {
        // A custom attribute (`data-…`) has the type of the attribute that the rest of its name names.
        (Some(own), _) => own,
        (None, Some(("xmlns", _))) => return Content::Url,
        (None, Some((_, short))) => short,
        (None, None) => name,
    };
    match name {
        "xmlns" => Content::Url,
        "style" => Content::Css,
        "srcdoc" => Content::Html,
        "srcset" => Content::SrcSet,
        name if URLS.contains(&name) => Content::Url,
        name if UNSAFE.contains(&name) => Content::Unsafe,
        name if PLAIN.contains(&name) => Content::Plain,
        name if name.starts_with("on") => Content::Js,
        name if ["src", "uri", "url"].iter().any(|part| name.contains(part)) => Content::Url,
        _ => Content::Plain,
    }
}
