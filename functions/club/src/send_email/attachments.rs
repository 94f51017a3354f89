//! Attachments of a mail: determines which files are allowed, and whether the files are attached or linked.

use chrono::{TimeDelta, Utc};
use cloch_functions::limits::{RateLimit, try_take_amount};
use cloch_functions::{Call, FunctionError};
use cloch_mail::Attachment;

use crate::email_html;
use crate::stored_files;

/// Default storage bucket of attachments, to which the award forms upload files.
const DEFAULT_BUCKET: &str = "youth-awards-submissions";
/// Maximum total size in bytes of the files attached to one mail. Mail servers commonly accept this size before base64 adds a third.
const MAX_ATTACHED_BYTES: u64 = 20 * 1024 * 1024;
/// Maximum total size in KiB of the files that mails from one client network (an IPv4 address or an IPv6 /64) attach in one hour, enough for a
/// class of thirty pupils. Further files are linked.
const VISITOR_ATTACHED_KB_HOURLY: u32 = 200 * 1024;
/// Lifetime of a link to a file in hours. The lifetime is short, because anyone with the mail has the link, and the files belong to minors.
const LINK_HOURS: i64 = 1;
/// Maximum age in minutes of a file that a visitor (a caller without a session) may attach, because the file must belong to the submission that was
/// just made.
const VISITOR_FILE_AGE_MINUTES: i64 = 60;

#[derive(Debug, Default)]
pub(super) struct Attached {
    pub(super) files: Vec<Attachment>,
    /// Name and link of each file that is linked because the files are too large to be attached.
    links: Vec<(String, String)>,
    /// Number of files that the request lists but that are not allowed or cannot be read.
    missing: usize,
}

impl Attached {
    /// Returns the note in the mail about links and missing files, as HTML.
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

/// Finds the files that the request lists, and attaches or links them. An administrator may list all files that policies allow the
/// administrator to read. Files of other callers must be new and in one folder (the folder of the submission). Missing files and disallowed
/// files are left out in the same way, so that the response does not reveal whether a file exists.
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

/// Whether the caller's network (an IPv4 address or an IPv6 /64) may still attach files of `bytes` bytes in this hour. The size is limited
/// because the outbox keeps attached files for weeks. A linked file takes no space in the outbox.
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
