//! Decodes images within limits, applies the EXIF orientation, resizes and encodes them. Image metadata (location, camera, author) is not
//! copied.

use std::io::Cursor;

use bytes::Bytes;
use image::codecs::avif::AvifEncoder;
use image::codecs::gif::GifEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::error::ImageFormatHint;
use image::metadata::Orientation;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageError, ImageFormat, ImageReader, ImageResult, Limits};

use super::lenient_png::LenientPngDecoder;
use super::memory::{Decoding, Making, Size};
use super::sizing::{resize, target};
use super::srgb::to_srgb;
use super::transform::{Transform, Wanted};
use crate::error::{Error, Result};
use crate::settings::Images;

const UNSUPPORTED: Error = Error::Image("The source image is invalid or unsupported for rendering");
const DEFAULT_QUALITY: u8 = 80;
/// Speed of the AVIF encoder, from 1 (smallest files) to 10 (fastest).
const AVIF_SPEED: u8 = 9;
/// Maximum memory in bytes that a decoder may allocate for chunks other than pixels, such as a compressed colour profile.
const MAX_CHUNK_BYTES: u64 = 16 * 1024 * 1024;
const MAX_DECODER_BYTES_PER_PIXEL: u64 = 16;
const TOO_LARGE: Error = Error::Image("The source image resolution is too large to process");
/// Maximum number of pixels of a rendered image for slow encoders. The limit keeps the encoding time at a few seconds, because encoders
/// cannot be interrupted.
const MAX_AVIF_PIXELS: u64 = 4_000_000;
const MAX_WEBP_PIXELS: u64 = 16_000_000;
const MAX_GIF_PIXELS: u64 = 16_000_000;
/// Maximum side of a WebP image in pixels.
const MAX_WEBP_SIDE: u32 = 16_383;
/// Speed of the GIF encoder, from 1 (best colours) to 30 (fastest).
const GIF_SPEED: i32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Jpeg,
    Png,
    Gif,
    Webp,
    Avif,
    Svg,
}

impl Format {
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Avif => "image/avif",
            Self::Svg => "image/svg+xml",
        }
    }

    /// Returns a byte that identifies the format in files of the render cache.
    pub(crate) fn tag(self) -> u8 {
        match self {
            Self::Jpeg => b'j',
            Self::Png => b'p',
            Self::Gif => b'g',
            Self::Webp => b'w',
            Self::Avif => b'a',
            Self::Svg => b's',
        }
    }

    pub(crate) fn of_tag(tag: u8) -> Option<Self> {
        [Self::Jpeg, Self::Png, Self::Gif, Self::Webp, Self::Avif, Self::Svg]
            .into_iter()
            .find(|format| format.tag() == tag)
    }

    /// Returns the additional memory of the encoder in bytes per pixel; `pixel` is the number of bytes per pixel of the image. The values
    /// of GIF, WebP and AVIF were measured.
    pub(super) fn encoding_bytes(self, pixel: u64) -> u64 {
        match self {
            // Bytes per pixel: 3 for a copy without alpha channel, and 3 for the encoded file.
            Self::Jpeg => 3 + 3,
            // The compressed rows and the encoded file, each as large as the image.
            Self::Png => 2 * pixel,
            Self::Gif => 4 + 8,
            // The values below were measured with noise, for which the encoded file is as large as the image.
            Self::Webp => 4 + 20,
            Self::Avif => 4 + 120,
            // An SVG image is not encoded from pixels.
            Self::Svg => 0,
        }
    }

    /// Whether the format's encoder can encode a rendered image of this size, and does so in a limited time.
    fn takes(self, size: Size) -> bool {
        let (Size { width, height }, pixels) = (size, size.pixels());
        match self {
            Self::Jpeg | Self::Png | Self::Svg => true,
            Self::Gif => pixels <= MAX_GIF_PIXELS,
            Self::Webp => pixels <= MAX_WEBP_PIXELS && width.max(height) <= MAX_WEBP_SIDE,
            Self::Avif => pixels <= MAX_AVIF_PIXELS,
        }
    }

    fn of(source: ImageFormat, wanted: Option<Wanted>, accepts_webp: bool) -> Result<Self> {
        match (wanted, source) {
            (Some(Wanted::Avif), _) => Ok(Self::Avif),
            (Some(Wanted::Webp), _) => Ok(Self::Webp),
            (None, _) if accepts_webp => Ok(Self::Webp),
            (_, ImageFormat::Jpeg) => Ok(Self::Jpeg),
            (_, ImageFormat::Png) => Ok(Self::Png),
            (_, ImageFormat::Gif) => Ok(Self::Gif),
            (_, ImageFormat::WebP) => Ok(Self::Webp),
            _ => Err(UNSUPPORTED),
        }
    }
}

/// A source image whose header is parsed and whose pixels are not decoded yet.
pub(super) struct Source<'a> {
    decoder: Box<dyn ImageDecoder + 'a>,
    head: Decoding,
    profile: Option<Vec<u8>>,
}

impl<'a> Source<'a> {
    /// Parses the header of a source image, which contains the number of pixels, so that the size is checked before decoding.
    ///
    /// # Errors
    /// [`Error::Image`] if the source is not a supported image or has too many pixels.
    pub(super) fn open(source: &'a [u8], limits: &Images) -> Result<Self> {
        let (mut decoder, format) = decoder(source, MAX_CHUNK_BYTES).map_err(|_| UNSUPPORTED)?;
        let (width, height) = decoder.dimensions();
        let size = Size { width, height };
        if size.pixels() > limits.max_source_pixels {
            return Err(TOO_LARGE);
        }
        let mut allowed = Limits::default();
        allowed.max_alloc = Some(size.pixels() * MAX_DECODER_BYTES_PER_PIXEL + MAX_CHUNK_BYTES);
        decoder.set_limits(allowed).map_err(|_| UNSUPPORTED)?;
        // EXIF orientation and colour profile are optional: an image with invalid metadata is rendered without them.
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let profile = decoder.icc_profile().ok().flatten();
        let head = Decoding {
            format,
            color: decoder.color_type(),
            size,
            orientation,
            source_bytes: source.len() as u64,
            profile_bytes: profile.as_ref().map(|profile| profile.len() as u64),
        };
        Ok(Self { decoder, head, profile })
    }

    /// Returns the estimated peak memory of the transformation in bytes.
    ///
    /// # Errors
    /// [`Error::Image`] if the rendered image cannot be encoded.
    pub(super) fn memory(&self, transform: &Transform, accepts_webp: bool) -> Result<u64> {
        let upright = self.head.upright_size();
        let (sampled, result) = target(upright, transform).sizes(upright);
        let format = self.result_format(transform, accepts_webp, result)?;
        Ok(self.head.peak(&Making { sampled, result, format }))
    }

    fn result_format(&self, transform: &Transform, accepts_webp: bool, result: Size) -> Result<Format> {
        let mut format = Format::of(self.head.format, transform.format, accepts_webp)?;
        if transform.format.is_none() && !format.takes(result) {
            // The client did not request WebP explicitly; WebP was chosen because of the `Accept` header. Therefore the source's format is
            // used instead.
            format = Format::of(self.head.format, None, false)?;
        }
        if !format.takes(result) {
            return Err(Error::Image("The image is too large for this format: ask for a smaller width or height"));
        }
        Ok(format)
    }

    /// Renders the image. Stops between two rendering steps when `is_wanted` returns `false`.
    ///
    /// # Errors
    /// [`Error::Image`] if the source is invalid or the rendered image is too large for its format.
    pub(super) fn render(
        self,
        transform: &Transform,
        accepts_webp: bool,
        is_wanted: impl Fn() -> bool,
    ) -> Result<(Format, Bytes)> {
        let still_wanted = || if is_wanted() { Ok(()) } else { Err(Error::Aborted("The client left")) };
        let upright = self.head.upright_size();
        let format = self.result_format(transform, accepts_webp, target(upright, transform).sizes(upright).1)?;
        let image = decode(self.decoder, self.head.orientation, self.profile)?;
        still_wanted()?;
        let image = resize(image, transform);
        still_wanted()?;
        let bytes = encode(&image, format, transform.quality.unwrap_or(DEFAULT_QUALITY))?;
        Ok((format, bytes.into()))
    }
}

/// Creates the decoder for the image format that is detected from the first bytes.
fn decoder<'a>(source: &'a [u8], max_bytes: u64) -> ImageResult<(Box<dyn ImageDecoder + 'a>, ImageFormat)> {
    let reader = ImageReader::new(Cursor::new(source)).with_guessed_format()?;
    match reader.format() {
        Some(ImageFormat::Png) => Ok((Box::new(LenientPngDecoder::new(source, max_bytes)?), ImageFormat::Png)),
        Some(format) => Ok((Box::new(reader.into_decoder()?), format)),
        None => Err(ImageError::Unsupported(ImageFormatHint::Unknown.into())),
    }
}

fn decode(
    decoder: Box<dyn ImageDecoder + '_>,
    orientation: Orientation,
    profile: Option<Vec<u8>>,
) -> Result<DynamicImage> {
    let mut image = to_srgb(DynamicImage::from_decoder(decoder).map_err(|_| UNSUPPORTED)?, profile.as_deref());
    image.apply_orientation(orientation);
    Ok(image)
}

fn encode(image: &DynamicImage, format: Format, quality: u8) -> Result<Vec<u8>> {
    let failed = |source: ImageError| Error::Internal { context: "encoding an image", source: source.into() };
    let mut bytes = Cursor::new(Vec::new());
    match format {
        // An image is encoded as JPEG only if its source is a JPEG, which has no alpha channel.
        Format::Jpeg => {
            JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(&image.to_rgb8()).map_err(failed)?;
        }
        Format::Png => image.write_to(&mut bytes, ImageFormat::Png).map_err(failed)?,
        Format::Gif => {
            let pixels = image.to_rgba8();
            let encoder = &mut GifEncoder::new_with_speed(&mut bytes, GIF_SPEED);
            encoder.encode(&pixels, pixels.width(), pixels.height(), ExtendedColorType::Rgba8).map_err(failed)?;
        }
        Format::Avif => {
            let pixels = image.to_rgba8();
            // The encoder uses one thread, because [`super::permits`] limits the number of concurrent renderings.
            let encoder =
                AvifEncoder::new_with_speed_quality(&mut bytes, AVIF_SPEED, quality).with_num_threads(Some(1));
            pixels.write_with_encoder(encoder).map_err(failed)?;
        }
        // An SVG image has no pixels: see `super::svg`.
        Format::Svg => return Err(UNSUPPORTED),
        Format::Webp => {
            let pixels = image.to_rgba8();
            let encoder = webp::Encoder::from_rgba(&pixels, pixels.width(), pixels.height());
            let encoded = encoder.encode_simple(false, f32::from(quality));
            return encoded.map(|memory| memory.to_vec()).map_err(|error| Error::Internal {
                context: "encoding an image",
                source: format!("WebP: {error:?}").into(),
            });
        }
    }
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    fn render(source: &[u8], transform: &Transform, accepts_webp: bool, limits: &Images) -> Result<(Format, Bytes)> {
        Source::open(source, limits)?.render(transform, accepts_webp, || true)
    }

    /// An image whose left half is red and right half is blue.
    fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        let image =
            RgbImage::from_fn(width, height, |x, _| if x < width / 2 { Rgb([250, 0, 0]) } else { Rgb([0, 0, 250]) });
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn rendered(source: &[u8], query: &str) -> (Format, DynamicImage) {
        let transform = Transform::of_query(Some(query)).unwrap();
        let (format, bytes) = render(source, &transform, false, &Images::default()).unwrap();
        let image = if format == Format::Avif {
            DynamicImage::new_rgb8(1, 1)
        } else {
            image::load_from_memory(&bytes).unwrap()
        };
        (format, image)
    }

    #[test]
    fn refuses_floods_and_what_is_no_image() {
        for source in [&b""[..], b"<svg></svg>", b"\x89PNG\r\n\x1a\n", &picture(10, 10, ImageFormat::Png)[..40]] {
            let refused = render(source, &Transform::default(), false, &Images::default()).unwrap_err();
            assert_eq!(refused.message(), "The source image is invalid or unsupported for rendering");
        }
        let limits = Images { max_source_pixels: 99, ..Images::default() };
        let refused = render(&picture(10, 10, ImageFormat::Png), &Transform::default(), false, &limits).unwrap_err();
        assert_eq!(refused.message(), "The source image resolution is too large to process");
    }

    #[test]
    fn what_would_take_an_encoder_too_long_is_refused_or_left_in_its_format() {
        let rendered = |side: (u32, u32), query: &str, accepts_webp: bool| {
            let transform = Transform::of_query(Some(query)).unwrap();
            let source = picture(side.0, side.1, ImageFormat::Png);
            render(&source, &transform, accepts_webp, &Images::default()).map(|(format, _)| format)
        };
        for (side, query) in
            [((2001, 2000), "format=avif"), ((4001, 4000), "format=webp"), ((20_000, 9), "format=webp")]
        {
            assert!(matches!(rendered(side, query, true), Err(Error::Image(_))), "{query} {side:?}");
        }
        assert_eq!(rendered((20_000, 9), "", true).unwrap(), Format::Png);
        assert_eq!(rendered((20_000, 9), "width=900&format=webp", true).unwrap(), Format::Webp);
    }

    #[test]
    fn nothing_is_made_that_nobody_wants_any_more() {
        let source = picture(9, 9, ImageFormat::Png);
        let source = Source::open(&source, &Images::default()).unwrap();
        assert!(matches!(source.render(&Transform::default(), false, || false), Err(Error::Aborted(_))));
    }

    #[test]
    fn sizes() {
        let source = picture(100, 50, ImageFormat::Png);
        for (query, expected) in [
            ("", (100, 50)),
            ("width=50", (50, 25)),
            ("height=10", (20, 10)),
            ("width=20&height=20", (20, 20)),
            ("width=20&height=20&resize=contain", (20, 10)),
            ("width=20&height=20&resize=fill", (20, 20)),
            ("width=500&height=20", (100, 20)),
            ("width=500&height=500&resize=contain", (100, 50)),
        ] {
            let (format, image) = rendered(&source, query);
            assert_eq!(((image.width(), image.height()), format), (expected, Format::Png), "{query}");
        }
    }

    #[test]
    fn formats() {
        let source = picture(40, 20, ImageFormat::Jpeg);
        assert_eq!(rendered(&source, "").0, Format::Jpeg);
        assert_eq!(rendered(&source, "format=webp").0, Format::Webp);
        assert_eq!(rendered(&source, "format=avif&width=16").0, Format::Avif);
        let (format, _) = render(&source, &Transform::default(), true, &Images::default()).unwrap();
        assert_eq!(format, Format::Webp);
        let origin = Transform::of_query(Some("format=origin")).unwrap();
        assert_eq!(render(&source, &origin, true, &Images::default()).unwrap().0, Format::Jpeg);
    }

    #[test]
    fn a_photo_is_turned_upright_and_tells_nothing_else() {
        // EXIF orientation 6: the image must be rotated by 90° clockwise.
        let exif = b"\xff\xe1\x00\x22Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let jpeg = picture(40, 20, ImageFormat::Jpeg);
        let photo = [&jpeg[..2], &exif[..], &jpeg[2..]].concat();
        let transform = Transform::of_query(Some("format=origin")).unwrap();
        let (_, bytes) = render(&photo, &transform, false, &Images::default()).unwrap();
        assert!(!bytes.windows(4).any(|window| window == b"Exif"));
        let upright = image::load_from_memory(&bytes).unwrap().to_rgb8();
        assert_eq!((upright.width(), upright.height()), (20, 40));
        assert!(upright.get_pixel(10, 5)[0] > 200 && upright.get_pixel(10, 35)[2] > 200);
    }
}
