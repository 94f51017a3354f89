//! Determines from the name of an HTML attribute which kind of content its value is, such as a URL or JavaScript.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Plain,
    Css,
    Html,
    Js,
    SrcSet,
    /// A value that determines how the browser interprets other parts of the document. Templates may not insert such a value.
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

/// Attributes whose values are plain text, although their names look like names of event handlers or URLs.
const PLAIN: [&str; 1] = ["srclang"];

/// Returns the kind of content of the attribute `name`, which must be in lower case.
pub(super) fn content(name: &str) -> Content {
    let name = match (name.strip_prefix("data-"), name.split_once(':')) {
        // A custom attribute `data-NAME` has the same kind of content as the attribute `NAME`.
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
