//! Estimates the peak memory, in bytes, of rendering an image. The estimate is computed from the source image's header and the requested
//! size, before any pixel is decoded.

use image::metadata::Orientation;
use image::{ColorType, ImageFormat};

use super::pixels::Format;

/// Width and height of an image in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Size {
    pub(super) fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Properties of a source image, known before it is decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decoding {
    pub(super) format: ImageFormat,
    pub(super) color: ColorType,
    pub(super) size: Size,
    pub(super) orientation: Orientation,
    /// Size of the source image file in bytes.
    pub(super) source_bytes: u64,
    /// Size of the source image's colour profile in bytes.
    pub(super) profile_bytes: Option<u64>,
}

/// Properties of a rendering that determine its memory: the size of the scaled image, and the size and format of the rendered image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Making {
    /// Size to which the source image is scaled before it is cropped. `None` if it is not scaled.
    pub(super) sampled: Option<Size>,
    pub(super) result: Size,
    pub(super) format: Format,
}

/// Bytes per pixel of the intermediate image that the image library creates during scaling. This image has the width of the source, the new
/// height and four 32-bit floats per pixel.
const RESAMPLING_BYTES: u64 = 16;
/// Bytes per RGBA pixel with 8 bits per channel, the pixel format of colour conversion and encoders.
const RGBA_BYTES: u64 = 4;
/// Number of row buffers of a decoder: filtered, unfiltered, previous, and output.
const ROW_BUFFERS: u64 = 4;
/// Size in bytes of tables and buffers that do not depend on the image size.
const FIXED_BYTES: u64 = 4 * 1024 * 1024;

impl Decoding {
    /// Returns the peak memory of rendering the image in bytes.
    pub(super) fn peak(&self, making: &Making) -> u64 {
        let source = self.source_copies().saturating_add(FIXED_BYTES);
        source.saturating_add(self.decoding().max(self.upright()).max(self.resizing(making)).max(self.encoding(making)))
    }

    fn bytes_per_pixel(&self) -> u64 {
        let of_color = u64::from(self.color.bytes_per_pixel());
        // The conversion to sRGB produces 8 bits per channel.
        if self.profile_bytes.is_some() { of_color.max(RGBA_BYTES) } else { of_color }
    }

    /// Returns the memory in bytes of the source file and the decoder's copy of the file.
    fn source_copies(&self) -> u64 {
        let copies = if self.format == ImageFormat::Jpeg { 2 } else { 1 };
        self.source_bytes * copies + self.profile_bytes.unwrap_or(0) * 2
    }

    /// Returns the memory in bytes of the decoded pixels and the decoder's additional buffers: coefficients of a progressive JPEG, a
    /// partial frame of a GIF or WebP, YUV planes.
    fn decoding(&self) -> u64 {
        let pixels = self.size.pixels();
        let decoded = pixels * u64::from(self.color.bytes_per_pixel());
        let beside = match self.format {
            ImageFormat::Jpeg => pixels * 6,
            ImageFormat::Png => decoded / u64::from(self.size.height.max(1)) * ROW_BUFFERS,
            _ => pixels * 2 * RGBA_BYTES,
        };
        decoded + beside
    }

    /// Returns the memory in bytes of the pixels during colour conversion and rotation, which run one after the other.
    fn upright(&self) -> u64 {
        let pixels = self.size.pixels();
        let decoded = pixels * u64::from(self.color.bytes_per_pixel());
        let colors = if self.profile_bytes.is_some() { decoded + pixels * 2 * RGBA_BYTES } else { decoded };
        let turned = match self.orientation {
            Orientation::NoTransforms => decoded,
            _ => pixels * self.bytes_per_pixel() * 2,
        };
        colors.max(turned)
    }

    /// Returns the size of the image after its EXIF orientation is applied.
    pub(super) fn upright_size(&self) -> Size {
        let Size { width, height } = self.size;
        match self.orientation {
            Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH => Size { width: height, height: width },
            _ => self.size,
        }
    }

    fn resizing(&self, making: &Making) -> u64 {
        let pixel = self.bytes_per_pixel();
        let (before, cut) = (self.size.pixels() * pixel, making.result.pixels() * pixel);
        match making.sampled {
            None => before + cut,
            Some(sampled) => {
                let between = Size { width: self.upright_size().width, height: sampled.height };
                before + (between.pixels() * RESAMPLING_BYTES).max(cut) + sampled.pixels() * pixel
            }
        }
    }

    /// Returns the memory in bytes of the rendered image, its copy in the encoder's pixel format, the encoder's buffers, and the encoded
    /// file.
    fn encoding(&self, making: &Making) -> u64 {
        let pixel = self.bytes_per_pixel();
        making.result.pixels() * (pixel + making.format.encoding_bytes(pixel))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, Rgb, RgbImage};

    use super::super::pixels::Source;
    use super::super::transform::Transform;
    use super::*;
    use crate::settings::Images;

    /// Returns a memory value of `/proc/self/status` in bytes.
    #[cfg(target_os = "linux")]
    fn status(name: &str) -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    }

    /// Measures the peak memory of this process during `work`, minus the memory before.
    #[cfg(target_os = "linux")]
    fn peak(work: impl FnOnce()) -> u64 {
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = status("VmRSS");
        work();
        status("VmHWM").saturating_sub(before)
    }

    fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn estimated(source: &[u8], query: &str) -> u64 {
        let transform = Transform::of_query(Some(query)).unwrap();
        Source::open(source, &Images::default()).unwrap().memory(&transform, false).unwrap()
    }

    /// Environment variable that contains the image file and query for a child process. Each test case runs in its own process, because
    /// memory that was allocated for earlier images would change the measurement.
    #[cfg(target_os = "linux")]
    const CASE: &str = "CLOCH_TEST_RENDER_CASE";

    #[cfg(target_os = "linux")]
    #[test]
    fn no_image_takes_more_than_is_counted() {
        if let Ok(case) = std::env::var(CASE) {
            return measure(&case);
        }
        let plain: DynamicImage = RgbImage::from_fn(1600, 800, |x, y| Rgb([(x / 16) as u8, (y / 8) as u8, 90])).into();
        let noise: DynamicImage = RgbImage::from_fn(700, 700, |x, y| {
            let value = x.wrapping_mul(2_654_435_761).wrapping_add(y.wrapping_mul(40_503)).rotate_left(x % 31);
            Rgb([value as u8, (value >> 8) as u8, (value >> 16) as u8])
        })
        .into();
        let sources = [
            ("wide.png", encoded(&DynamicImage::new_luma8(8000, 400), ImageFormat::Png)),
            ("plain.png", encoded(&plain, ImageFormat::Png)),
            ("sixteen.png", encoded(&DynamicImage::from(plain.to_rgba16()), ImageFormat::Png)),
            ("plain.jpg", encoded(&plain, ImageFormat::Jpeg)),
            ("noise.jpg", encoded(&noise, ImageFormat::Jpeg)),
            ("plain.gif", encoded(&DynamicImage::from(plain.to_rgba8()), ImageFormat::Gif)),
            ("plain.webp", encoded(&plain, ImageFormat::WebP)),
        ];
        let folder = tempfile::tempdir().unwrap();
        let mut wrong = Vec::new();
        for (name, source) in &sources {
            let file = folder.path().join(name);
            std::fs::write(&file, source).unwrap();
            // The memory of an encoder does not depend on the source's format, and it is highest for noise. Therefore the encoders are
            // tested with only one source.
            let encoders: &[&str] =
                if *name == "noise.jpg" { &["width=1900&format=webp", "width=300&format=avif"] } else { &[] };
            for query in ["", "height=360", "width=760&height=280"].iter().chain(encoders) {
                let output = std::process::Command::new(std::env::current_exe().unwrap())
                    .args(["render::memory::tests::no_image_takes_more_than_is_counted", "--exact", "--nocapture"])
                    .env(CASE, format!("{}?{query}", file.display()))
                    .output()
                    .unwrap();
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                println!("{name} {query}: {}", said.lines().find(|line| line.contains("counted")).unwrap_or(&said));
                if !output.status.success() {
                    wrong.push(format!("{name} {query}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[cfg(target_os = "linux")]
    fn measure(case: &str) {
        let (file, query) = case.split_once('?').unwrap();
        let source = std::fs::read(file).unwrap();
        let transform = Transform::of_query(Some(query)).unwrap();
        let counted = estimated(&source, query);
        let measured = peak(|| {
            let source = Source::open(&source, &Images::default()).unwrap();
            drop(source.render(&transform, false, || true).unwrap());
        });
        println!("counted {} MiB, measured {} MiB", counted >> 20, measured >> 20);
        assert!(measured <= counted);
    }

    #[test]
    fn a_small_file_of_a_wide_image_counts_as_what_it_becomes() {
        let wide = encoded(&DynamicImage::new_luma8(20_000, 2000), ImageFormat::Png);
        assert!(wide.len() < 1_000_000, "{}", wide.len());
        let (old_width, new_height) = (20_000, 1900);
        assert!(estimated(&wide, "height=1900") > old_width * new_height * 16);
        assert!(estimated(&wide, "height=10") < old_width * new_height * 16 / 4);
    }

    #[test]
    fn the_largest_source_fits() {
        let limits = Images::default();
        let pixels = u32::try_from(limits.max_source_pixels).unwrap();
        let size = Size { width: pixels / 5000, height: 5000 };
        let result = Size { width: 1000, height: 500 };
        for (format, color) in [
            (ImageFormat::Jpeg, ColorType::Rgb8),
            (ImageFormat::Png, ColorType::Rgba8),
            (ImageFormat::WebP, ColorType::Rgba8),
            (ImageFormat::Gif, ColorType::Rgba8),
        ] {
            for orientation in [Orientation::NoTransforms, Orientation::Rotate90] {
                let (source_bytes, profile_bytes) = (limits.max_source_bytes, Some(4096));
                let head = Decoding { format, color, size, orientation, source_bytes, profile_bytes };
                for sampled in [None, Some(result)] {
                    let peak = head.peak(&Making { sampled, result, format: Format::Jpeg });
                    assert!(peak <= limits.max_memory, "{format:?} {orientation:?}: {peak}");
                }
            }
        }
    }
}
