//! Sending each kind of mail: a fresh code, the note of it in the database and the letter, all in one transaction.

use cloch_mail::Message;
use serde_json::Value;
use sqlx::{Connection, PgConnection};

use super::{Kind, Variables, hook, limit};
use crate::auth::error::{AuthError, Doing, Result};
use crate::auth::models::user::User;
use crate::auth::models::{Time, one_time_token};
use crate::auth::otp::Code;
use crate::auth::request::Client;
use crate::auth::state::AuthState;

/// What a letter is about.
pub(crate) struct Occasion<'a> {
    pub(crate) user: &'a User,
    /// Who asked for it: the hook is told.
    pub(crate) client: &'a Client,
    /// Where the link leads in the end; already checked against the allow-list.
    pub(crate) target: &'a str,
    /// Whether the link is to end in a code.
    pub(crate) pkce: bool,
    /// Whether the request was counted already, by the address it names.
    pub(crate) counted: bool,
}

/// A letter about to be written.
struct Draft<'a> {
    kind: Kind,
    client: &'a Client,
    to: &'a str,
    user: &'a User,
    target: &'a str,
    code: Option<&'a Code>,
    more: &'a [(&'a str, &'a str)],
    counted: bool,
}

/// Sends the confirmation of a sign-up. While an invitation to the address is open, nothing is sent: there is one token for both, and
/// whoever asks for a confirmation, a stranger perhaps, would end the invitation's link.
pub(crate) async fn confirmation(state: &AuthState, tx: &mut PgConnection, occasion: &Occasion<'_>) -> Result<()> {
    let user = occasion.user;
    if user.has_open_invitation(state.invitation_expiry()) {
        return Ok(());
    }
    occasion.check_gap(state, user.confirmation_sent_at)?;
    let code = fresh(state, &user.email, occasion.pkce);
    send(state, tx, occasion.draft(Kind::Confirmation, &code), "Error sending confirmation email").await?;
    one_time_token::sent_confirmation(tx, user.id, &code.hash, &user.email, false)
        .await
        .doing("Error sending confirmation email")
}

pub(crate) async fn invite(state: &AuthState, tx: &mut PgConnection, occasion: &Occasion<'_>) -> Result<()> {
    let user = occasion.user;
    let code = fresh(state, &user.email, false);
    send(state, tx, occasion.draft(Kind::Invite, &code), "Error sending invite email").await?;
    one_time_token::sent_confirmation(tx, user.id, &code.hash, &user.email, true).await.doing("Error inviting user")
}

pub(crate) async fn recovery(state: &AuthState, tx: &mut PgConnection, occasion: &Occasion<'_>) -> Result<()> {
    by_recovery_token(state, tx, occasion, Kind::Recovery, "Error sending recovery email").await
}

pub(crate) async fn magic_link(state: &AuthState, tx: &mut PgConnection, occasion: &Occasion<'_>) -> Result<()> {
    by_recovery_token(state, tx, occasion, Kind::MagicLink, "Error sending magic link email").await
}

async fn by_recovery_token(
    state: &AuthState,
    tx: &mut PgConnection,
    occasion: &Occasion<'_>,
    kind: Kind,
    doing: &'static str,
) -> Result<()> {
    let user = occasion.user;
    occasion.check_gap(state, user.recovery_sent_at)?;
    let code = fresh(state, &user.email, occasion.pkce);
    send(state, tx, occasion.draft(kind, &code), doing).await?;
    one_time_token::sent_recovery(tx, user.id, &code.hash, &user.email).await.doing(doing)
}

/// Asks the new address, and the current one too where changes are confirmed twice.
pub(crate) async fn email_change(
    state: &AuthState,
    tx: &mut PgConnection,
    occasion: &Occasion<'_>,
    new: &str,
) -> Result<()> {
    const DOING: &str = "Error sending email change email";
    let user = occasion.user;
    let settings = &state.settings().email;
    occasion.check_gap(state, user.email_change_sent_at)?;
    let new_code = fresh(state, new, occasion.pkce);
    let current_code =
        (settings.double_confirm_changes && !user.email.is_empty()).then(|| fresh(state, &user.email, occasion.pkce));
    if !occasion.counted {
        limit::take(tx, state.settings()).await?;
    }
    if hook::is_on(state) {
        let codes = hook::Codes::of_change(&new_code, current_code.as_ref());
        let changing = User { email_change: new.to_owned(), ..user.clone() };
        let sent = hook::send(state, tx, occasion.client, &changing, Kind::EmailChange, &codes, occasion.target, &[]);
        sent.await.doing(DOING)?;
        let current_hash = current_code.as_ref().map(|code| code.hash.as_str());
        return one_time_token::sent_email_change(tx, user, new, Some(&new_code.hash), current_hash).await.doing(DOING);
    }
    let addressed = |to, code| Draft { to, ..occasion.draft(Kind::EmailChange, code) };
    let new_letter = Draft { more: &[("NewEmail", new), ("SendingTo", new)], ..addressed(new, &new_code) };
    post(state, tx, new_letter).await.doing(DOING)?;
    if let Some(code) = &current_code {
        let more = [("NewEmail", new), ("SendingTo", user.email.as_str())];
        post(state, tx, Draft { more: &more, ..addressed(&user.email, code) }).await.doing(DOING)?;
    }
    let current_hash = current_code.as_ref().map(|code| code.hash.as_str());
    one_time_token::sent_email_change(tx, user, new, Some(&new_code.hash), current_hash).await.doing(DOING)
}

pub(crate) async fn reauthentication(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    client: &Client,
) -> Result<()> {
    const DOING: &str = "Error sending reauthentication email";
    let occasion = Occasion { user, client, target: "", pkce: false, counted: false };
    occasion.check_gap(state, user.reauthentication_sent_at)?;
    let code = fresh(state, &user.email, false);
    send(state, tx, occasion.draft(Kind::Reauthentication, &code), DOING).await?;
    one_time_token::sent_reauthentication(tx, user.id, &code.hash, &user.email).await.doing(DOING)
}

/// Tells of a change, if the project wants that. What cannot be told does not stop the change: it is tried behind a savepoint.
pub(crate) async fn notification(
    state: &AuthState,
    tx: &mut PgConnection,
    kind: Kind,
    user: &User,
    to: &str,
    more: &[(&str, &str)],
    client: &Client,
) {
    let wanted = state.settings().email.notification.get(kind.name()).is_some_and(|kind| kind.enabled);
    if !wanted || to.is_empty() {
        return;
    }
    let draft = Draft { kind, client, to, user, target: "", code: None, more, counted: false };
    let told = async {
        let mut attempt = tx.begin().await?;
        send(state, &mut attempt, draft, "Error sending notification email").await?;
        attempt.commit().await.map_err(AuthError::from)
    };
    if let Err(error) = told.await {
        error.log();
        tracing::warn!(mail.kind = kind.name(), "auth: a notification was not sent: {}", error.code());
    }
}

impl Occasion<'_> {
    fn draft<'a>(&'a self, kind: Kind, code: &'a Code) -> Draft<'a> {
        Draft {
            kind,
            client: self.client,
            to: &self.user.email,
            user: self.user,
            target: self.target,
            code: Some(code),
            more: &[],
            counted: self.counted,
        }
    }

    /// Refuses a second mail of a kind to one user within the configured time.
    fn check_gap(&self, state: &AuthState, last: Option<Time>) -> Result<()> {
        if self.counted { Ok(()) } else { limit::check_gap(last, state.settings().email.max_frequency) }
    }
}

fn fresh(state: &AuthState, address: &str, pkce: bool) -> Code {
    Code::new(state.settings().email.otp_length, address, pkce)
}

async fn send(state: &AuthState, tx: &mut PgConnection, draft: Draft<'_>, doing: &'static str) -> Result<()> {
    if !draft.counted {
        limit::take(tx, state.settings()).await?;
    }
    post(state, tx, draft).await.doing(doing)
}

/// Writes the letter and puts it into the outbox of the same transaction.
async fn post(state: &AuthState, tx: &mut PgConnection, draft: Draft<'_>) -> Result<()> {
    if hook::is_on(state) {
        let code = draft.code.map(hook::Codes::of).unwrap_or_default();
        return hook::send(state, tx, draft.client, draft.user, draft.kind, &code, draft.target, draft.more).await;
    }
    let letter = state.letters.write(draft.kind, &draft.variables(state));
    let to = draft.to.parse().map_err(|_| {
        AuthError::bad_request("email_address_invalid", format!("Email address {:?} is invalid", draft.to))
    })?;
    let message = Message::new(draft.kind.name(), [to], &letter.subject, letter.html)
        .doing("Error sending email")?
        .requested_by(Some(draft.user.id));
    state.setup.mailer.queue(&mut *tx, &message).await.doing("Error sending email").map(drop)
}

impl Draft<'_> {
    fn variables(&self, state: &AuthState) -> Variables {
        let mut variables = Variables::new();
        let mut set = |name: &str, value: &str| {
            variables.insert(name.to_owned(), Value::from(value));
        };
        set("SiteURL", state.targets().site());
        set("Email", &self.user.email);
        if let Some(code) = self.code {
            set("Token", &code.digits);
            if self.kind != Kind::Reauthentication {
                set("TokenHash", &code.hash);
                set("RedirectTo", self.target);
                set("ConfirmationURL", &link(state, self.kind.action(), &code.hash, self.target));
            }
        }
        for (name, value) in self.more {
            set(name, value);
        }
        variables.insert("Data".to_owned(), Value::Object(self.user.user_metadata.0.clone()));
        variables
    }
}

/// The link of a mail: made from the configured address alone, never from what a request says it was sent to.
pub(crate) fn link(state: &AuthState, action: &str, token: &str, target: &str) -> String {
    let target = if target.contains(['&', '=', '#']) {
        url::form_urlencoded::byte_serialize(target.as_bytes()).collect::<String>().into()
    } else {
        std::borrow::Cow::Borrowed(target)
    };
    format!("{}/verify?token={token}&type={action}&redirect_to={target}", state.external_url())
}
