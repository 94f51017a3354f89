//! The size of a result: scaled, cut out, or as the source is.

use image::DynamicImage;
use image::imageops::FilterType;

use super::memory::Size;
use super::transform::{Resize, Transform};

/// How an image gets its size, which is never beyond the source's own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Unchanged,
    /// It is cut out, as large as the source is.
    Cut(Size),
    /// It is scaled to exactly this.
    Scale(Size),
    /// It is scaled to the first size, which covers the second, and that is cut out.
    ScaleAndCut(Size, Size),
}

impl Target {
    /// What the image is scaled to, if it is, and what comes out.
    pub(super) fn sizes(self, source: Size) -> (Option<Size>, Size) {
        match self {
            Self::Unchanged => (None, source),
            Self::Cut(size) => (None, size),
            Self::Scale(size) => (Some(size), size),
            Self::ScaleAndCut(scaled, cut) => (Some(scaled), cut),
        }
    }
}

/// How an image of a size becomes what is wanted.
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
        // It cannot fill the size without growing: what is beyond the size is cut off, the rest stays as it is.
        Resize::Cover if wanted.width >= width || wanted.height >= height => Target::Cut(within),
        Resize::Cover => {
            let covering = by(ratios.0.max(ratios.1));
            let covering = Size { width: covering.width.max(wanted.width), height: covering.height.max(wanted.height) };
            Target::ScaleAndCut(covering, wanted)
        }
    }
}

/// Makes an image the size that is wanted.
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

/// A side at a ratio, at least a pixel.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the type's range")]
fn rounded(side: u32, ratio: f64) -> u32 {
    (f64::from(side) * ratio).round().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// A side that keeps its proportion to the other one.
fn scaled(side: u32, wanted: u32, of: u32) -> u32 {
    let exact = (u64::from(side) * u64::from(wanted) + u64::from(of) / 2) / u64::from(of.max(1));
    u32::try_from(exact).unwrap_or(u32::MAX).max(1)
}
