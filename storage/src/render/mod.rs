//! Transforms images: parses the parameters, renders, and limits concurrency and memory.

pub(crate) mod cache;
pub(crate) mod gravity;
mod lenient_png;
mod memory;
pub(crate) mod permits;
pub(crate) mod pixels;
mod sizing;
mod srgb;
mod svg;
mod svg_repair;
pub(crate) mod transform;
