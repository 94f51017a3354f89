//! Images of another size, shape or format: what is asked for, how it is computed, and how much of that runs at once.

pub(crate) mod cache;
pub(crate) mod gravity;
mod lenient_png;
mod memory;
pub(crate) mod permits;
pub(crate) mod pixels;
mod sizing;
mod srgb;
pub(crate) mod transform;
