//! A PNG decoder that is as lenient as browsers: it ignores checksums and decodes the available rows of a truncated file.

use std::io::Cursor;

use image::error::{DecodingError, LimitError, LimitErrorKind};
use image::{ColorType, ImageDecoder, ImageError, ImageFormat, ImageResult, Limits};
use png::{BitDepth, DecodeOptions, Decoder, InterlaceInfo, Reader, Transformations, expand_interlaced_row};

/// PNG decoder that expands palettes and samples of fewer than 8 bits.
pub(super) struct LenientPngDecoder<'a> {
    reader: Reader<Cursor<&'a [u8]>>,
    color_type: ColorType,
}

impl<'a> LenientPngDecoder<'a> {
    /// Reads all chunks of a PNG before the pixel data.
    ///
    /// # Errors
    /// [`ImageError`] if the PNG header is invalid or the chunks need more than `max_bytes`.
    pub(super) fn new(source: &'a [u8], max_bytes: u64) -> ImageResult<Self> {
        let mut options = DecodeOptions::default();
        options.set_ignore_checksums(true);
        let mut decoder = Decoder::new_with_options(Cursor::new(source), options);
        decoder.set_limits(png::Limits { bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX) });
        decoder.set_transformations(Transformations::EXPAND);
        let reader = decoder.read_info().map_err(broken)?;
        let color_type =
            expanded_color_type(reader.output_color_type()).ok_or_else(|| broken("an unknown color type"))?;
        Ok(Self { reader, color_type })
    }
}

fn expanded_color_type(declared: (png::ColorType, BitDepth)) -> Option<ColorType> {
    Some(match declared {
        (png::ColorType::Grayscale, BitDepth::Eight) => ColorType::L8,
        (png::ColorType::Grayscale, BitDepth::Sixteen) => ColorType::L16,
        (png::ColorType::GrayscaleAlpha, BitDepth::Eight) => ColorType::La8,
        (png::ColorType::GrayscaleAlpha, BitDepth::Sixteen) => ColorType::La16,
        (png::ColorType::Rgb, BitDepth::Eight) => ColorType::Rgb8,
        (png::ColorType::Rgb, BitDepth::Sixteen) => ColorType::Rgb16,
        (png::ColorType::Rgba, BitDepth::Eight) => ColorType::Rgba8,
        (png::ColorType::Rgba, BitDepth::Sixteen) => ColorType::Rgba16,
        _ => return None,
    })
}

fn broken(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ImageError {
    ImageError::Decoding(DecodingError::new(ImageFormat::Png.into(), error))
}

impl ImageDecoder for LenientPngDecoder<'_> {
    fn dimensions(&self) -> (u32, u32) {
        (self.reader.info().width, self.reader.info().height)
    }

    fn color_type(&self) -> ColorType {
        self.color_type
    }

    fn icc_profile(&mut self) -> ImageResult<Option<Vec<u8>>> {
        Ok(self.reader.info().icc_profile.as_deref().map(<[u8]>::to_vec))
    }

    fn exif_metadata(&mut self) -> ImageResult<Option<Vec<u8>>> {
        Ok(self.reader.info().exif_metadata.as_deref().map(<[u8]>::to_vec))
    }

    /// Decodes the pixels. Fails only if no row of pixels can be decoded. Missing rows stay black or transparent.
    fn read_image(mut self, pixels: &mut [u8]) -> ImageResult<()> {
        let pixel_bits = u8::try_from(self.color_type.bits_per_pixel()).unwrap_or(u8::MAX);
        let row_bytes = self.reader.output_line_size(self.reader.info().width);
        let row_bytes =
            row_bytes.ok_or_else(|| ImageError::Limits(LimitError::from_kind(LimitErrorKind::InsufficientMemory)))?;
        let mut rows = 0;
        loop {
            match self.reader.next_interlaced_row() {
                Ok(None) => return Ok(()),
                Ok(Some(row)) => match row.interlace() {
                    InterlaceInfo::Adam7(pass) => {
                        expand_interlaced_row(pixels, row_bytes, row.data(), pass, pixel_bits);
                    }
                    InterlaceInfo::Null(_) => {
                        if let Some(place) = pixels.chunks_exact_mut(row_bytes).nth(rows) {
                            place.copy_from_slice(row.data());
                        }
                    }
                },
                Err(error) if rows == 0 => return Err(broken(error)),
                Err(_) => return Ok(()),
            }
            rows += 1;
        }
    }

    fn read_image_boxed(self: Box<Self>, pixels: &mut [u8]) -> ImageResult<()> {
        (*self).read_image(pixels)
    }

    /// Checks only the width and height. The memory for PNG chunks is limited in `new`, and the caller checks the number of pixels.
    fn set_limits(&mut self, limits: Limits) -> ImageResult<()> {
        let (width, height) = self.dimensions();
        limits.check_dimensions(width, height)
    }
}

#[cfg(test)]
mod tests {
    use image::DynamicImage;

    use super::*;

    const SIDE: u32 = 32;

    /// RGBA pixels that all have different colours.
    fn pixels() -> Vec<u8> {
        (0..SIDE * SIDE).flat_map(|i| [(i % 251) as u8, (i / 5) as u8, 77, 255]).collect()
    }

    fn encoded() -> Vec<u8> {
        let mut file = Vec::new();
        let mut info = png::Info::with_size(SIDE, SIDE);
        (info.color_type, info.bit_depth) = (png::ColorType::Rgba, BitDepth::Eight);
        let mut encoder = png::Encoder::with_info(&mut file, info).unwrap();
        encoder.set_compression(png::Compression::NoCompression);
        encoder.write_header().unwrap().write_image_data(&pixels()).unwrap();
        file
    }

    fn decoded(file: &[u8]) -> ImageResult<Vec<u8>> {
        let decoder = LenientPngDecoder::new(file, 1_000_000)?;
        Ok(DynamicImage::from_decoder(decoder)?.into_rgba8().into_raw())
    }

    fn position(file: &[u8], chunk: &[u8; 4]) -> usize {
        file.windows(4).position(|window| window == chunk).unwrap()
    }

    #[test]
    fn what_has_no_row_is_no_image() {
        let file = encoded();
        for length in 0..position(&file, b"IDAT") + 20 {
            assert!(decoded(&file[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn wrong_checksums_are_ignored() {
        let mut file = encoded();
        for chunk in [b"IHDR", b"IEND"] {
            let at = position(&file, chunk) - 4;
            let length = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
            file[at + 8 + length] ^= 0xff;
        }
        assert_eq!(decoded(&file).unwrap(), pixels());
    }

    #[test]
    fn the_rows_before_the_end_of_a_file_are_shown() {
        let file = encoded();
        let start = position(&file, b"IDAT");
        let row_bytes = (SIDE * 4) as usize;
        let mut complete = 0;
        for length in start + 200..file.len() {
            let shown = decoded(&file[..length]).unwrap();
            let rows = shown.chunks(row_bytes).zip(pixels().chunks(row_bytes)).take_while(|(a, b)| a == b).count();
            assert!(shown[rows * row_bytes..].iter().all(|byte| *byte == 0), "what is missing is transparent");
            assert!(rows >= complete, "more bytes, fewer rows");
            complete = rows;
        }
        assert_eq!(complete, SIDE as usize);
    }
}
