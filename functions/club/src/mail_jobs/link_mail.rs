//! Writes the mail with links to entries, for a visitor who has lost the link that the page showed after an entry was sent.
//!
//! Anyone may request this mail for any address. The mail is sent only to the address of an entry, as it is stored. The request is answered
//! before this worker looks for entries, so neither the response nor its duration reveals whether there is one. The token of a link is stored as
//! a hash, so each mail contains new links. They work for a day, because nobody has verified the address, and mails are forwarded. Like a receipt,
//! the mail contains no typed text and no names.

use cloch_functions::FunctionError;
use cloch_mail::{Address, Message};
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::received::{RECEIVED_AT, Received};
use super::{Job, Writer, queue};
use crate::email_html::{self, escape};

/// Kind of the mail job, and of the mail in the outbox.
pub(super) const KIND: &str = "entry_link";

const SUBJECT: &str = "Your link to your entry to the youth awards";

/// An entry with the requested address, and its new link.
struct Linked {
    received: Received,
    link: String,
}

/// Queues the mail that the request `job` asks for, and deletes the request. Queues no mail if the address has no entry that can be
/// corrected now, or if the address has reached its limit of mails.
pub(super) async fn write(writer: &Writer, job: &Job) -> Result<(), FunctionError> {
    let services = &*writer.services;
    let mut transaction = cloch_sql::transaction::begin(services.database.admin()).await?;
    let Some(to) = recipient(&mut transaction, job.entry).await? else {
        queue::finish(&mut *transaction, job.id, None).await?;
        return Ok(transaction.commit().await?);
    };
    let entries = linked(&mut transaction, writer, &to).await?;
    let html = email_html::document(SUBJECT, &body(writer.recipients.reply_to()?.as_str(), &entries));
    let message =
        Message::new(KIND, [to], SUBJECT, html)?.with_reply_to(writer.recipients.reply_to()?.clone()).sealed();
    let id = services.mailer.queue(&mut *transaction, &message).await?;
    // A second worker has closed the job in the meantime, so this mail and its links are discarded.
    if !queue::finish(&mut *transaction, job.id, Some(id)).await? {
        return Ok(transaction.rollback().await?);
    }
    for entry in &entries {
        queue::record(&mut *transaction, KIND, &entry.received.award, entry.received.entry, id).await?;
    }
    Ok(transaction.commit().await?)
}

/// Deletes the request. Returns the stored address of its entries, or `None` if no mail is to be sent.
async fn recipient(transaction: &mut PgConnection, request: Uuid) -> sqlx::Result<Option<Address>> {
    let query = "with request as (delete from club.link_requests where id = $1 returning address)
                 select e.stored_address from request cross join lateral club.entries_of_address(request.address) as e limit 1";
    let stored: Option<String> = sqlx::query_scalar(query).bind(request).fetch_optional(&mut *transaction).await?;
    let Some(to) = stored.and_then(|address| address.parse::<Address>().ok()) else { return Ok(None) };
    let is_allowed: bool =
        sqlx::query_scalar("select club.take_link_mail($1)").bind(to.as_str()).fetch_one(transaction).await?;
    Ok(is_allowed.then_some(to))
}

async fn linked(transaction: &mut PgConnection, writer: &Writer, to: &Address) -> Result<Vec<Linked>, FunctionError> {
    let query = format!(
        "select r.award, r.entry, r.category, r.files, r.publicity_consent, {RECEIVED_AT} from club.entries_of_address($1) as r"
    );
    let entries: Vec<Received> =
        sqlx::query_as(AssertSqlSafe(query)).bind(to.as_str()).fetch_all(&mut *transaction).await?;
    let mut linked = Vec::with_capacity(entries.len());
    for received in entries {
        let token: String = sqlx::query_scalar("select club.make_entry_link($1, $2)")
            .bind(&received.award)
            .bind(received.entry)
            .fetch_one(&mut *transaction)
            .await?;
        let mut page = writer.services.site_url.join("/my-entry").map_err(|error| FunctionError::internal(&error))?;
        page.set_fragment(Some(&format!("entry={token}")));
        linked.push(Linked { received, link: page.into() });
    }
    Ok(linked)
}

fn body(club_email: &str, entries: &[Linked]) -> String {
    let email = escape(club_email);
    let list: String = entries
        .iter()
        .map(|Linked { received, link }| {
            let link = escape(link);
            format!("<li>{}<br><a href=\"{link}\">{link}</a></li>\n", escape(&received.line()))
        })
        .collect();
    format!(
        "<p>Hello,</p>\n<p>somebody has asked on our website for the link to an entry with your address. With it you can see what was \
         sent, correct it and add files.</p>\n<ul>\n{list}</ul>\n\
         <p>A link works for a day, and at most until the last day for entries. Keep this mail to yourself: whoever has a link can see and \
         change the entry.</p>\n\
         <p>You did not ask for it? Then you need not do anything. If the entry is none of yours, please tell us: \
         <a href=\"mailto:{email}\">{email}</a>.</p>"
    )
}
