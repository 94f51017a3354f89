//! Records mail templates that cannot be rendered for some users. Each template is tested at startup for a user without metadata, and later
//! failures are recorded when a mail is rendered. The dashboard displays the records.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::template::Variables;
use super::{MailKind, Templates};

/// The newest failure of each mail template. The key is the kind of mail and the part of the mail (subject or content).
static FOUND: Mutex<BTreeMap<(&str, String), String>> = Mutex::new(BTreeMap::new());

pub(crate) fn all() -> Vec<String> {
    let found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    found.iter().map(|((kind, part), failure)| format!("{kind}: {part}: {failure}")).collect()
}

/// Deletes all records, because the templates are loaded again.
pub(crate) fn clear() {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Records a failure of a mail template. Returns false if the same failure was already recorded.
pub(super) fn note(kind: MailKind, part: &str, failure: &str) -> bool {
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    found.insert((kind.name(), part.to_owned()), failure.to_owned()).is_none_or(|known| known != failure)
}

/// Renders a mail for a user without metadata, to test the templates, and records failures. Every project has users without metadata.
pub(super) fn try_out(kind: MailKind, templates: &Templates) {
    let variables = sample();
    for (part, template) in [("subject", &templates.subject), ("content", &templates.html)] {
        if let Err(failure) = template.render(&variables)
            && note(kind, part, &failure)
        {
            tracing::warn!(
                mail.kind = kind.name(),
                error = failure,
                "auth: mail template fails for users without metadata, these users get the default {part} instead of the {part} of the template"
            );
        }
    }
}

fn sample() -> Variables {
    let names = [
        "SiteURL",
        "ConfirmationURL",
        "RedirectTo",
        "Email",
        "NewEmail",
        "OldEmail",
        "Phone",
        "OldPhone",
        "SendingTo",
        "Provider",
        "FactorType",
        "TokenHash",
    ];
    let mut variables: Variables =
        names.iter().map(|name| ((*name).to_owned(), "https://example.com/".into())).collect();
    variables.insert("Token".to_owned(), "123456".into());
    variables.insert("TokenNew".to_owned(), "123456".into());
    variables.insert("Data".to_owned(), serde_json::Value::Object(Variables::new()));
    variables
}
