//! Attachments of a mail: decides which files are allowed, and whether they are attached or linked.

use chrono::{TimeDelta, Utc};
use cloch_functions::limits::{RateLimit, try_take_amount};
use cloch_functions::{Call, FunctionError};
use cloch_mail::Attachment;

use crate::email_html;
use crate::stored_files;

/// Default bucket of attachments, which the award forms upload to.
const DEFAULT_BUCKET: &str = "youth-awards-submissions";
/// Maximum total size of attached files in bytes. Mail servers commonly accept this size before base64 adds a third.
const MAX_ATTACHED_BYTES: u64 = 20 * 1024 * 1024;
/// Maximum size of files attached to mails from one network per hour, in KiB. Further files are linked. Enough for a class of thirty pupils.
const VISITOR_ATTACHED_KB_HOURLY: u32 = 200 * 1024;
/// Lifetime of a link to a file in hours. It is short, because anyone with the mail has the link, and the files are those of minors.
const LINK_HOURS: i64 = 1;
/// Maximum age in minutes of a file that a visitor may attach. The file must belong to the submission just made.
const VISITOR_FILE_AGE_MINUTES: i64 = 60;

#[derive(Debug, Default)]
pub(super) struct Attached {
    pub(super) files: Vec<Attachment>,
    /// Name and link of each file, if the files are too large to be attached.
    links: Vec<(String, String)>,
    /// Number of named files that are not allowed or cannot be read.
    missing: usize,
}

impl Attached {
    /// Returns the note about the files as HTML.
    pub(super) fn note(&self) -> String {
        let mut note = String::new();
        if !self.links.is_empty() {
            let until = (Utc::now() + TimeDelta::hours(LINK_HOURS)).format("%-d %B %Y, %H:%M UTC");
            note.push_str(&format!(
                "\n<hr><p>The files are too large to attach. These links work until {until}; afterwards the files are in the back-office:</p><ul>"
            ));
            for (name, link) in &self.links {
                let (name, link) = (email_html::escape(name), email_html::escape(link));
                note.push_str(&format!("<li><a href=\"{link}\">{name}</a></li>"));
            }
            note.push_str("</ul>");
        }
        if self.missing > 0 {
            note.push_str(&format!(
                "\n<hr><p>Files that could not be attached: {}. Look for them in the back-office.</p>",
                self.missing
            ));
        }
        note
    }
}

/// Finds the named files and attaches or links them. An admin may name the files that the policies let the admin read. A visitor's files
/// must be new and in one folder (that of the submission); others are left out without revealing whether they exist.
pub(super) async fn gather(
    call: &Call,
    bucket: Option<&str>,
    paths: &[String],
    is_admin: bool,
) -> Result<Attached, FunctionError> {
    if paths.is_empty() {
        return Ok(Attached::default());
    }
    if !is_admin && !lie_in_one_folder(paths) {
        return Err(FunctionError::bad_input("attachments: all files must be of one submission"));
    }
    let bucket = bucket.unwrap_or(DEFAULT_BUCKET);
    let mut found = stored_files::find(call, bucket, paths, !is_admin).await?;
    if !is_admin {
        let oldest = Utc::now() - TimeDelta::minutes(VISITOR_FILE_AGE_MINUTES);
        found.retain(|file| file.created_at >= oldest);
    }
    let missing = paths.len().saturating_sub(found.len());
    let total: u64 = found.iter().map(|file| file.size).sum();
    let is_attached = total <= MAX_ATTACHED_BYTES && (is_admin || fits_the_outbox(call, total).await?);
    let mut attached = Attached { missing, ..Attached::default() };
    for file in found {
        if !is_attached {
            let link = stored_files::link(call.services(), bucket, &file, LINK_HOURS * 3600).await?;
            attached.links.push((file.file_name().to_owned(), link));
        } else {
            let bytes = stored_files::read(call.services(), bucket, &file).await?;
            attached.files.push(Attachment::new(file.file_name(), &file.content_type, bytes.into()));
        }
    }
    Ok(attached)
}

/// Whether copies of a visitor's files fit into the hourly limit of the outbox, which keeps mails for weeks. A linked file takes no space there.
async fn fits_the_outbox(call: &Call, bytes: u64) -> Result<bool, FunctionError> {
    let subject = format!("send-email/attached/{}", call.network());
    let hourly = RateLimit::hourly(VISITOR_ATTACHED_KB_HOURLY);
    try_take_amount(call.database().admin(), &subject, bytes.div_ceil(1024), hourly).await
}

fn lie_in_one_folder(paths: &[String]) -> bool {
    let folder = |path: &String| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let mut folders = paths.iter().map(folder);
    match folders.next() {
        Some(Some(first)) => folders.all(|other| other.as_deref() == Some(first.as_str())),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_folder(paths: &[&str]) -> bool {
        lie_in_one_folder(&paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn files_of_two_submissions_are_not_one() {
        assert!(!one_folder(&["artist/ann/1-a.png", "artist/bob/1-b.png"]));
        assert!(!one_folder(&["artist/ann/1-a.png", "musician/ann/1-b.png"]));
        assert!(!one_folder(&["a.png"]));
        assert!(one_folder(&["artist/ann/1-a.png", "artist/ann/2-b.png"]));
    }
}
