//! Tests images with hidden metadata. Data that decoders skip is removed. Images that cannot be parsed completely are refused.

use image::ImageFormat;

use crate::stripping::{SECRET, gif, heif, holds, jpeg, picture, pixels, png, profile, put, stored, webp, world};
use crate::support::World;

async fn is_refused(world: &World, kind: &str, bytes: &[u8], why: &str) {
    let asked = world.ask("PUT", "/object/b/refused").service().header("content-type", kind);
    let reply = asked.body(bytes.to_vec()).await.refused("400", "InvalidRequest");
    assert!(reply.text().contains("stores pictures without metadata"), "{}", reply.text());
    assert!(reply.text().contains(why), "{}: {why}", reply.text());
}

#[tokio::test]
async fn a_picture_that_cannot_be_followed_to_its_end_is_refused() {
    let world = world().await;
    let (webp, gif, png, jpeg) = (webp(), gif(), png(), jpeg());
    // The WebP file is truncated within its EXIF chunk, as after a lost connection.
    let cut = webp.windows(4).position(|window| window == b"EXIF").unwrap() + 30;
    let two_beginnings = [&jpeg[..2], &jpeg].concat();
    for (bytes, why) in [
        (&b"\xff\xd8\xff\xe0"[..], "JPEG"),
        (b"\xff\xd8\xff\xe1\xff\xffExif", "JPEG"),
        (b"\xff\xd8", "JPEG"),
        (&two_beginnings, "JPEG"),
        (b"\x89PNG\r\n\x1a\n\xff\xff\xff\xfftEXt", "PNG"),
        (&png[..100], "PNG"),
        (b"RIFF\xff\xff\xff\xffWEBPEXIF\xff\xff\xff\xff", "WebP"),
        (&webp[..cut], "WebP"),
        (b"GIF89a\0\0\0\0\xf7\0\0", "GIF"),
        (&gif[..gif.len() / 2], "GIF"),
        (b"II*\0\xff\xff\xff\xff", "TIFF"),
        (b"II*\0\x08\0\0\0\xff\xff", "TIFF"),
        (b"\0\0\0\x14ftypheic\0\0\0\0mif1\0\0\0\x0ametaxx", "HEIF"),
        (b"\0\0\0\x14ftypheic\0\0\0\0mif1\0\0\0\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff", "HEIF"),
        (b"II+\0\x08\0\0\0", "BigTIFF"),
        (b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0", "BMP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><metadata>x</metadata></svg>", "SVG"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000"),
        (&[b"\r\n".as_slice(), &jpeg].concat(), "before its beginning"),
        (&[b"\xd7\xd0\x98\xba".as_slice(), &heif().0].concat(), "before its beginning"),
    ] {
        // The image is refused whatever media type is declared.
        is_refused(&world, "application/octet-stream", bytes, why).await;
        is_refused(&world, "image/jpeg", bytes, why).await;
    }
    is_refused(&world, "image/x-new", b"no known picture", "image/x-new").await;
    let asked = world.ask("PUT", "/object/b/refused").service().header("content-type", "image/jpeg");
    asked.header("content-encoding", "gzip").body(&b"\x1f\x8b"[..]).await.refused("400", "InvalidRequest");
    world.settle(0).await;
    assert_eq!(world.count("select count(*) from storage.objects").await, 0);
    for (kind, bytes) in [("text/plain", &b"no picture"[..]), ("image/png", b"")] {
        put(&world, "b/a", kind, bytes).await;
        assert_eq!(stored(&world, "b/a").await, bytes);
    }
}

/// Tests that an image that is truncated at any position is either refused or stored without its metadata.
#[tokio::test]
async fn a_picture_that_is_cut_off_tells_nothing() {
    let world = world().await;
    for file in [jpeg(), png(), webp(), gif()] {
        let mut count = 0;
        for length in (2..file.len()).step_by(29) {
            let asked = world.ask("PUT", "/object/b/a").service().header("content-type", "image/jpeg");
            if asked.body(file[..length].to_vec()).await.status.is_success() {
                count += 1;
                assert!(!holds(&stored(&world, "b/a").await, &SECRET[..8]), "{length}");
            }
        }
        assert!(count < file.len() / 29);
    }
}

#[tokio::test]
async fn what_decoders_skip_in_a_jpeg_is_left_out() {
    let world = world().await;
    let (plain, file) = (picture(ImageFormat::Jpeg), jpeg());
    let segment = |marker: u8, content: &[u8]| {
        [&[0xff, marker], (content.len() as u16 + 2).to_be_bytes().as_slice(), content].concat()
    };
    let first = segment(0xe1, b"Exif\0\0").len();
    // Bytes between the start marker of a JPEG and its first segment.
    for odd in [
        [b"\0\0".as_slice(), &file[2..]].concat(),
        [b"\xff\xff\xff".as_slice(), &file[2..]].concat(),
        [SECRET, b"\xff\0\0".as_slice(), &file[2..]].concat(),
        [&segment(0xe0, &[b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0", SECRET].concat()), &plain[2..]].concat(),
        [&segment(0xe0, &[b"JFIF\0\x01\x02\0\0\x01\0\x01\x04\x04", SECRET].concat()), &plain[2..]].concat(),
        [&segment(0xee, &[b"Adobe\0\x64\0\0\0\0\x01", SECRET].concat()), &plain[2..]].concat(),
        [&segment(0xe2, &[b"ICC_PROFILE\0\x01\x01", SECRET].concat()), &plain[2..]].concat(),
        [&segment(0xe2, &[b"ICC_PROFILE\0\x01\x01", profile().as_slice(), SECRET].concat()), &plain[2..]].concat(),
        [&segment(0xf5, SECRET), &plain[2..]].concat(),
    ] {
        let odd = [&file[..2], &odd].concat();
        assert!(holds(&odd, SECRET) && odd.len() > first);
        put(&world, "b/a", "image/jpeg", &odd).await;
        let kept = stored(&world, "b/a").await;
        assert!(!holds(&kept, &SECRET[..8]), "{}", odd[..40].escape_ascii());
        assert!(pixels(&kept).0 == pixels(&plain).0);
    }
}

/// Tests videos, XMP and user data in boxes of a HEIF file, and metadata boxes of JPEG XL.
#[tokio::test]
async fn boxes_beside_the_picture_are_left_out() {
    fn make(kind: &[u8], content: &[u8]) -> Vec<u8> {
        [(content.len() as u32 + 8).to_be_bytes().as_slice(), kind, content].concat()
    }
    let world = world().await;
    let (file, pixels) = heif();
    let udta = make(b"udta", SECRET);
    let extra = [make(b"uuid", SECRET), make(b"moov", &udta), make(b"mpvd", SECRET), make(b"free", SECRET)].concat();
    put(&world, "b/a.heic", "image/heic", &[file.as_slice(), &extra].concat()).await;
    let kept = stored(&world, "b/a.heic").await;
    assert_eq!(kept.len(), file.len(), "what follows the picture is left out");
    assert!(!holds(&kept, &SECRET[..8]) && holds(&kept, pixels));
    // Boxes before the pixels are emptied but keep their size, also in the track of an image sequence. The handler type `pict` declares a
    // track of images.
    let handler = make(b"hdlr", b"\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0");
    let track = make(b"trak", &[make(b"mdia", &[handler, udta.clone()].concat()), udta.clone()].concat());
    let moov = make(b"moov", &[make(b"mvhd", b"x"), track, udta, make(b"meta", SECRET)].concat());
    let picture = [make(b"ftyp", b"avis\0\0\0\0avis"), make(b"uuid", SECRET), moov, make(b"mdat", pixels)].concat();
    put(&world, "b/a.avif", "image/avif", &picture).await;
    let kept = stored(&world, "b/a.avif").await;
    assert_eq!(kept.len(), picture.len());
    assert!(!holds(&kept, &SECRET[..8]) && holds(&kept, b"mvhd") && holds(&kept, pixels));

    let head = [make(b"JXL ", b"\r\n\x87\n"), make(b"ftyp", b"jxl \0\0\0\0jxl ")].concat();
    let file = [head.clone(), make(b"Exif", SECRET), make(b"jxlc", pixels), make(b"xml ", SECRET)].concat();
    put(&world, "b/a.jxl", "image/jxl", &file).await;
    assert!(stored(&world, "b/a.jxl").await == [head, make(b"jxlc", pixels)].concat());
}

/// Tests image files that declare structures much larger than the file. Parsing such a file must not cost more than reading it.
#[tokio::test]
async fn what_is_crafted_is_read_within_bounds() {
    let world = world().await;
    let entry = |tag: u16, value: u32| {
        let (tag, kind, count) = (tag.to_le_bytes(), 2_u16.to_le_bytes(), 60_000_u32.to_le_bytes());
        [tag.as_slice(), &kind, &count, &value.to_le_bytes()].concat()
    };
    // A TIFF with 60,000 entries. Each entry refers to the same directory or contains a value of 60 kB.
    for tag in [34665, 330, 270] {
        let directory = [60_000_u16.to_le_bytes().to_vec(), entry(tag, 8).repeat(60_000), vec![8, 0, 0, 0]].concat();
        let file = [b"II*\0\x08\0\0\0".as_slice(), &directory].concat();
        is_refused(&world, "image/tiff", &file, "").await;
    }
    // A HEIF table of 60,000 items, each with 65,535 extents of size 0.
    let item = b"\0\x01\0\0\xff\xff";
    let table = [b"\0\0\0\0\0\0\xea\x60".as_slice(), &item.repeat(30_000)].concat();
    let make =
        |kind: &[u8], content: &[u8]| [(content.len() as u32 + 8).to_be_bytes().as_slice(), kind, content].concat();
    let info = make(b"infe", b"\x02\0\0\0\0\x01\0\0Exif\0");
    let items = make(b"iinf", &[b"\0\0\0\0\0\x01".as_slice(), &info].concat());
    let meta = make(b"meta", &[b"\0\0\0\0".to_vec(), items, make(b"iloc", &table)].concat());
    let file = [make(b"ftyp", b"heic\0\0\0\0mif1"), meta].concat();
    is_refused(&world, "image/heic", &file, "HEIF").await;
}
