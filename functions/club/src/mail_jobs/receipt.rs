//! Writes the receipt for entries to the parent, guardian or nominator. The receipt lists the received entries and explains how to have an entry
//! corrected, withdrawn or deleted.
//!
//! Anyone may type any address into the entry form, and the address is not verified. Therefore the receipt contains no typed text and no names, only
//! the award, choices from lists, the number of files, the time, and a reference for the club. The number of receipts per mailbox is limited
//! (`club.take_receipt`); later entries are listed together in the next receipt. To withdraw an entry, the sender writes to the club, which verifies
//! the sender by the contents of the entry. A withdrawal link would work for anyone with the mail, including link scanners.

use cloch_functions::{FunctionError, Services};
use cloch_mail::{Address, Message};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Job, Writer, queue};
use crate::email_html::{self, escape};
use crate::settings::Recipients;

/// Maximum number of entries in one receipt. Further entries are listed in the next receipt.
const MAX_ENTRIES: i64 = 200;

#[derive(Debug, sqlx::FromRow)]
struct Received {
    job: Uuid,
    award: String,
    entry: Uuid,
    category: Option<String>,
    files: i32,
    publicity_consent: Option<String>,
    /// Day and time in Gourock (Europe/London) at which the entry was received.
    received: String,
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
    let received = waiting(&mut transaction, &to).await?;
    // Either a second worker has closed the job in the meantime, or earlier entries of the mailbox fill the receipt. In the second case,
    // this job stays for the next receipt.
    if !received.iter().any(|entry| entry.job == job.id) {
        return Ok(transaction.rollback().await?);
    }
    let jobs: Vec<Uuid> = received.iter().map(|entry| entry.job).collect();
    if put_off(&mut transaction, &to, &jobs).await? {
        return Ok(transaction.commit().await?);
    }
    let message = message(services, &writer.recipients, to, &received)?;
    let id = services.mailer.queue(&mut *transaction, &message).await?;
    for job in jobs {
        queue::finish(&mut *transaction, job, Some(id)).await?;
    }
    Ok(transaction.commit().await?)
}

/// Returns the entries whose receipts to the mailbox of `to` are due, oldest first, and locks their mail jobs.
async fn waiting(transaction: &mut PgConnection, to: &Address) -> sqlx::Result<Vec<Received>> {
    sqlx::query_as(
        "select j.id as job, r.award, r.entry, r.category, r.files, r.publicity_consent,
                to_char(r.created_at at time zone 'Europe/London', 'FMDD FMMonth YYYY, HH24:MI') as received
           from club.mail_jobs as j
           join club.receipts as r on r.award = j.award and r.entry = j.entry
          where j.kind = 'receipt' and j.state = 'queued' and club.mailbox(r.address) = club.mailbox($1)
          order by j.created_at, j.id
          limit $2
            for update of j",
    )
    .bind(to.as_str())
    .bind(MAX_ENTRIES)
    .fetch_all(transaction)
    .await
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

fn message(
    services: &Services,
    recipients: &Recipients,
    to: Address,
    received: &[Received],
) -> Result<Message, FunctionError> {
    let club = recipients.club_email.as_ref().or(recipients.awards_email.as_ref());
    let club = club.ok_or_else(|| FunctionError::internal(&"cloch.toml: web.settings.clubEmail is not set"))?;
    let privacy = services.site_url.join("/privacy").map_err(|error| FunctionError::internal(&error))?;
    let subject = match received {
        [one] => format!("We have received a {}", what(&one.award)),
        many => format!("We have received {} entries to the youth awards", many.len()),
    };
    let name = recipients.club_name.as_deref().unwrap_or("The club");
    let html = email_html::document(&subject, &body(name, club.as_str(), privacy.as_str(), received));
    Ok(Message::new("receipt", [to], &subject, html)?.with_reply_to(club.clone()))
}

fn body(club_name: &str, club_email: &str, privacy: &str, received: &[Received]) -> String {
    let (name, email) = (escape(club_name), escape(club_email));
    let list: String = received.iter().map(|entry| format!("<li>{}</li>\n", escape(&line(entry)))).collect();
    format!(
        "<p>Hello,</p>\n<p>{name} has received this for the youth awards. Whoever filled in the form gave your address as the \
         one of the parent or guardian, or of the nominator.</p>\n<ul>\n{list}</ul>\n\
         <p>This mail names nobody, in case the address was mistyped. The club finds the entry by its reference.</p>\n\
         <h3>To correct it, withdraw it or have it deleted</h3>\n\
         <p>Write to <a href=\"mailto:{email}\">{email}</a>, or answer this mail, and give the reference. An entry that is \
         withdrawn is no longer judged or counted; one that is deleted is gone with its files. We may ask you something back first, \
         to be sure who you are.</p>\n\
         <h3>You know nothing of this?</h3>\n<p>Then somebody mistyped their address. Tell us, and we put it right.</p>\n\
         <p>What we keep, and for how long: <a href=\"{0}\">{0}</a></p>",
        escape(privacy)
    )
}

/// Returns the line about an entry in the receipt, for example "Young Artist entry, Senior (14-17), 2 files, publicity: agreed. Received on 3
/// September 2026, 14:05. Reference 3F2A9C1B."
fn line(entry: &Received) -> String {
    let mut parts = vec![what(&entry.award).to_owned()];
    parts.extend(category(entry.category.as_deref()).map(str::to_owned));
    parts.push(match entry.files {
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    });
    let publicity = match (entry.award.as_str(), entry.publicity_consent.as_deref()) {
        // The nomination form has no question about publicity.
        ("citizen", _) => None,
        (_, Some("agree")) => Some("publicity: agreed"),
        (_, Some("disagree")) => Some("publicity: not agreed"),
        _ => Some("publicity: not specified"),
    };
    parts.extend(publicity.map(str::to_owned));
    format!("{}. Received on {}. Reference {}.", parts.join(", "), entry.received, reference(entry.entry))
}

fn what(award: &str) -> &'static str {
    match award {
        "citizen" => "Young Citizen Award nomination",
        "musician" => "Young Musician entry",
        "photographer" => "Young Photographer entry",
        "artist" => "Young Artist entry",
        _ => "youth awards entry",
    }
}

/// Returns the category of an entry in the words of the entry form, or `None` for an unknown value, which may be text typed by a stranger.
fn category(category: Option<&str>) -> Option<&'static str> {
    Some(match category? {
        "individual" => "Individual",
        "group" => "Group",
        "vocal" => "Vocal",
        "instrumental" => "Instrumental",
        "junior" => "Junior (under 10)",
        "intermediate" => "Intermediate (11-13)",
        "senior" => "Senior (14-17)",
        _ => return None,
    })
}

/// Returns the reference of an entry: the beginning of the entry's id, as in the back-office.
fn reference(entry: Uuid) -> String {
    entry.simple().to_string().chars().take(8).collect::<String>().to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(award: &str, category: &str) -> Received {
        Received {
            job: Uuid::nil(),
            award: award.to_owned(),
            entry: Uuid::from_u128(0x3f2a_9c1b << 96),
            category: Some(category.to_owned()),
            files: 1,
            publicity_consent: Some("https://evil.example".to_owned()),
            received: "3 September 2026, 14:05".to_owned(),
        }
    }

    #[test]
    fn nothing_that_was_typed_is_in_it() {
        for award in ["citizen", "musician", "photographer", "artist", "evil.example"] {
            assert!(!line(&received(award, "https://evil.example")).contains("evil"));
        }
    }

    #[test]
    fn an_entry_is_told_in_plain_words() {
        let words = "Young Artist entry, Senior (14-17), 1 file, publicity: not specified. \
                     Received on 3 September 2026, 14:05. Reference 3F2A9C1B.";
        assert_eq!(line(&received("artist", "senior")), words);
    }
}
