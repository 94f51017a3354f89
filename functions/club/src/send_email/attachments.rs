//! The files of a mail: which may be attached, and in which way.

use chrono::{TimeDelta, Utc};
use cloch_functions::limits::{RateLimit, try_take_amount};
use cloch_functions::{Call, FunctionError};
use cloch_mail::Attachment;

use crate::email_html;
use crate::stored_files;

/// Where the award forms upload to, unless the configuration says otherwise.
const DEFAULT_BUCKET: &str = "youth-awards-submissions";
/// What mail servers commonly take, before base64 makes it a third larger.
const MAX_ATTACHED_BYTES: u64 = 20 * 1024 * 1024;
/// Kibibytes of one network's files that go along in an hour, before they become links: a class of thirty.
const VISITOR_ATTACHED_KB_HOURLY: u32 = 200 * 1024;
/// Whoever holds the mail holds the link, and files of minors lie behind it.
const LINK_HOURS: i64 = 1;
/// A visitor's files are those of the submission just made.
const VISITOR_FILE_AGE_MINUTES: i64 = 60;

/// What goes with a mail.
#[derive(Debug, Default)]
pub(super) struct Attached {
    pub(super) files: Vec<Attachment>,
    /// File name and link, where the files are too large together.
    links: Vec<(String, String)>,
    /// Files that were named and may not or cannot be attached.
    missing: usize,
}

impl Attached {
    /// What the mail says about its files, as HTML.
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

/// Finds the named files and attaches or links them. An admin's are those that the database lets the admin read. A visitor's must lie
/// in one folder (a submission has one) and be new; others are left out without saying whether they exist.
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

/// Whether the outbox takes a copy of a visitor's files. It keeps it for weeks; a link costs nothing.
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
