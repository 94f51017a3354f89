//! Writes the receipt for entries to the parent, guardian or nominator. The receipt lists the received entries and explains how to have an entry
//! corrected, withdrawn or deleted.
//!
//! Anyone may type any address into the entry form, and the address is not verified. Therefore the receipt contains no typed text and no names, only
//! the award, choices from lists, the number of files, the time, and a reference for the club. The number of receipts per mailbox is limited
//! (`club.take_receipt`); later entries are listed together in the next receipt. To withdraw an entry, the sender writes to the club, which verifies
//! the sender by the contents of the entry. A withdrawal link would work for anyone with the mail, including link scanners.

use cloch_functions::{FunctionError, Services};
use cloch_mail::{Address, Message};
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use super::received::{RECEIVED_AT, Received};
use super::{Job, Writer, queue};
use crate::email_html::{self, escape};
use crate::settings::Recipients;

/// Maximum number of entries in one receipt. Further entries are listed in the next receipt.
const MAX_ENTRIES: i64 = 200;

/// An entry whose receipt is due, and the mail job of the receipt.
#[derive(Debug, sqlx::FromRow)]
struct Waiting {
    job: Uuid,
    #[sqlx(flatten)]
    received: Received,
}

/// A receipt before it is queued.
pub(crate) struct Receipt {
    pub(crate) subject: String,
    pub(crate) html: String,
}

/// Queues one receipt for all entries that need a receipt to the same mailbox as the entry of `job`, and closes the jobs of these entries.
/// If the mailbox has reached its limit of receipts, postpones the jobs.
pub(super) async fn write(writer: &Writer, job: &Job) -> Result<(), FunctionError> {
    let services = &*writer.services;
    let mut transaction = cloch_sql::transaction::begin(services.database.admin()).await?;
    let address: Option<Option<String>> =
        sqlx::query_scalar("select address from club.receipts where award = $1 and entry = $2")
            .bind(&job.award)
            .bind(job.entry)
            .fetch_optional(&mut *transaction)
            .await?;
    // The entry was deleted, or its address is invalid, because the address check of the entry form accepts addresses that are invalid in mails.
    let Some(to) = address.flatten().and_then(|text| text.parse::<Address>().ok()) else {
        queue::finish(&mut *transaction, job.id, None).await?;
        return Ok(transaction.commit().await?);
    };
    let waiting = waiting(&mut transaction, &to).await?;
    // Either a second worker has closed the job in the meantime, or earlier entries of the mailbox fill the receipt. In the second case,
    // this job stays for the next receipt.
    if !waiting.iter().any(|entry| entry.job == job.id) {
        return Ok(transaction.rollback().await?);
    }
    let (jobs, received): (Vec<Uuid>, Vec<Received>) =
        waiting.into_iter().map(|entry| (entry.job, entry.received)).unzip();
    if put_off(&mut transaction, &to, &jobs).await? {
        return Ok(transaction.commit().await?);
    }
    let receipt = compose(&mut transaction, services, &writer.recipients, &received).await?;
    let club = writer.recipients.reply_to()?.clone();
    let message = Message::new("receipt", [to], &receipt.subject, receipt.html)?.with_reply_to(club);
    let id = services.mailer.queue(&mut *transaction, &message).await?;
    for job in jobs {
        queue::finish(&mut *transaction, job, Some(id)).await?;
    }
    Ok(transaction.commit().await?)
}

/// Returns the entries whose receipts to the mailbox of `to` are due, oldest first, and locks their mail jobs.
async fn waiting(transaction: &mut PgConnection, to: &Address) -> sqlx::Result<Vec<Waiting>> {
    let query = format!(
        "select j.id as job, r.award, r.entry, r.category, r.files, r.publicity_consent, {RECEIVED_AT}
           from club.mail_jobs as j
           join club.receipts as r on r.award = j.award and r.entry = j.entry
          where j.kind = 'receipt' and j.state = 'queued' and club.mailbox(r.address) = club.mailbox($1)
          order by j.created_at, j.id
          limit $2
            for update of j"
    );
    sqlx::query_as(AssertSqlSafe(query)).bind(to.as_str()).bind(MAX_ENTRIES).fetch_all(transaction).await
}

/// Composes the receipt of one entry as it is sent, with the address to which it is sent. Returns `None` if the entry was deleted.
pub(crate) async fn preview(
    services: &Services,
    recipients: &Recipients,
    award: &str,
    entry: Uuid,
) -> Result<Option<(String, Receipt)>, FunctionError> {
    #[derive(sqlx::FromRow)]
    struct Addressed {
        address: String,
        #[sqlx(flatten)]
        received: Received,
    }
    let query = format!(
        "select r.address, r.award, r.entry, r.category, r.files, r.publicity_consent, {RECEIVED_AT}
           from club.receipts as r
          where r.award = $1 and r.entry = $2"
    );
    let mut connection = services.database.admin().acquire().await?;
    let found: Option<Addressed> =
        sqlx::query_as(AssertSqlSafe(query)).bind(award).bind(entry).fetch_optional(&mut *connection).await?;
    let Some(found) = found else { return Ok(None) };
    let receipt = compose(&mut connection, services, recipients, &[found.received]).await?;
    Ok(Some((found.address, receipt)))
}

/// Counts a receipt towards the limit of the mailbox. If the limit is reached, postpones the given jobs until the next receipt is allowed.
/// Returns whether the jobs were postponed.
async fn put_off(transaction: &mut PgConnection, to: &Address, jobs: &[Uuid]) -> sqlx::Result<bool> {
    let put_off = sqlx::query_scalar::<_, i64>(
        "with turn as (select club.take_receipt(club.mailbox($1)) as wait),
              later as (update club.mail_jobs set due_at = now() + turn.wait, attempts = 0
                          from turn where id = any ($2) and turn.wait > interval '0' returning id)
         select count(*) from later",
    )
    .bind(to.as_str())
    .bind(jobs)
    .fetch_one(transaction)
    .await?;
    Ok(put_off > 0)
}

/// Composes the receipt for these entries.
async fn compose(
    connection: &mut PgConnection,
    services: &Services,
    recipients: &Recipients,
    received: &[Received],
) -> Result<Receipt, FunctionError> {
    let is_open: bool =
        sqlx::query_scalar("select not c.is_closed from club.closed_entries() as c").fetch_one(connection).await?;
    let page =
        |path: &str| services.site_url.join(path).map(String::from).map_err(|error| FunctionError::internal(&error));
    let subject = match received {
        [one] => format!("We have received a {}", one.what()),
        many => format!("We have received {} entries to the youth awards", many.len()),
    };
    let pages = Pages {
        privacy: page("/privacy")?,
        // After the last day for entries, nobody can correct an entry.
        my_entry: if is_open { Some(page("/my-entry")?) } else { None },
    };
    let name = recipients.club_name.as_deref().unwrap_or("The club");
    let html = email_html::document(&subject, &body(name, recipients.reply_to()?.as_str(), &pages, received));
    Ok(Receipt { subject, html })
}

/// Pages of the website to which a receipt links.
struct Pages {
    privacy: String,
    my_entry: Option<String>,
}

fn body(club_name: &str, club_email: &str, pages: &Pages, received: &[Received]) -> String {
    let (name, email) = (escape(club_name), escape(club_email));
    let list: String = received.iter().map(|entry| format!("<li>{}</li>\n", escape(&entry.line()))).collect();
    let privacy = escape(&pages.privacy);
    let see = pages.my_entry.as_ref().map_or_else(String::new, |page| {
        format!(
            "<h3>To see it, correct it or add files</h3>\n\
             <p>Open <a href=\"{0}\">{0}</a> and type the address that this mail came to. You then get a mail with a link, which works \
             for a day.</p>\n",
            escape(page)
        )
    });
    format!(
        "<p>Hello,</p>\n<p>{name} has received this for the youth awards. Whoever filled in the form gave your address as the \
         one of the parent or guardian, or of the nominator.</p>\n<ul>\n{list}</ul>\n\
         <p>This mail names nobody, in case the address was mistyped. The club finds the entry by its reference.</p>\n{see}\
         <h3>To have it corrected, withdrawn or deleted</h3>\n\
         <p>Write to <a href=\"mailto:{email}\">{email}</a>, or answer this mail, and give the reference. An entry that is \
         withdrawn is no longer judged or counted; one that is deleted is gone with its files. We may ask you something back first, \
         to be sure who you are.</p>\n\
         <h3>You know nothing of this?</h3>\n<p>Then somebody mistyped their address. Tell us, and we put it right.</p>\n\
         <p>What we keep, and for how long: <a href=\"{privacy}\">{privacy}</a></p>"
    )
}
