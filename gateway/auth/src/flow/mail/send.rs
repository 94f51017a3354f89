//! Sends the mails of the auth API: generates a one-time code, stores the code's hash and queues the mail, in one transaction.

use cloch_mail::Message;
use serde_json::Value;
use sqlx::{Connection, PgConnection};

use super::{hook, limit};
use crate::client::Client;
use crate::error::{AuthError, Context, Result};
use crate::flow::message_count::{MessageCount, Unsent};
use crate::flow::one_time_code::Code;
use crate::mail_templates::{MailKind, Variables};
use crate::model::user::User;
use crate::model::{Time, one_time_token};
use crate::state::AuthState;

pub(crate) struct MailContext<'a> {
    pub(crate) user: &'a User,
    /// The client whose request caused the mail, for the payload of the `send_email` hook.
    pub(crate) client: &'a Client,
    /// The URL to which the mailed link redirects, checked against the allow-list.
    pub(crate) target: &'a str,
    /// Whether the mailed link redirects with a PKCE authorization code instead of a session.
    pub(crate) pkce: bool,
    /// Whether the request was already counted against the limits of messages ([`crate::flow::message_request`]).
    pub(crate) counted: bool,
}

struct OutgoingMail<'a> {
    kind: MailKind,
    client: &'a Client,
    to: &'a str,
    user: &'a User,
    target: &'a str,
    code: Option<&'a Code>,
    more: &'a [(&'a str, &'a str)],
    counted: bool,
}

/// Sends the confirmation mail of a sign-up. Sends no mail while an invitation to the address is pending. Confirmations and invitations are
/// stored as the same kind of token, so a new confirmation would invalidate the invitation, and anyone can request a confirmation.
pub(crate) async fn confirmation(state: &AuthState, tx: &mut PgConnection, context: &MailContext<'_>) -> Result<()> {
    let user = context.user;
    if user.has_open_invitation(state.invitation_expiry()) {
        return Ok(());
    }
    context.check_gap(state, user.confirmation_sent_at)?;
    let code = fresh(state, &user.email, context.pkce);
    send(state, tx, context.mail(MailKind::Confirmation, &code), "Error sending confirmation email").await?;
    one_time_token::sent_confirmation(tx, user.id, &code.hash, &user.email, false)
        .await
        .context("Error sending confirmation email")
}

pub(crate) async fn invite(state: &AuthState, tx: &mut PgConnection, context: &MailContext<'_>) -> Result<()> {
    let user = context.user;
    let code = fresh(state, &user.email, false);
    send(state, tx, context.mail(MailKind::Invite, &code), "Error sending invite email").await?;
    one_time_token::sent_confirmation(tx, user.id, &code.hash, &user.email, true).await.context("Error inviting user")
}

pub(crate) async fn recovery(state: &AuthState, tx: &mut PgConnection, context: &MailContext<'_>) -> Result<()> {
    by_recovery_token(state, tx, context, MailKind::Recovery, "Error sending recovery email").await
}

pub(crate) async fn magic_link(state: &AuthState, tx: &mut PgConnection, context: &MailContext<'_>) -> Result<()> {
    by_recovery_token(state, tx, context, MailKind::MagicLink, "Error sending magic link email").await
}

async fn by_recovery_token(
    state: &AuthState,
    tx: &mut PgConnection,
    context: &MailContext<'_>,
    kind: MailKind,
    message: &'static str,
) -> Result<()> {
    let user = context.user;
    context.check_gap(state, user.recovery_sent_at)?;
    let code = fresh(state, &user.email, context.pkce);
    send(state, tx, context.mail(kind, &code), message).await?;
    one_time_token::sent_recovery(tx, user.id, &code.hash, &user.email).await.context(message)
}

/// Sends a confirmation of an e-mail address change to the new address, and also to the current address if `double_confirm_changes` is
/// enabled. Returns the count of the mails in the project's rate limit. The calling function must remove this count if it rolls back the
/// transaction, because then the queued mails are not sent. The count is empty if an HTTP hook has sent the mails already.
pub(crate) async fn email_change(
    state: &AuthState,
    tx: &mut PgConnection,
    context: &MailContext<'_>,
    new: &str,
) -> Result<MessageCount> {
    context.check_gap(state, context.user.email_change_sent_at)?;
    let count = if context.counted { MessageCount::default() } else { limit::take(state).await? };
    if let Err(unsent) = send_change(state, tx, context, new).await {
        return Err(unsent.settle(state, count).await).context("Error sending email change email");
    }
    Ok(if hook::sends_at_once(state) { MessageCount::default() } else { count })
}

async fn send_change(
    state: &AuthState,
    tx: &mut PgConnection,
    context: &MailContext<'_>,
    new: &str,
) -> Result<(), Unsent> {
    let user = context.user;
    let settings = &state.settings().email;
    let new_code = fresh(state, new, context.pkce);
    let current_code =
        (settings.double_confirm_changes && !user.email.is_empty()).then(|| fresh(state, &user.email, context.pkce));
    let current_hash = current_code.as_ref().map(|code| code.hash.as_str());
    if hook::is_on(state) {
        let codes = hook::Codes::of_change(&new_code, current_code.as_ref());
        let changing = User { email_change: new.to_owned(), ..user.clone() };
        hook::send(state, tx, context.client, &changing, MailKind::EmailChange, &codes, context.target, &[]).await?;
        let stored = one_time_token::sent_email_change(tx, user, new, Some(&new_code.hash), current_hash).await;
        return stored.map_err(|error| Unsent::uncertain(error.into()));
    }
    let addressed = |to, code| OutgoingMail { to, ..context.mail(MailKind::EmailChange, code) };
    let new_mail = OutgoingMail { more: &[("NewEmail", new), ("SendingTo", new)], ..addressed(new, &new_code) };
    post(state, tx, new_mail).await?;
    if let Some(code) = &current_code {
        let more = [("NewEmail", new), ("SendingTo", user.email.as_str())];
        post(state, tx, OutgoingMail { more: &more, ..addressed(&user.email, code) }).await?;
    }
    let stored = one_time_token::sent_email_change(tx, user, new, Some(&new_code.hash), current_hash).await;
    stored.map_err(|error| Unsent::certain(error.into()))
}

pub(crate) async fn reauthentication(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    client: &Client,
) -> Result<()> {
    const FAILED: &str = "Error sending reauthentication email";
    let context = MailContext { user, client, target: "", pkce: false, counted: false };
    context.check_gap(state, user.reauthentication_sent_at)?;
    let code = fresh(state, &user.email, false);
    send(state, tx, context.mail(MailKind::Reauthentication, &code), FAILED).await?;
    one_time_token::sent_reauthentication(tx, user.id, &code.hash, &user.email).await.context(FAILED)
}

/// Sends a notification mail about a change of the account, if the project has enabled the notification. Uses a savepoint, so that a failed
/// notification does not roll back the change.
pub(crate) async fn notification(
    state: &AuthState,
    tx: &mut PgConnection,
    kind: MailKind,
    user: &User,
    to: &str,
    more: &[(&str, &str)],
    client: &Client,
) {
    let wanted = state.settings().email.notification.get(kind.name()).is_some_and(|kind| kind.enabled);
    if !wanted || to.is_empty() {
        return;
    }
    let mail = OutgoingMail { kind, client, to, user, target: "", code: None, more, counted: false };
    let told = async {
        let mut attempt = tx.begin().await?;
        send(state, &mut attempt, mail, "Error sending notification email").await?;
        attempt.commit().await.map_err(AuthError::from)
    };
    if let Err(error) = told.await {
        error.log();
        tracing::warn!(
            mail.kind = kind.name(),
            user = %user.id,
            error = error.code(),
            "auth: notification mail to a user failed, the mail is not sent and not retried"
        );
    }
}

impl MailContext<'_> {
    fn mail<'a>(&'a self, kind: MailKind, code: &'a Code) -> OutgoingMail<'a> {
        OutgoingMail {
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

    /// Refuses a mail if the user received a mail of the same kind, at the time `last`, within the configured interval (`max_frequency`).
    /// Does nothing if the request was already counted (`counted`), because the count includes this check.
    fn check_gap(&self, state: &AuthState, last: Option<Time>) -> Result<()> {
        if self.counted { Ok(()) } else { limit::check_gap(last, state.settings().email.max_frequency) }
    }
}

fn fresh(state: &AuthState, address: &str, pkce: bool) -> Code {
    Code::new(state.settings().email.otp_length, address, pkce)
}

async fn send(state: &AuthState, tx: &mut PgConnection, mail: OutgoingMail<'_>, message: &'static str) -> Result<()> {
    let count = if mail.counted { MessageCount::default() } else { limit::take(state).await? };
    match post(state, tx, mail).await {
        Ok(()) => Ok(()),
        Err(unsent) => Err(unsent.settle(state, count).await).context(message),
    }
}

/// Passes a mail to the `send_email` hook, or renders the mail and queues it in the outbox in the transaction `tx`.
async fn post(state: &AuthState, tx: &mut PgConnection, mail: OutgoingMail<'_>) -> Result<(), Unsent> {
    if hook::is_on(state) {
        let code = mail.code.map(hook::Codes::of).unwrap_or_default();
        return hook::send(state, tx, mail.client, mail.user, mail.kind, &code, mail.target, mail.more).await;
    }
    queue(state, tx, &mail).await.map_err(Unsent::certain)
}

async fn queue(state: &AuthState, tx: &mut PgConnection, mail: &OutgoingMail<'_>) -> Result<()> {
    let rendered = state.mail_templates.render(mail.kind, &mail.variables(state));
    let to = mail.to.parse().map_err(|_| {
        AuthError::bad_request("email_address_invalid", format!("Email address {:?} is invalid", mail.to))
    })?;
    let message = Message::new(mail.kind.name(), [to], &rendered.subject, rendered.html)
        .context("Error sending email")?
        .requested_by(Some(mail.user.id));
    // Anyone who reads the link or code of a mail can use it, so the queued message is encrypted.
    let message = if mail.code.is_some() { message.sealed() } else { message };
    state.setup.mailer.queue(&mut *tx, &message).await.context("Error sending email").map(drop)
}

impl OutgoingMail<'_> {
    fn variables(&self, state: &AuthState) -> Variables {
        let mut variables = Variables::new();
        let mut set = |name: &str, value: &str| {
            variables.insert(name.to_owned(), Value::from(value));
        };
        set("SiteURL", state.redirect_urls().site());
        set("Email", &self.user.email);
        if let Some(code) = self.code {
            set("Token", &code.digits);
            if self.kind != MailKind::Reauthentication {
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

/// Builds the link of a mail. The link contains the host of the configured external URL, never a host from a request header.
pub(crate) fn link(state: &AuthState, action: &str, token: &str, target: &str) -> String {
    let target = if target.contains(['&', '=', '#']) {
        url::form_urlencoded::byte_serialize(target.as_bytes()).collect::<String>().into()
    } else {
        std::borrow::Cow::Borrowed(target)
    };
    format!("{}/verify?token={token}&type={action}&redirect_to={target}", state.external_url())
}
