//! Removes metadata from HEIF and AVIF files (ISO/IEC 23008-12, 14496-12). EXIF and XMP are items, and a table contains the file offsets of
//! all items. The table and the pixels keep their offsets: metadata items are overwritten by empty items of the same length. The
//! orientation is a property of the image and is kept.

mod items;

use super::blob_reader::{BlobReader, WINDOW_BYTES};
use super::boxes::{FileBox, boxes};
use super::edits::Edits;
use super::{broken, exif, movie, refused};
use crate::error::Result;

/// Prefix of an EXIF item: the offset of the TIFF structure within the item.
const TIFF_OFFSET: [u8; 4] = [0; 4];
/// Boxes inside the `meta` box that are needed for the image. Other boxes, such as XML and user data, are changed to type `free`, which
/// readers skip.
const KEPT_IN_META: [&[u8; 4]; 9] = [b"hdlr", b"pitm", b"iinf", b"iloc", b"iprp", b"iref", b"idat", b"dinf", b"grpl"];
/// Image properties with private data: descriptions, creation and modification times, camera and lens data.
const PRIVATE_PROPERTIES: [&[u8; 4]; 7] = [b"udes", b"altt", b"uuid", b"crtt", b"mdft", b"cmin", b"cmex"];
/// Offset of the name in a handler box.
const HANDLER_NAME: u64 = 24;

/// Finds the items and boxes of a HEIF file that do not belong to the image. Data after the last box of the image (such as a video) is
/// removed.
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

/// Empties the items of a `meta` box that do not belong to the image. Returns whether the box has a table of items.
async fn meta(reader: &mut BlobReader, meta: FileBox, edits: &mut Edits) -> Result<bool> {
    if meta.end - meta.start > WINDOW_BYTES as u64 {
        return Err(refused("the table of a HEIF file is too large"));
    }
    // The `meta` box begins with version and flags, which are skipped.
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
            // An item that is missing in `iinf` is refused too, because some readers could show it.
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

/// Changes image properties with private data to type `free`, which readers skip. Each property keeps its index in the list of properties,
/// because other boxes refer to a property by its index.
async fn properties(reader: &mut BlobReader, parent: FileBox, edits: &mut Edits) -> Result<()> {
    for one in boxes(reader, parent.content()).await?.ok_or_else(|| broken("HEIF"))? {
        if &one.kind == b"ipco" {
            let all = boxes(reader, one.content()).await?.ok_or_else(|| broken("HEIF"))?;
            all.iter().filter(|one| PRIVATE_PROPERTIES.contains(&&one.kind)).for_each(|one| one.hide(edits));
        }
    }
    Ok(())
}

/// Returns the box of the type `kind`, or `None` if there is no such box.
///
/// # Errors
/// If there are several boxes of this type.
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
