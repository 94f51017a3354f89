//! Computes the size of a rendered image, and scales and crops it.

use image::DynamicImage;
use image::imageops::FilterType;

use super::memory::Size;
use super::transform::{Resize, Transform};

/// Method of resizing an image. The result is never larger than the source image.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Unchanged,
    /// Crops the source image to this size without scaling.
    Cut(Size),
    /// Scales the source image to exactly this size.
    Scale(Size),
    /// Scales the source image to the first size, then crops it to the second size. The first size is at least as large as the second.
    ScaleAndCut(Size, Size),
}

impl Target {
    /// Returns the size of the image after scaling (`None` without scaling) and the size of the result.
    pub(super) fn sizes(self, source: Size) -> (Option<Size>, Size) {
        match self {
            Self::Unchanged => (None, source),
            Self::Cut(size) => (None, size),
            Self::Scale(size) => (Some(size), size),
            Self::ScaleAndCut(scaled, cut) => (Some(scaled), cut),
        }
    }
}

/// Chooses how a source image of the given size is resized for the requested transformation.
pub(super) fn target(source: Size, transform: &Transform) -> Target {
    let Size { width, height } = source;
    let wanted = match (transform.width, transform.height) {
        (None, None) => return Target::Unchanged,
        (Some(wanted), None) => Size { width: wanted, height: scaled(height, wanted, width) },
        (None, Some(wanted)) => Size { width: scaled(width, wanted, height), height: wanted },
        (Some(width), Some(height)) => Size { width, height },
    };
    let by = |ratio: f64| Size { width: rounded(width, ratio), height: rounded(height, ratio) };
    let ratios =
        (f64::from(wanted.width) / f64::from(width.max(1)), f64::from(wanted.height) / f64::from(height.max(1)));
    let within = Size { width: wanted.width.min(width), height: wanted.height.min(height) };
    match transform.resize.unwrap_or_default() {
        Resize::Contain if wanted.width >= width && wanted.height >= height => Target::Unchanged,
        Resize::Contain => Target::Scale(by(ratios.0.min(ratios.1))),
        Resize::Fill => Target::Scale(within),
        // To cover the requested size, the source image would have to be enlarged. It is therefore cropped without scaling.
        Resize::Cover if wanted.width >= width || wanted.height >= height => Target::Cut(within),
        Resize::Cover => {
            let covering = by(ratios.0.max(ratios.1));
            let covering = Size { width: covering.width.max(wanted.width), height: covering.height.max(wanted.height) };
            Target::ScaleAndCut(covering, wanted)
        }
    }
}

pub(super) fn resize(image: DynamicImage, transform: &Transform) -> DynamicImage {
    let cut = |image: &DynamicImage, size: Size| match transform.gravity {
        Some(gravity) => gravity.cut(image, size.width, size.height),
        None => {
            let (left, top) = ((image.width() - size.width) / 2, (image.height() - size.height) / 2);
            image.crop_imm(left, top, size.width, size.height)
        }
    };
    let scale = |size: Size| image.resize_exact(size.width, size.height, FilterType::Lanczos3);
    match target(Size { width: image.width(), height: image.height() }, transform) {
        Target::Unchanged => image,
        Target::Cut(size) => cut(&image, size),
        Target::Scale(size) => scale(size),
        Target::ScaleAndCut(covering, size) => {
            let scaled = scale(covering);
            drop(image);
            cut(&scaled, size)
        }
    }
}

/// Returns the side length multiplied by the ratio, at least 1 pixel.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the type's range")]
fn rounded(side: u32, ratio: f64) -> u32 {
    (f64::from(side) * ratio).round().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// Returns `side` multiplied by `wanted / of` and rounded, but at least 1 pixel. With this factor, the image keeps its aspect ratio.
fn scaled(side: u32, wanted: u32, of: u32) -> u32 {
    let exact = (u64::from(side) * u64::from(wanted) + u64::from(of) / 2) / u64::from(of.max(1));
    u32::try_from(exact).unwrap_or(u32::MAX).max(1)
}
