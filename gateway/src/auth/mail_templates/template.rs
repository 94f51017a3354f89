//! Go's template language, with values escaped according to their HTML context.

use std::collections::HashMap;

use gtmpl::{Context, Value};

use super::escape;

/// The variables of a template. All are strings, except `Data`, the user's metadata.
pub(crate) type Variables = serde_json::Map<String, serde_json::Value>;

/// A parsed template.
#[derive(Default)]
pub(crate) struct Template(gtmpl::Template);

impl Template {
    /// Parses a template, and adds the escaper of its context to each printing action.
    pub(crate) fn new(source: &str) -> Result<Self, String> {
        let mut template = gtmpl::Template::default();
        for (name, escaper) in escape::ESCAPERS {
            template.add_func(name, escaper);
        }
        template.parse(escape::annotate(source)?).map_err(|error| error.to_string())?;
        Ok(Self(template))
    }

    /// Renders the template. A missing variable is empty.
    pub(crate) fn render(&self, variables: &Variables) -> Result<String, String> {
        let values: HashMap<String, Value> =
            variables.iter().map(|(name, value)| (name.clone(), to_value(value))).collect();
        self.0.render(&Context::from(Value::Map(values))).map_err(|error| error.to_string())
    }
}

fn to_value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::NoValue,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole),
            (None, Some(real)) => Value::from(real),
            (None, None) => Value::NoValue,
        },
        serde_json::Value::String(text) => Value::from(text.clone()),
        serde_json::Value::Array(list) => Value::Array(list.iter().map(to_value).collect()),
        serde_json::Value::Object(fields) => {
            Value::Map(fields.iter().map(|(name, value)| (name.clone(), to_value(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use serde_json::json;

    use super::*;

    fn render(source: &str) -> String {
        let serde_json::Value::Object(variables) = json!({
            "Email": "<b>\"ann\"</b>@x",
            "ConfirmationURL": "http://x/verify?token=1&type=signup&redirect_to=http://y/z",
            "RedirectTo": "http://y/z?a=b&c=d#e",
            "Token": "123456",
            "Evil": "javascript:alert(1)",
            "Data": {"lang": "fr", "n": 3, "list": ["a", "b"]},
        }) else {
            unreachable!()
        };
        Template::new(source).unwrap().render(&variables).unwrap()
    }

    #[test]
    fn values_are_escaped_for_their_place() {
        assert_eq!(render("<p>{{ .Email }}</p>"), "<p>&lt;b&gt;&#34;ann&#34;&lt;/b&gt;@x</p>");
        assert_eq!(
            render(r#"<a href="{{ .ConfirmationURL }}">x</a>"#),
            r#"<a href="http://x/verify?token=1&amp;type=signup&amp;redirect_to=http://y/z">x</a>"#
        );
        assert_eq!(
            render(r#"<a href="{{.ConfirmationURL}}&next={{ .RedirectTo }}">"#),
            "<a href=\"http://x/verify?token=1&amp;type=signup&amp;redirect_to=http://y/z&next=http%3a%2f%2fy%2fz%3fa%3db%26c%3dd%23e\">"
        );
        assert_eq!(render(r#"<a href="{{ .Evil }}">"#), "<a href=\"#ZgotmplZ\">");
        assert_eq!(render("<a href={{ .Email }}>"), "<a href=%3cb%3e%22ann%22%3c/b%3e@x>");
    }

    #[test]
    fn a_url_is_one_however_the_attribute_is_written() {
        for before in [
            "<a href=\"",
            "<a href= \"",
            "<a href =\"",
            "<a href\n=\n'",
            "<a HREF=\"",
            "<a/href=\"",
            "<a title=x href=\"",
            "<a title='>' href=\"",
            "<a title=\"x\"href=\"",
            "<a href=",
            "<img data-src=\"",
            "<use xlink:href=\"",
            "<p>{{ .Email }}</p><a href=\"",
            "<!-- <a title=\" --><a href=\"",
            "<style>a > b { }</style><a href=\"",
            "<script type=x></script><a href=\"",
        ] {
            let page = render(&format!("{before}{{{{ .Evil }}}}"));
            assert!(page.ends_with("#ZgotmplZ") && !page.contains("javascript"), "{page}");
        }
        assert_eq!(render(r#"<p title="{{ .Evil }}">"#), r#"<p title="javascript:alert(1)">"#);
        assert_eq!(
            render(r#"<p title="1" {{ if .Token }}id="{{ .Token }}"{{ end }}>"#),
            r#"<p title="1" id="123456">"#
        );
    }

    #[test]
    fn no_value_stands_where_code_is_read() {
        for (source, place) in [
            ("<script>x = {{ .Email }}</script>", "in <script>"),
            ("<SCRIPT type=x>x = \"{{ .Email }}\"</script>", "in <script>"),
            ("<style>a { color: {{ .Data.color }} }</style>", "in <style>"),
            ("<a onclick=\"go('{{ .Email }}')\">", "attribute onclick"),
            ("<a ONCLICK = {{ .Email }}>", "attribute onclick"),
            ("<p style=\"color: {{ .Data.color }}\">", "attribute style"),
            ("<p style= '{{ .Data.style }}'>", "attribute style"),
            ("<iframe srcdoc=\"{{ .Email }}\">", "attribute srcdoc"),
            ("<td width={{ .Data.width }}>", "no quotes"),
            ("<td width= 1{{ .Data.width }}>", "no quotes"),
            ("<td {{ .Data.attribute }}>", "in no attribute's value"),
        ] {
            let refused = Template::new(source).err();
            assert!(refused.is_some_and(|error| error.contains(place)), "{source}");
        }
        assert_eq!(render("<3 {{ .Token }} < {{ .Token }}"), "<3 123456 < 123456");
        assert_eq!(render("<style>a{}</style><p>{{ .Token }}</p>"), "<style>a{}</style><p>123456</p>");
    }

    #[test]
    fn conditions_loops_and_missing_values() {
        assert_eq!(render("{{ if eq .Data.lang \"fr\" }}Bonjour{{ else }}Hello{{ end }}"), "Bonjour");
        assert_eq!(render("{{ if .Data.missing }}a{{ else }}b{{ end }}"), "b");
        assert_eq!(render("[{{ .Nothing }}][{{ .Data.missing }}]"), "[][]");
        assert_eq!(render("{{ range .Data.list }}<i>{{ . }}</i>{{ end }}"), "<i>a</i><i>b</i>");
        assert_eq!(render("{{- /* why */ -}} {{ .Data.n }}"), "3");
        assert_eq!(render("{{ if and .Token (not .Nothing) }}y{{ end }}"), "y");
    }

    #[test]
    fn what_does_not_parse_is_an_error() {
        for source in ["{{ if }}", "{{ .Email", "{{ end }}", "{{ nonsense .Email }}"] {
            assert!(Template::new(source).and_then(|template| template.render(&Variables::new())).is_err(), "{source}");
        }
    }
}
