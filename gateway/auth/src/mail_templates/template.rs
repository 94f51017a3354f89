//! A template of a mail: Go's html/template, as in GoTrue, for subject and body alike.

use cloch_template::Mode;

/// The variables of a template. All are strings, except `Data`, the user's metadata.
pub(crate) type Variables = serde_json::Map<String, serde_json::Value>;

/// A parsed template.
pub(crate) struct Template(cloch_template::Template);

impl Template {
    /// Reads a template, and adds to each value the escapers of its place.
    pub(crate) fn new(source: &str) -> Result<Self, String> {
        cloch_template::Template::parse(source, Mode::Html).map(Self).map_err(|error| error.to_string())
    }

    /// Renders the template. A missing variable is empty.
    pub(crate) fn render(&self, variables: &Variables) -> Result<String, String> {
        self.0.render(variables).map_err(|error| error.to_string())
    }
}

/// Reverts HTML escaping in a subject: templates escape it as HTML, but a header is plain text.
pub(crate) fn unescape(subject: &str) -> String {
    subject
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#43;", "+")
        .replace("&amp;", "&")
}
