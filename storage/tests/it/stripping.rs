//! Tests that images are stored without metadata such as location and author, whichever protocol is used for the upload.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cloch_storage::settings::BucketSettings;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Rgb, RgbImage};
use md5::{Digest, Md5};
use serde_json::json;

use crate::multipart::{complete, etag};
use crate::support::World;

/// Text in the metadata of all test images. It must be removed.
pub(crate) const SECRET: &[u8] = b"55.9572N 4.8156W, Ailsa Sample, body 0123456789";

/// A colour profile with only the size and signature in its header, and no tags (ICC.1, 7.2).
pub(crate) fn profile() -> Vec<u8> {
    let mut profile = vec![0; 132];
    profile[3] = 132;
    profile[36..40].copy_from_slice(b"acsp");
    profile
}

pub(crate) fn picture(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let picture = RgbImage::from_fn(40, 20, |x, y| Rgb([(x * 6) as u8, (y * 12) as u8, 77]));
    DynamicImage::from(picture).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// EXIF data with an orientation of 90° and a description.
fn exif() -> Vec<u8> {
    let mut tiff = b"MM\0*\0\0\0\x08\0\x02".to_vec();
    tiff.extend(b"\x01\x0e\0\x02\0\0\0");
    tiff.push(SECRET.len() as u8);
    tiff.extend(b"\0\0\0\x26");
    tiff.extend(b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0");
    tiff.extend([0; 4]);
    assert_eq!(tiff.len(), 0x26);
    [&tiff, SECRET].concat()
}

pub(crate) fn jpeg() -> Vec<u8> {
    let plain = picture(ImageFormat::Jpeg);
    let segment = |marker: u8, content: &[u8]| {
        [&[0xff, marker], (content.len() as u16 + 2).to_be_bytes().as_slice(), content].concat()
    };
    let added = [
        segment(0xe1, &[b"Exif\0\0", exif().as_slice()].concat()),
        segment(0xe1, &[b"http://ns.adobe.com/xap/1.0/\0", SECRET].concat()),
        segment(0xe2, &[b"ICC_PROFILE\0\x01\x01", profile().as_slice()].concat()),
        segment(0xe2, &[b"MPF\0", SECRET].concat()),
        segment(0xed, &[b"Photoshop 3.0\0", SECRET].concat()),
        segment(0xfe, SECRET),
    ];
    [&plain[..2], &added.concat(), &plain[2..], b"\0\0\0\x18ftypmp42", SECRET].concat()
}

pub(crate) fn png() -> Vec<u8> {
    let plain = picture(ImageFormat::Png);
    let chunk = |kind: &[u8], data: &[u8]| {
        let checked = [kind, data].concat();
        [&(data.len() as u32).to_be_bytes(), checked.as_slice(), &crc32fast::hash(&checked).to_be_bytes()].concat()
    };
    let added = [
        chunk(b"eXIf", &exif()),
        chunk(b"tEXt", &[b"Author\0", SECRET].concat()),
        chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0", SECRET].concat()),
        chunk(b"gAMA", &45455_u32.to_be_bytes()),
    ];
    // The metadata chunks are inserted after the PNG header.
    [&plain[..33], &added.concat(), &plain[33..], SECRET].concat()
}

pub(crate) fn webp() -> Vec<u8> {
    let plain = picture(ImageFormat::WebP);
    let chunk = |kind: &[u8], data: &[u8]| {
        let padding = &[0][..data.len() % 2];
        [kind, &(data.len() as u32).to_le_bytes(), data, padding].concat()
    };
    let chunks = [
        chunk(b"VP8X", &[0x20 | 0x08 | 0x04, 0, 0, 0, 39, 0, 0, 19, 0, 0]),
        chunk(b"ICCP", &profile()),
        plain[12..].to_vec(),
        chunk(b"EXIF", &exif()),
        chunk(b"XMP ", SECRET),
    ];
    let body = [b"WEBP", chunks.concat().as_slice()].concat();
    [b"RIFF", (body.len() as u32).to_le_bytes().as_slice(), &body, SECRET].concat()
}

pub(crate) fn gif() -> Vec<u8> {
    let plain = picture(ImageFormat::Gif);
    let block = |label: u8, head: &[u8]| [&[0x21, label], head, &[SECRET.len() as u8], SECRET, &[0]].concat();
    let start = 13 + if plain[10] & 0x80 == 0 { 0 } else { 3 << ((plain[10] & 7) + 1) };
    let added = [block(0xfe, &[]), block(0xff, b"\x0bXMP DataXMP")];
    [&plain[..start], &added.concat(), &plain[start..], SECRET].concat()
}

/// An image of two pixels whose first directory contains a description and an EXIF directory.
fn tiff() -> Vec<u8> {
    let entry = |tag: u16, kind: u16, count: u32, value: u32| {
        let (tag, kind, count, value) =
            (tag.to_le_bytes(), kind.to_le_bytes(), count.to_le_bytes(), value.to_le_bytes());
        [tag.as_slice(), &kind, &count, &value].concat()
    };
    let secret = SECRET.len() as u32;
    let (pixels, texts) = (8, 16);
    let (first, below) = (texts + 2 * secret, texts + 2 * secret + 2 + 12 * 12 + 4);
    let entries = [
        entry(256, 3, 1, 2),
        entry(257, 3, 1, 1),
        entry(258, 3, 1, 8),
        entry(259, 3, 1, 1),
        entry(262, 3, 1, 1),
        entry(270, 2, secret, texts),
        entry(273, 4, 1, pixels),
        entry(274, 3, 1, 6),
        entry(277, 3, 1, 1),
        entry(278, 3, 1, 1),
        entry(279, 4, 1, 2),
        entry(34665, 4, 1, below),
    ];
    let exif = [1_u16.to_le_bytes().to_vec(), entry(0xa431, 2, secret, texts + secret), vec![0; 4]].concat();
    let head = [b"II*\0", first.to_le_bytes().as_slice(), &[10, 200, 0, 0, 0, 0, 0, 0]].concat();
    let directory = [&12_u16.to_le_bytes(), entries.concat().as_slice(), &[0; 4]].concat();
    [head, SECRET.to_vec(), SECRET.to_vec(), directory, exif].concat()
}

/// A HEIF file with a table of items, an EXIF item, an XMP item, and pixels.
pub(crate) fn heif() -> (Vec<u8>, &'static [u8]) {
    fn make(kind: &[u8], content: &[u8]) -> Vec<u8> {
        [(content.len() as u32 + 8).to_be_bytes().as_slice(), kind, content].concat()
    }
    let pixels: &[u8] = b"coded pixels";
    let info = |id: u16, kind: &[u8]| {
        make(b"infe", &[b"\x02\0\0\0", id.to_be_bytes().as_slice(), b"\0\0", kind, b"\0"].concat())
    };
    let table = [b"\0\0\0\0\0\x03".to_vec(), info(1, b"hvc1"), info(2, b"Exif"), info(3, b"mime")].concat();
    let build = |start: u32| {
        let place = |id: u16, offset: u32, length: usize| {
            let (offset, length) = (offset.to_be_bytes(), (length as u32).to_be_bytes());
            [id.to_be_bytes().as_slice(), b"\0\0", b"\0\x01", &offset, &length].concat()
        };
        let (exif, xmp) = (start + pixels.len() as u32, start + pixels.len() as u32 + SECRET.len() as u32);
        let places =
            [place(1, start, pixels.len()), place(2, exif, SECRET.len()), place(3, xmp, SECRET.len())].concat();
        let location = [b"\0\0\0\0\x44\0\0\x03", places.as_slice()].concat();
        let meta = [b"\0\0\0\0".to_vec(), make(b"iinf", &table), make(b"iloc", &location)].concat();
        [make(b"ftyp", b"heic\0\0\0\0mif1heic"), make(b"meta", &meta)].concat()
    };
    let start = build(0).len() as u32 + 8;
    let data = make(b"mdat", &[pixels, SECRET, SECRET].concat());
    ([build(start), data].concat(), pixels)
}

pub(crate) fn pixels(bytes: &[u8]) -> (Vec<u8>, Orientation) {
    let mut decoder = ImageReader::new(Cursor::new(bytes)).with_guessed_format().unwrap().into_decoder().unwrap();
    let orientation = decoder.orientation().unwrap();
    (DynamicImage::from_decoder(decoder).unwrap().into_rgba8().into_raw(), orientation)
}

pub(crate) fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

pub(crate) async fn world() -> World {
    let world = World::with(|settings| {
        settings.buckets =
            [("b".to_owned(), BucketSettings { strip_metadata: true, ..BucketSettings::default() })].into()
    })
    .await;
    world.bucket("b", false).await;
    world.bucket("plain", false).await;
    world
}

/// Returns the stored content of an object and checks that the object's row describes it correctly.
pub(crate) async fn stored(world: &World, path: &str) -> Vec<u8> {
    let got = world.ask("GET", &format!("/object/{path}")).service().send().await.ok();
    let info = world.ask("GET", &format!("/object/info/{path}")).service().send().await.ok().json();
    assert_eq!(info["size"], json!(got.bytes.len()), "{path}");
    assert_eq!(got.header("content-length"), got.bytes.len().to_string(), "{path}");
    if !got.header("etag").contains('-') {
        assert_eq!(got.header("etag"), format!("\"{}\"", hex::encode(Md5::digest(&got.bytes))), "{path}");
    }
    got.bytes
}

pub(crate) async fn put(world: &World, path: &str, kind: &str, bytes: &[u8]) {
    let asked = world.ask("PUT", &format!("/object/{path}")).service().header("content-type", kind);
    asked.body(bytes.to_vec()).await.ok();
}

#[tokio::test]
async fn every_format_loses_its_metadata_and_no_pixel() {
    let world = world().await;
    for (kind, file) in [("image/jpeg", jpeg()), ("image/png", png()), ("image/webp", webp()), ("image/gif", gif())] {
        assert!(holds(&file, SECRET), "{kind}");
        put(&world, "plain/a", kind, &file).await;
        assert!(
            stored(&world, "plain/a").await == file,
            "{kind}: a bucket that does not ask for it keeps files as they are"
        );
        put(&world, "b/a", kind, &file).await;
        let kept = stored(&world, "b/a").await;
        assert!(!holds(&kept, SECRET) && !holds(&kept, &SECRET[..8]), "{kind}");
        let (before, after) = (pixels(&file), pixels(&kept));
        assert!(before.0 == after.0, "{kind}: other pixels");
        assert_eq!(before.1, after.1, "{kind}");
        assert_eq!(holds(&file, &profile()), holds(&kept, &profile()), "{kind}");
        // The second upload sends the stripped image, which contains no metadata.
        put(&world, "b/again", kind, &kept).await;
        assert!(stored(&world, "b/again").await == kept, "{kind}");
    }
    assert_eq!(pixels(&jpeg()).1, Orientation::Rotate90);
    world.settle(3).await;
}

#[tokio::test]
async fn a_tiff_file_loses_entries_and_nothing_moves() {
    let world = world().await;
    let file = tiff();
    put(&world, "b/a.tif", "image/tiff", &file).await;
    let kept = stored(&world, "b/a.tif").await;
    assert!(holds(&file, SECRET) && !holds(&kept, &SECRET[..8]));
    assert_eq!((kept.len(), &kept[..16]), (file.len(), &file[..16]));
    let first = 16 + 2 * SECRET.len();
    let count = usize::from(kept[first]);
    let tags: Vec<u16> =
        (0..count).map(|at| first + 2 + 12 * at).map(|at| u16::from_le_bytes([kept[at], kept[at + 1]])).collect();
    assert_eq!(tags, [256, 257, 258, 259, 262, 273, 274, 277, 278, 279]);
    put(&world, "b/again.tif", "image/tiff", &kept).await;
    assert!(stored(&world, "b/again.tif").await == kept);
}

#[tokio::test]
async fn items_of_heif_files_are_emptied_where_they_are() {
    let world = world().await;
    let (file, pixels) = heif();
    put(&world, "b/a.heic", "image/heic", &file).await;
    let kept = stored(&world, "b/a.heic").await;
    assert_eq!(kept.len(), file.len());
    assert!(!holds(&kept, &SECRET[..8]) && holds(&kept, pixels));
}

#[tokio::test]
async fn every_way_in_is_the_same() {
    let world = world().await;
    let file = jpeg();
    put(&world, "b/raw", "image/jpeg", &file).await;
    let expected = stored(&world, "b/raw").await;
    assert!(!holds(&expected, SECRET));

    let head = b"--X\r\ncontent-disposition: form-data; name=\"\"; filename=\"a\"\r\ncontent-type: image/jpeg\r\n\r\n";
    let form = [head, file.as_slice(), b"\r\n--X--\r\n"].concat();
    let asked = world.ask("POST", "/object/b/form").service().header("content-type", "multipart/form-data; boundary=X");
    asked.body(form).await.ok();

    let pairs = [("bucketName", "b"), ("objectName", "tus"), ("contentType", "image/jpeg")];
    let pairs = pairs.map(|(name, value)| format!("{name} {}", STANDARD.encode(value))).join(",");
    let asked = world.ask("POST", "/upload/resumable").service().header("tus-resumable", "1.0.0");
    let asked = asked.header("upload-length", &file.len().to_string()).header("upload-metadata", &pairs);
    let begun = asked.header("content-type", "application/offset+octet-stream").body(file[..100].to_vec()).await.ok();
    let path = begun.header("location").split("/storage/v1").nth(1).unwrap().to_owned();
    let asked = world.ask("PATCH", &path).service().header("tus-resumable", "1.0.0").header("upload-offset", "100");
    asked.header("content-type", "application/offset+octet-stream").body(file[100..].to_vec()).await.ok();
    let status = world.ask("HEAD", &path).service().header("tus-resumable", "1.0.0").send().await.ok();
    assert_eq!(status.header("upload-offset"), file.len().to_string(), "the client's count");

    world.ask("PUT", "/s3/b/s3").signed().body(file.clone()).await.ok();
    let begun = world.ask("POST", "/s3/b/parts?uploads").signed().send().await.ok().text();
    let id = begun.split("<UploadId>").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let asked = world.ask("PUT", &format!("/s3/b/parts?partNumber=1&uploadId={id}")).signed();
    let first = etag(&asked.body(file[..200].to_vec()).await.ok());
    let asked = world.ask("PUT", &format!("/s3/b/parts?partNumber=2&uploadId={id}")).signed();
    let second = etag(&asked.body(file[200..].to_vec()).await.ok());
    complete(&world, ("parts", &id), &[first, second]).await.ok();

    for (operation, key) in [("/object/copy", "copy"), ("/object/move", "move")] {
        put(&world, "plain/a", "image/jpeg", &file).await;
        let body = json!({"bucketId": "plain", "sourceKey": "a", "destinationBucket": "b", "destinationKey": key});
        world.ask("POST", operation).service().json(body).await.ok();
    }
    for name in ["form", "tus", "s3", "parts", "copy", "move"] {
        assert!(stored(&world, &format!("b/{name}")).await == expected, "{name}");
    }
    world.settle(7).await;
}
