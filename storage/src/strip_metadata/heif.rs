//! HEIF and AVIF (ISO/IEC 23008-12, 14496-12): EXIF and XMP are items, whose offsets in the file a table has. The table and the pixels
//! stay where they are, and the items become empty ones of the same length. Orientation is a property of the image here.

mod items;

use super::blob_reader::{BlobReader, WINDOW_BYTES};
use super::boxes::{FileBox, boxes};
use super::edits::Edits;
use super::{broken, exif, movie, refused};
use crate::error::Result;

/// Before EXIF data stands where in them the TIFF structure begins.
const TIFF_OFFSET: [u8; 4] = [0; 4];
/// The boxes of the table of items. Others, among them XML and user data, are hidden.
const KEPT_IN_META: [&[u8; 4]; 9] = [b"hdlr", b"pitm", b"iinf", b"iloc", b"iprp", b"iref", b"idat", b"dinf", b"grpl"];
/// Properties of images that describe them in words, say when they were made, or with which lens.
const PRIVATE_PROPERTIES: [&[u8; 4]; 7] = [b"udes", b"altt", b"uuid", b"crtt", b"mdft", b"cmin", b"cmex"];
/// Where the name of a handler begins in its box.
const HANDLER_NAME: u64 = 24;

/// Finds the items and boxes that are no picture. What follows the last box of the picture (a video) is left out.
pub(super) async fn find(reader: &mut BlobReader, has_tracks: bool) -> Result<Edits> {
    let all = boxes(reader, 0..reader.size()).await?.ok_or_else(|| broken("HEIF"))?;
    let (mut edits, mut hidden, mut kept_end, mut has_picture) = (Edits::default(), Vec::new(), 0, false);
    for one in all {
        match &one.kind {
            b"ftyp" | b"mdat" => {}
            b"meta" => {
                has_picture |= meta(reader, one, &mut edits).await?;
            }
            b"moov" if has_tracks => {
                has_picture = true;
                movie::find(reader, one, &mut edits).await?;
            }
            _ => {
                hidden.push(one);
                continue;
            }
        }
        kept_end = one.end;
    }
    if !has_picture {
        return Err(broken("HEIF"));
    }
    for one in hidden.into_iter().filter(|one| one.start < kept_end) {
        one.hide(&mut edits);
    }
    edits.remove(kept_end..reader.size());
    Ok(edits)
}

/// Empties the items of a `meta` box that are no pictures; returns whether it has items.
async fn meta(reader: &mut BlobReader, meta: FileBox, edits: &mut Edits) -> Result<bool> {
    if meta.end - meta.start > WINDOW_BYTES as u64 {
        return Err(refused("the table of a HEIF file is too large"));
    }
    // Version and flags.
    let children = boxes(reader, meta.content + 4..meta.end).await?.ok_or_else(|| broken("HEIF"))?;
    for one in children.iter().filter(|one| !KEPT_IN_META.contains(&&one.kind)) {
        one.hide(edits);
    }
    for one in &children {
        match &one.kind {
            b"hdlr" => edits.blank((one.content + HANDLER_NAME).min(one.end)..one.end),
            b"iprp" => properties(reader, *one, edits).await?,
            _ => {}
        }
    }
    let (Some(info), Some(places)) = (only(&children, b"iinf")?, only(&children, b"iloc")?) else { return Ok(false) };
    let data = only(&children, b"idat")?.map_or(0, |one| one.content);
    let (info, places) = (content(reader, info).await?, content(reader, places).await?);
    let kinds = items::kinds(&info)?;
    let places = items::places(&places, data)?;
    for place in places {
        match kinds.get(&place.id) {
            Some(items::Kind::Picture) => {}
            Some(kind) if place.is_in_file && !place.range.is_empty() && place.range.end <= reader.size() => {
                empty(*kind, place.range, edits);
            }
            // Also for an item that the other table does not have: it could be what one reader shows and another does not.
            Some(_) | None => return Err(broken("HEIF")),
        }
    }
    Ok(true)
}

fn empty(kind: items::Kind, range: std::ops::Range<u64>, edits: &mut Edits) {
    let empty = [TIFF_OFFSET.as_slice(), &exif::minimal(1)].concat();
    let start = range.start + empty.len() as u64;
    if kind == items::Kind::Exif && start <= range.end {
        edits.replace(range.start..start, empty);
        edits.blank(start..range.end);
    } else {
        edits.blank(range);
    }
}

/// Hides properties that describe a picture to people. Their places in the list stay.
async fn properties(reader: &mut BlobReader, parent: FileBox, edits: &mut Edits) -> Result<()> {
    for one in boxes(reader, parent.content()).await?.ok_or_else(|| broken("HEIF"))? {
        if &one.kind == b"ipco" {
            let all = boxes(reader, one.content()).await?.ok_or_else(|| broken("HEIF"))?;
            all.iter().filter(|one| PRIVATE_PROPERTIES.contains(&&one.kind)).for_each(|one| one.hide(edits));
        }
    }
    Ok(())
}

/// The box of a type, of which there may be one.
fn only(boxes: &[FileBox], kind: &[u8; 4]) -> Result<Option<FileBox>> {
    let mut found = boxes.iter().filter(|one| &one.kind == kind);
    match (found.next(), found.next()) {
        (found, None) => Ok(found.copied()),
        _ => Err(broken("HEIF")),
    }
}

async fn content(reader: &mut BlobReader, one: FileBox) -> Result<bytes::Bytes> {
    reader.bytes(one.content, usize::try_from(one.end - one.content).unwrap_or(WINDOW_BYTES)).await
}
