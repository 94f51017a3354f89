//! Converts images to sRGB. Rendered images contain no colour profile, and browsers assume sRGB for images without a profile.

use image::DynamicImage;
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

/// Maximum size of a colour profile in bytes. Printer profiles have about 3 MB and do not apply to RGB pixels.
const MAX_PROFILE_BYTES: usize = 1024 * 1024;

/// Converts the colours of an image to sRGB. The image is unchanged if it has no profile, an invalid profile, or a profile for another
/// colour model (such as CMYK, which the decoder has converted to RGB).
pub(super) fn to_srgb(image: DynamicImage, profile: Option<&[u8]>) -> DynamicImage {
    let Some(profile) = profile.filter(|profile| profile.len() <= MAX_PROFILE_BYTES) else { return image };
    let Ok(profile) = ColorProfile::new_from_slice(profile) else { return image };
    converted(&image, &profile).unwrap_or(image)
}

/// Returns the image in sRGB with 8 bits per channel, or `None` if the profile does not apply to the image.
fn converted(image: &DynamicImage, profile: &ColorProfile) -> Option<DynamicImage> {
    let has_alpha = image.color().has_alpha();
    let layout = if has_alpha { Layout::Rgba } else { Layout::Rgb };
    let source_layout = match (profile.color_space, image.color().has_color()) {
        (DataColorSpace::Rgb, true) => layout,
        (DataColorSpace::Gray, false) if has_alpha => Layout::GrayAlpha,
        (DataColorSpace::Gray, false) => Layout::Gray,
        _ => return None,
    };
    let srgb = ColorProfile::new_srgb();
    let transform = profile.create_transform_8bit(source_layout, &srgb, layout, TransformOptions::default()).ok()?;
    let source = match source_layout {
        Layout::Gray => image.to_luma8().into_raw(),
        Layout::GrayAlpha => image.to_luma_alpha8().into_raw(),
        Layout::Rgba => image.to_rgba8().into_raw(),
        _ => image.to_rgb8().into_raw(),
    };
    let (width, height) = (image.width(), image.height());
    if has_alpha {
        let mut pixels = image::RgbaImage::new(width, height);
        transform.transform(&source, &mut pixels).ok()?;
        return Some(pixels.into());
    }
    let mut pixels = image::RgbImage::new(width, height);
    transform.transform(&source, &mut pixels).ok()?;
    Some(pixels.into())
}

#[cfg(test)]
mod tests {
    use image::{GrayImage, Luma, Rgb, RgbImage};

    use super::*;

    fn profile(profile: &ColorProfile) -> Vec<u8> {
        profile.encode().unwrap()
    }

    #[test]
    fn what_is_no_profile_of_these_colors_changes_nothing() {
        let image = DynamicImage::from(RgbImage::from_pixel(2, 2, Rgb([200, 30, 40])));
        let gray = profile(&ColorProfile::new_gray_with_gamma(2.2));
        let mut long = profile(&ColorProfile::new_display_p3());
        long.resize(MAX_PROFILE_BYTES + 1, 0);
        for profile in [None, Some(&b""[..]), Some(b"no profile"), Some(&gray), Some(&gray[..100]), Some(&long)] {
            assert_eq!(to_srgb(image.clone(), profile), image);
        }
    }

    #[test]
    fn colors_of_a_wider_space_become_those_of_srgb() {
        let p3 = profile(&ColorProfile::new_display_p3());
        let image = DynamicImage::from(RgbImage::from_pixel(1, 1, Rgb([200, 100, 50])));
        // Computed from the transfer curve and the matrices of both colour spaces: (214.9, 92.6, 31.0).
        let converted = to_srgb(image, Some(&p3)).into_rgb8();
        for (channel, expected) in converted.get_pixel(0, 0).0.into_iter().zip([215, 93, 31]) {
            assert!(channel.abs_diff(expected) <= 1, "{:?}", converted.get_pixel(0, 0));
        }
    }

    #[test]
    fn gray_keeps_its_size_and_alpha() {
        let gray = profile(&ColorProfile::new_gray_with_gamma(1.0));
        let image = DynamicImage::from(GrayImage::from_pixel(3, 2, Luma([55])));
        let converted = to_srgb(image, Some(&gray));
        assert_eq!((converted.width(), converted.height()), (3, 2));
        // Linear 0.216 is 0.502 in sRGB.
        assert!(converted.into_rgb8().get_pixel(2, 1)[0].abs_diff(128) <= 2);
    }
}
