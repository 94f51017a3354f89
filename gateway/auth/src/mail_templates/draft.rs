//! Renders a mail template that is not saved yet, with the engine that renders the mails. For the dashboard.

use std::path::Path;

use cloch_template::{Error, Mode, Template};

use super::preview::samples;
use super::template::unescape;
use super::{MailKind, Variables, body, defaults, own};
use crate::settings::Email;

/// A mail template that is not saved yet.
#[derive(Clone, Debug, Default)]
pub struct MailDraft {
    /// The template of the subject; `None` for the saved one.
    pub subject: Option<String>,
    /// The template of the body; `None` for the saved one.
    pub content: Option<String>,
    /// Metadata of the user who gets the mail: the variable `.Data`.
    pub data: Variables,
}

/// A mail rendered from a draft.
#[derive(Clone, Debug, Default)]
pub struct RenderedDraft {
    /// The rendered subject, or an empty text if its template has an error.
    pub subject: String,
    /// The rendered body, or an empty text if its template has an error.
    pub html: String,
    /// Errors of the templates. A template that can be rendered has none.
    pub problems: Vec<DraftProblem>,
}

/// An error in a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftProblem {
    /// The template with the error: `subject` or `content`.
    pub part: &'static str,
    /// Line of the error, which begins at 1. Zero if the line is unknown.
    pub line: usize,
    /// Column of the error in characters, which begins at 1. Zero if the column is unknown.
    pub column: usize,
    /// Description of the error.
    pub message: String,
    /// Whether the error affects only users with this metadata: the template is valid, but cannot be rendered for them, so they get the
    /// default mail.
    pub is_for_user: bool,
}

/// Renders a draft of the mail of this kind with sample values. Returns `None` if there is no such kind.
///
/// # Errors
///
/// Returns an error if the saved template's file is missing or unreadable.
pub(crate) fn render(
    email: &Email,
    project: &Path,
    kind: &str,
    draft: &MailDraft,
) -> Result<Option<RenderedDraft>, String> {
    let Some(kind) = MailKind::ALL.into_iter().find(|known| known.name() == kind) else { return Ok(None) };
    let (default_subject, default_body) = defaults::default_template(kind);
    let own = own(email, kind);
    let saved_subject = || own.and_then(|own| own.subject.clone()).unwrap_or_else(|| default_subject.to_owned());
    let subject = draft.subject.clone().unwrap_or_else(saved_subject);
    let content = match &draft.content {
        Some(content) => content.clone(),
        None => {
            let saved = own.map(|own| body(own, project)).transpose()?.flatten();
            saved.map_or_else(|| default_body.to_owned(), |(_, text)| text)
        }
    };
    let mut variables = samples();
    variables.insert("Data".to_owned(), serde_json::Value::Object(draft.data.clone()));
    let mut rendered = RenderedDraft::default();
    let mut part = |name, source: &str| match one(source, &variables) {
        Ok(text) => text,
        Err((is_for_user, Error { line, column, message })) => {
            rendered.problems.push(DraftProblem { part: name, line, column, message, is_for_user });
            String::new()
        }
    };
    (rendered.subject, rendered.html) = (unescape(&part("subject", &subject)), part("content", &content));
    Ok(Some(rendered))
}

/// Renders a template. The error contains a flag that shows whether the template is valid.
fn one(source: &str, variables: &Variables) -> Result<String, (bool, Error)> {
    let template = Template::parse(source, Mode::Html).map_err(|error| (false, error))?;
    template.render(variables).map_err(|error| (true, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(subject: &str, content: &str, data: serde_json::Value) -> RenderedDraft {
        let data = data.as_object().cloned().unwrap_or_default();
        let draft = MailDraft { subject: Some(subject.to_owned()), content: Some(content.to_owned()), data };
        render(&Email::default(), Path::new("."), "recovery", &draft).unwrap().unwrap()
    }

    #[test]
    fn a_draft_is_rendered_for_a_user_with_the_given_metadata() {
        let by_language = "{{ if eq .Data.lang \"de\" }}Hallo{{ else }}Hello{{ end }} {{ .Email }}";
        let german = draft(by_language, by_language, serde_json::json!({ "lang": "de" }));
        assert_eq!((german.subject.as_str(), german.html.as_str()), ("Hallo ann@example.com", "Hallo ann@example.com"));
        assert!(draft(by_language, "x", serde_json::json!({ "lang": "en" })).subject.starts_with("Hello"));
        let saved = render(&Email::default(), Path::new("."), "recovery", &MailDraft::default()).unwrap().unwrap();
        assert_eq!(saved.subject, "Choose a new password");
        assert!(render(&Email::default(), Path::new("."), "other", &MailDraft::default()).unwrap().is_none());
    }

    #[test]
    fn errors_have_their_line_and_column() {
        for (content, at, is_for_user) in [
            ("<p>{{ .Email </p>", (1, 16), false),
            ("<p>\n  {{ nonsense .Email }}</p>", (2, 6), false),
            ("é{{ nonsense }}", (1, 5), false),
            ("<p>\n{{ if .Email }}", (2, 16), false),
            ("<p>\n\n {{ len .Data.list }}</p>", (3, 5), true),
            ("<a href=\"{{ if .Email }}a?{{ end }}{{ .Token }}\">", (1, 36), false),
        ] {
            let rendered = draft("s", content, serde_json::json!({}));
            let [problem] = rendered.problems.as_slice() else { panic!("{content}: {:?}", rendered.problems) };
            assert_eq!(
                ((problem.line, problem.column), problem.is_for_user),
                (at, is_for_user),
                "{content}: {problem:?}"
            );
            assert_eq!((problem.part, rendered.html.as_str()), ("content", ""));
        }
        assert_eq!(
            draft("{{ .Email", "x", serde_json::json!({})).problems.first().map(|one| one.part),
            Some("subject")
        );
    }
}
