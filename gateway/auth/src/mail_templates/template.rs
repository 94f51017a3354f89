//! A mail template in Go's html/template language, as in GoTrue. Used for subjects and bodies.

use cloch_template::Mode;

/// The variables of a mail template. All values are strings, except `Data`, which contains the user's metadata.
pub(crate) type Variables = serde_json::Map<String, serde_json::Value>;

pub(crate) struct Template(cloch_template::Template);

impl Template {
    /// Parses a template. Each inserted value will be escaped as its position in the HTML requires.
    pub(crate) fn new(source: &str) -> Result<Self, String> {
        cloch_template::Template::parse(source, Mode::Html).map(Self).map_err(|error| error.to_string())
    }

    /// Renders the template. A missing variable is rendered as an empty string.
    pub(crate) fn render(&self, variables: &Variables) -> Result<String, String> {
        self.0.render(variables).map_err(|error| error.to_string())
    }
}

/// Reverts the HTML escaping of a rendered subject, because a mail header is plain text.
pub(crate) fn unescape(subject: &str) -> String {
    subject
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#43;", "+")
        .replace("&amp;", "&")
}
