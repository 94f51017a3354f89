//! Parses image transformations, as described in queries, request bodies and signed URLs.

use sha2::{Digest, Sha256};

use super::gravity::Gravity;
use crate::backend::BlobKey;
use crate::error::Result;
use crate::fields::Fields;

/// Method of fitting an image into the requested size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Resize {
    /// Scales the image to cover the requested size and crops the excess.
    #[default]
    Cover,
    /// Scales the image to fit into the requested size.
    Contain,
    /// Stretches the image to the requested size.
    Fill,
}

/// The requested output format of a rendered image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The format of the source image.
    Origin,
    Avif,
    Webp,
}

/// An image transformation. All parameters are optional. Without parameters, the image is only re-encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Transform {
    pub(crate) width: Option<u32>,
    pub(crate) height: Option<u32>,
    pub(crate) resize: Option<Resize>,
    pub(crate) quality: Option<u8>,
    pub(crate) format: Option<Wanted>,
    pub(crate) gravity: Option<Gravity>,
}

/// Number of pixels of a rendered image up to which every encoder needs only one or two seconds.
const MAX_QUICK_PIXELS: u64 = 500_000;
const RESIZES: [&str; 3] = ["cover", "contain", "fill"];
const FORMATS: [&str; 3] = ["origin", "avif", "webp"];

impl Transform {
    /// Parses a transformation in the fields of a query or of a body's `transform`. Violations are added to `fields`.
    pub(crate) fn of(fields: &mut Fields) -> Self {
        let mut size = |name| {
            fields
                .integer(name, 0, i64::MAX)
                .filter(|size| *size > 0)
                .map(|size| u32::try_from(size).unwrap_or(u32::MAX))
        };
        let (width, height) = (size("width"), size("height"));
        Self {
            width,
            height,
            resize: fields.choice("resize", &RESIZES).map(Resize::of),
            quality: fields.integer("quality", 20, 100).and_then(|quality| u8::try_from(quality).ok()),
            format: fields.choice("format", &FORMATS).map(Wanted::of),
            gravity: Gravity::of(fields),
        }
    }

    /// Parses the transformation in a query.
    ///
    /// # Errors
    /// [`crate::error::Error::Schema`] with all invalid parameters.
    pub(crate) fn of_query(query: Option<&str>) -> Result<Self> {
        let mut fields = Fields::of_query(query);
        let transform = Self::of(&mut fields);
        fields.finish()?;
        Ok(transform)
    }

    /// Parses the transformation in the claims of a signed URL.
    ///
    /// # Errors
    /// If another server signed the URL with values that Cloch does not support.
    pub(crate) fn of_signed_url(transformations: Option<&str>, format: Option<&str>) -> Result<Self> {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in transformations.unwrap_or_default().split(',').filter_map(|pair| pair.split_once(':')) {
            let mut values = value.split(':');
            query.append_pair(name, values.next().unwrap_or_default());
            for (name, value) in ["x_offset", "y_offset"].into_iter().zip(values) {
                query.append_pair(name, value);
            }
        }
        if let Some(format) = format {
            query.append_pair("format", format);
        }
        Self::of_query(Some(&query.finish()))
    }

    /// Returns the transformation as claims for a signed URL: transformations and format.
    pub(crate) fn for_signed_url(&self) -> (Option<String>, Option<&'static str>) {
        let mut parts = self.sizes();
        if self.width.or(self.height).is_some() {
            parts.push(format!("resize:{}", self.resize.unwrap_or_default().name()));
        }
        parts.extend(self.quality.map(|quality| format!("quality:{quality}")));
        parts.extend(self.gravity.map(|gravity| gravity.text()));
        let format = self.format.and_then(Wanted::explicit);
        (Some(parts.join(",")).filter(|text| !text.is_empty()), format)
    }

    /// Whether rendering may take several seconds, because the rendered image is large or of unknown size and its format has a slow
    /// encoder.
    pub(crate) fn takes_long(&self, accepts_webp: bool) -> bool {
        let is_slow_format = match self.format {
            Some(wanted) => wanted.explicit().is_some(),
            None => accepts_webp,
        };
        let sides = self.width.or(self.height).zip(self.height.or(self.width));
        is_slow_format && sides.is_none_or(|(width, height)| u64::from(width) * u64::from(height) > MAX_QUICK_PIXELS)
    }

    /// Returns the transformation with width and height limited to `max` pixels.
    pub(crate) fn clamped(&self, max: u32) -> Self {
        Self {
            width: self.width.map(|width| width.min(max)),
            height: self.height.map(|height| height.min(max)),
            ..*self
        }
    }

    /// Returns the value of the `X-Transformations` header; `None` if no parameter is set.
    pub(crate) fn applied(&self) -> Option<String> {
        let mut parts = self.sizes();
        if self.width.or(self.height).is_some() {
            let kind = match self.resize.unwrap_or_default() {
                Resize::Cover => "fill",
                Resize::Contain => "fit",
                Resize::Fill => "force",
            };
            parts.push(format!("resizing_type:{kind}"));
        }
        parts.extend(self.quality.map(|quality| format!("quality:{quality}")));
        parts.extend(self.format.and_then(Wanted::explicit).map(|format| format!("format:{format}")));
        parts.extend(self.gravity.map(|gravity| gravity.text()));
        Some(parts.join(",")).filter(|text| !text.is_empty())
    }

    fn sizes(&self) -> Vec<String> {
        let height = self.height.map(|height| format!("height:{height}"));
        let width = self.width.map(|width| format!("width:{width}"));
        height.into_iter().chain(width).collect()
    }

    /// Returns the file name of the rendered image in the render cache. The name begins with the key of the object's blob. The content of a
    /// blob never changes, so cached images stay valid. They can be deleted together with the blob ([`super::cache`]).
    pub(crate) fn cache_name(&self, key: BlobKey, accepts_webp: bool) -> String {
        format!("{key}.{}", hex::encode(Sha256::digest(format!("{self:?} {accepts_webp}"))))
    }
}

impl Resize {
    fn of(name: &str) -> Self {
        match name {
            "contain" => Self::Contain,
            "fill" => Self::Fill,
            _ => Self::Cover,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Cover => "cover",
            Self::Contain => "contain",
            Self::Fill => "fill",
        }
    }
}

impl Wanted {
    fn of(name: &str) -> Self {
        match name {
            "avif" => Self::Avif,
            "webp" => Self::Webp,
            _ => Self::Origin,
        }
    }

    fn explicit(self) -> Option<&'static str> {
        match self {
            Self::Origin => None,
            Self::Avif => Some("avif"),
            Self::Webp => Some("webp"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_cannot_be() {
        for query in ["width=-1", "width=1.5", "height=x", "quality=19", "quality=101", "resize=zoom", "format=bmp"] {
            assert!(Transform::of_query(Some(query)).is_err(), "{query}");
        }
    }

    #[test]
    fn a_signed_url_carries_it_whole() {
        let transform = Transform::of_query(Some("height=20&width=20&resize=contain&quality=60&format=webp")).unwrap();
        let (text, format) = transform.for_signed_url();
        assert_eq!((text.as_deref(), format), (Some("height:20,width:20,resize:contain,quality:60"), Some("webp")));
        assert_eq!(Transform::of_signed_url(text.as_deref(), format).unwrap(), transform);
        assert_eq!(Transform::of_query(Some("format=origin&width=0")).unwrap().for_signed_url(), (None, None));
        assert_eq!(transform.applied().unwrap(), "height:20,width:20,resizing_type:fit,quality:60,format:webp");
        assert_eq!(Transform::default().applied(), None);
        for gravity in ["gravity=no", "gravity=fp&x_offset=0.25&y_offset=1", "gravity=soea&x_offset=-3&y_offset=0.5"] {
            let transform = Transform::of_query(Some(gravity)).unwrap();
            let (text, format) = transform.for_signed_url();
            assert_eq!(Transform::of_signed_url(text.as_deref(), format).unwrap(), transform, "{gravity}");
            assert_eq!(transform.applied(), text);
        }
        let focus = Transform::of_query(Some("gravity=fp&x_offset=0.25&y_offset=1")).unwrap();
        assert_eq!(focus.applied().unwrap(), "gravity:fp:0.25:1");
    }

    #[test]
    fn sizes_are_clamped() {
        let transform = Transform::of_query(Some("width=99999999999")).unwrap().clamped(2000);
        assert_eq!(transform.width, Some(2000));
    }
}
