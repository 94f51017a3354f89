//! Composes the mail to the club about an entry to an award, or about files that an entrant sent after the entry. The mail contains the
//! answers in the entry form and the files.

use cloch_functions::limits::{RateLimit, try_take_amount};
use cloch_functions::{FunctionError, Services};
use cloch_mail::{Address, Attachment, Message};

use super::letter::Letter;
use super::record::Record;
use super::{Job, Writer};
use crate::email_html;
use crate::settings::Recipients;
use crate::stored_files;

/// Storage bucket for files that the entry forms upload.
const BUCKET: &str = "youth-awards-submissions";
/// Storage bucket for uploads of music.
const MUSIC_BUCKET: &str = "music-uploads";
/// Maximum total size in bytes of the files attached to one mail. Mail servers commonly accept this size before base64 adds a third.
const MAX_ATTACHED_BYTES: u64 = 20 * 1024 * 1024;
/// Maximum total size of the files attached to mails in one hour, in KiB. The size is limited because the outbox keeps a copy of each file for weeks.
/// A class of thirty pupils sends about 300 MiB.
const ATTACHED_KB_HOURLY: u32 = 1024 * 1024;

/// Composes the mail of a job; returns `None` if the entry was deleted.
pub(super) async fn message(writer: &Writer, job: &Job) -> Result<Option<Message>, FunctionError> {
    let services = &*writer.services;
    let Some(entry) = Record::read(services.database.admin(), &job.award, job.entry).await? else { return Ok(None) };
    let letter = Letter::of(&job.award, &entry, &age_date(services).await?);
    let letter = letter.ok_or_else(|| FunctionError::internal(&format!("there is no award {}", job.award)))?;
    let mut link = services.site_url.join("/admin").map_err(|error| FunctionError::internal(&error))?;
    let is_extra = matches!(job.award.as_str(), "additional" | "music");
    match is_extra {
        // The back-office has no page for files that were sent later. It shows these files with the entry of the same name or in its
        // summary. The link leads to the summary.
        true => link.set_query(Some("tab=summary")),
        false => link.set_query(Some(&format!("tab={}&entry={}", job.award, job.entry))),
    }
    let bucket = if job.award == "music" { MUSIC_BUCKET } else { BUCKET };
    let files = gather(services, bucket, &entry.list("uploaded_files")).await?;
    let mut body = letter.html();
    body.push_str(&note(&files, link.as_str()));
    let html = email_html::document(&letter.subject, &body);
    let to = recipients(&writer.recipients, &job.award)?;
    let message = Message::new("entry", to, &letter.subject, html)?;
    let message = match letter.reply_to.parse::<Address>() {
        Ok(address) => message.with_reply_to(address),
        // Send the mail without a `Reply-To` address. The address check of the entry form accepts some addresses that are invalid in mails.
        Err(_) => message,
    };
    Ok(Some(files.attached.into_iter().fold(message, Message::with_attachment)))
}

/// Returns the reference day for ages in the words of the public website. The entry forms ask for the entrant's age on this day.
async fn age_date(services: &Services) -> Result<String, FunctionError> {
    let query = "select public.published_content() -> 'texts' ->> 'ageDateOrdinal'";
    let date: Option<String> = sqlx::query_scalar(query).fetch_one(services.database.admin()).await?;
    Ok(date.unwrap_or_else(|| "the day of the rules".to_owned()))
}

fn recipients(recipients: &Recipients, award: &str) -> Result<Vec<Address>, FunctionError> {
    let (key, addresses) = match award {
        "photographer" | "artist" => ("officerEmail", recipients.officer_email.iter().cloned().collect()),
        "additional" => ("filesEmails", recipients.files_emails.clone()),
        _ => ("awardsEmail", recipients.awards_email.iter().cloned().collect::<Vec<_>>()),
    };
    match addresses.is_empty() {
        true => Err(FunctionError::internal(&format!("cloch.toml: web.settings.{key} is not set"))),
        false => Ok(addresses),
    }
}

#[derive(Default)]
struct Files {
    attached: Vec<Attachment>,
    /// Names of the files that are not attached, because the files together are too large.
    left_out: Vec<String>,
    /// Number of files that the entry lists but the storage bucket does not contain.
    missing: usize,
}

async fn gather(services: &Services, bucket: &str, paths: &[String]) -> Result<Files, FunctionError> {
    if paths.is_empty() {
        return Ok(Files::default());
    }
    let found = stored_files::find_any(services, bucket, paths).await?;
    let mut files = Files { missing: paths.len().saturating_sub(found.len()), ..Files::default() };
    let total: u64 = found.iter().map(|file| file.size).sum();
    let hourly = RateLimit::hourly(ATTACHED_KB_HOURLY);
    let database = services.database.admin();
    let fits = total <= MAX_ATTACHED_BYTES
        && try_take_amount(database, "entry-mail/attached", total.div_ceil(1024), hourly).await?;
    for file in found {
        if fits {
            let bytes = stored_files::read(services, bucket, &file).await?;
            files.attached.push(Attachment::new(file.file_name(), &file.content_type, bytes.into()));
        } else {
            files.left_out.push(file.file_name().to_owned());
        }
    }
    Ok(files)
}

/// Returns the note in the mail about the files, as HTML. The link requires a sign-in, because files of minors must not be public.
fn note(files: &Files, link: &str) -> String {
    let link = email_html::escape(link);
    let mut note = format!("\n<hr><p><a href=\"{link}\">Open it in the back-office</a> (asks you to sign in).</p>");
    if !files.left_out.is_empty() {
        note.push_str("<p>The files are too large to attach. They are in the back-office:</p><ul>");
        for name in &files.left_out {
            note.push_str(&format!("<li>{}</li>", email_html::escape(name)));
        }
        note.push_str("</ul>");
    }
    if files.missing > 0 {
        note.push_str(&format!("<p>Files that were named and are not stored: {}.</p>", files.missing));
    }
    note
}
