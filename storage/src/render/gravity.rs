//! Gravity of a crop: the part of an image that is kept when the image is cropped (an edge, a corner, the centre, a focus point, or the
//! part with the most detail).

use image::DynamicImage;

use crate::fields::Fields;

/// Maximum width and height of a thumbnail in pixels. The part with the most detail is searched in a thumbnail of this size.
const DETAIL_SIDE: u32 = 256;
const WORDS: [&str; 11] = ["no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce", "sm", "fp"];

/// Gravity as named by imgproxy, with an optional offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gravity {
    word: &'static str,
    x_offset: Option<f64>,
    y_offset: Option<f64>,
}

impl Gravity {
    /// Parses the gravity in the fields of a query or of a body's `transform`. `None` if no gravity is given. Violations are added to `fields`.
    pub(crate) fn of(fields: &mut Fields) -> Option<Self> {
        let word = fields.choice("gravity", &WORDS);
        let bounds = if word == Some("fp") { (0.0, 1.0) } else { (f64::MIN, f64::MAX) };
        let mut offset = |name| {
            if word == Some("fp") {
                fields.required(name);
            }
            fields.number(name, bounds.0, bounds.1)
        };
        let (x_offset, y_offset) = (offset("x_offset"), offset("y_offset"));
        Some(Self { word: word?, x_offset, y_offset })
    }

    /// Returns the gravity as text for signed URLs and headers.
    pub(crate) fn text(&self) -> String {
        match (self.word, self.x_offset, self.y_offset) {
            // Smart gravity (`sm`) has no offsets.
            ("sm", ..) | (_, None, None) => format!("gravity:{}", self.word),
            (word, x, y) => format!("gravity:{word}:{}:{}", x.unwrap_or(0.0), y.unwrap_or(0.0)),
        }
    }

    /// Crops the image to `width` and `height` in pixels, which must not exceed the width and height of the image.
    pub(super) fn cut(&self, image: &DynamicImage, width: u32, height: u32) -> DynamicImage {
        let (left, top) = self.position((image.width(), image.height()), (width, height), image);
        image.crop_imm(left, top, width, height)
    }

    /// Returns the left and top coordinates of the part of the image that is kept.
    fn position(&self, outer: (u32, u32), inner: (u32, u32), image: &DynamicImage) -> (u32, u32) {
        if self.word == "sm" {
            return most_detailed(image, inner);
        }
        let (offset_x, offset_y) = (self.x_offset.unwrap_or(0.0), self.y_offset.unwrap_or(0.0));
        if self.word == "fp" {
            let around = |outer: u32, inner: u32, at: f64| f64::from(outer) * at - f64::from(inner) / 2.0;
            let (left, top) = (around(outer.0, inner.0, offset_x), around(outer.1, inner.1, offset_y));
            return (rounded(left).min(outer.0 - inner.0), rounded(top).min(outer.1 - inner.1));
        }
        let along = |outer: u32, inner: u32, is_start: bool, is_end: bool, offset: f64| {
            // An offset with an absolute value below 1 is a fraction of the image's side, otherwise a number of pixels.
            let pixels = if offset.abs() < 1.0 { f64::from(outer) * offset } else { offset };
            let room = f64::from(outer - inner);
            let at = match (is_start, is_end) {
                (true, _) => pixels,
                (_, true) => room - pixels,
                _ => room / 2.0 + pixels,
            };
            rounded(at.min(room))
        };
        let has = |side: &str| self.word.contains(side);
        (
            along(outer.0, inner.0, has("we"), has("ea"), offset_x),
            along(outer.1, inner.1, has("no"), has("so"), offset_y),
        )
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the type's range")]
fn rounded(pixels: f64) -> u32 {
    pixels.round().clamp(0.0, f64::from(u32::MAX)) as u32
}

/// Returns the position of the crop window with the most detail, measured by differences between neighbouring pixels.
fn most_detailed(image: &DynamicImage, (width, height): (u32, u32)) -> (u32, u32) {
    let small = image.thumbnail(DETAIL_SIDE, DETAIL_SIDE).into_luma8();
    let (mut columns, mut rows) = (vec![0_u64; small.width() as usize], vec![0_u64; small.height() as usize]);
    for (x, y, pixel) in small.enumerate_pixels() {
        let next = |x: u32, y: u32| small.get_pixel_checked(x, y).unwrap_or(pixel).0[0];
        let change = u64::from(pixel.0[0].abs_diff(next(x + 1, y))) + u64::from(pixel.0[0].abs_diff(next(x, y + 1)));
        columns.iter_mut().skip(x as usize).take(1).for_each(|sum| *sum += change);
        rows.iter_mut().skip(y as usize).take(1).for_each(|sum| *sum += change);
    }
    let place = |sums: &[u64], outer: u32, inner: u32| {
        let scale = f64::from(outer) / f64::from(u32::try_from(sums.len()).unwrap_or(1).max(1));
        let window = (rounded(f64::from(inner) / scale) as usize).clamp(1, sums.len().max(1));
        let totals = sums.windows(window).map(|window| window.iter().sum::<u64>());
        // Of several windows with equal detail, the middle window is used, so that a uniform image is cropped at its centre.
        let best = totals.clone().max().unwrap_or(0);
        let places: Vec<usize> = totals.enumerate().filter(|(_, total)| *total == best).map(|(at, _)| at).collect();
        let at = places.get(places.len() / 2).copied().unwrap_or(0);
        rounded(f64::from(u32::try_from(at).unwrap_or(0)) * scale).min(outer - inner)
    };
    (place(&columns, image.width(), width), place(&rows, image.height(), height))
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};
    use proptest::prelude::*;

    use super::*;

    fn read(query: &str) -> crate::error::Result<Option<Gravity>> {
        let mut fields = Fields::of_query(Some(query));
        let gravity = Gravity::of(&mut fields);
        fields.finish().map(|()| gravity)
    }

    /// Creates a test image in which each pixel encodes its position: x in red, y in green.
    fn map(width: u32, height: u32) -> DynamicImage {
        let shade = |at: u32, of: u32| u8::try_from(at * 255 / of).unwrap();
        RgbImage::from_fn(width, height, |x, y| Rgb([shade(x, width), shade(y, height), 0])).into()
    }

    #[test]
    fn refuses_what_cannot_be() {
        for query in [
            "gravity=up",
            "gravity=",
            "gravity=fp",
            "gravity=fp&x_offset=0.5",
            "gravity=fp&x_offset=0.5&y_offset=1.1",
            "gravity=fp&x_offset=-0.1&y_offset=1",
            "gravity=no&x_offset=x",
            "x_offset=NaN",
            "x_offset=inf&gravity=ce",
        ] {
            assert!(read(query).is_err(), "{query}");
        }
        assert_eq!(read("x_offset=5").unwrap(), None);
    }

    #[test]
    fn every_word_keeps_its_part() {
        let image = map(100, 100);
        for (query, expected) in [
            ("gravity=no", (40, 0)),
            ("gravity=so", (40, 80)),
            ("gravity=ea", (80, 40)),
            ("gravity=we", (0, 40)),
            ("gravity=noea", (80, 0)),
            ("gravity=nowe", (0, 0)),
            ("gravity=soea", (80, 80)),
            ("gravity=sowe", (0, 80)),
            ("gravity=ce", (40, 40)),
            ("gravity=fp&x_offset=0.25&y_offset=0.75", (15, 65)),
            ("gravity=fp&x_offset=0&y_offset=1", (0, 80)),
            ("gravity=no&y_offset=5", (40, 5)),
            ("gravity=soea&x_offset=0.1&y_offset=3", (70, 77)),
            ("gravity=ce&x_offset=-10&y_offset=900", (30, 80)),
        ] {
            assert_eq!(read(query).unwrap().unwrap().position((100, 100), (20, 20), &image), expected, "{query}");
        }
    }

    #[test]
    fn detail_is_found() {
        let noise = |x: u32, y: u32| if (70..90).contains(&x) && (x + y).is_multiple_of(2) { [255; 3] } else { [9; 3] };
        let image: DynamicImage = RgbImage::from_fn(100, 50, |x, y| Rgb(noise(x, y))).into();
        let (left, top) = read("gravity=sm").unwrap().unwrap().position((100, 50), (30, 50), &image);
        assert!((60..=70).contains(&left) && top == 0, "{left} {top}");
    }

    #[test]
    fn a_filled_size_shows_the_kept_part() {
        let shown = |query: &str| {
            let image = read(query).unwrap().unwrap().cut(&map(40, 20), 20, 20);
            assert_eq!((image.width(), image.height()), (20, 20));
            image.to_rgb8().get_pixel(10, 10).0[0]
        };
        let (west, centre, east) = (shown("gravity=we"), shown("gravity=ce"), shown("gravity=ea"));
        assert!(west < 80 && (110..150).contains(&centre) && east > 170, "{west} {centre} {east}");
    }

    proptest! {
        #[test]
        fn the_part_lies_inside(
            word in proptest::sample::select(&WORDS[..]), x in -2000.0..2000.0_f64, y in -2.0..2.0_f64,
            outer in (1_u32..60, 1_u32..60), part in (0.01..1.0_f64, 0.01..1.0_f64),
        ) {
            let inner = (rounded(f64::from(outer.0) * part.0).max(1), rounded(f64::from(outer.1) * part.1).max(1));
            let gravity = Gravity { word, x_offset: Some(x), y_offset: Some(y) };
            let (left, top) = gravity.position(outer, inner, &map(outer.0, outer.1));
            prop_assert!(left + inner.0 <= outer.0 && top + inner.1 <= outer.1);
        }
    }
}
