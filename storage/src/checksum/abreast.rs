//! The checksums of several streams, taken further together: block beside block as long as they have blocks, the rest alone.

use std::array::from_fn;
use std::slice::Iter;

use bytes::Bytes;
use md5::digest::common::hazmat::SerializableState;
use md5::{Digest, Md5};
use pulp::{Arch, Simd, WithSimd};
use wide::{u32x4, u32x8};

use super::lanes::{Block, State, Words, advance};

/// So many streams are taken further at once.
pub(super) const LANES: usize = 8;
/// Without optimisation the lanes are slower than md-5, which always has it (Cargo.toml).
const LANES_PAY: bool = cfg!(any(test, not(debug_assertions)));

const BLOCK: usize = size_of::<Block>();
/// How md-5 writes a state down: the words, the number of blocks before, and how many bytes of a block wait, and those.
const WORDS: usize = size_of::<State>();
const BLOCKS: usize = WORDS + size_of::<u64>();

/// A checksum, and the bytes that it is to take in.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) md5: Md5,
    pub(super) chunks: Vec<Bytes>,
}

/// Takes all bytes in.
pub(super) fn sum_up(batches: &mut [Batch]) {
    sum_up_by(Arch::new(), batches);
}

fn sum_up_by(processor: Arch, batches: &mut [Batch]) {
    let mut lanes: Vec<_> = batches.iter_mut().map(Lane::new).collect();
    if LANES_PAY {
        let least = if takes_one_faster(processor) { 1 } else { 2 };
        loop {
            lanes.retain_mut(Lane::line_up);
            if lanes.len() < least {
                break;
            }
            processor.dispatch(GoOn(&mut lanes));
        }
    }
    lanes.iter_mut().for_each(Lane::go_on_alone);
}

/// Whether a stream alone is faster in a vector, of which it fills one lane, than in md-5. AVX-512 has one instruction each for what
/// MD5 needs two or three: rotating, and choosing bits by others.
#[cfg(target_arch = "x86_64")]
fn takes_one_faster(processor: Arch) -> bool {
    matches!(processor, Arch::V4(_))
}

#[cfg(not(target_arch = "x86_64"))]
fn takes_one_faster(_: Arch) -> bool {
    false
}

/// A stretch of the streams, in the best instructions that the processor turns out to have: those that every one has need half as
/// long again.
struct GoOn<'a, 'b>(&'a mut [Lane<'b>]);

impl WithSimd for GoOn<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        match self.0.len() {
            0 => {}
            1..=4 => go_on::<u32x4, 4>(self.0),
            _ => go_on::<u32x8, LANES>(self.0),
        }
    }
}

/// Takes the first streams over as many blocks as each of them has.
#[inline(always)]
fn go_on<W, const N: usize>(lanes: &mut [Lane<'_>])
where
    W: Words + From<[u32; N]> + Into<[u32; N]>,
{
    let count = lanes.iter().take(N).map(|lane| lane.blocks().len()).min().unwrap_or(0);
    // A lane that nobody needs repeats the first one.
    let streams = from_fn(|place| {
        let lane = lanes.get(place).or(lanes.first());
        lane.map_or((State::default(), [].as_slice()), |lane| (state(lane.md5), lane.blocks()))
    });
    let states = advance::<W, N>(streams);
    lanes.iter_mut().zip(states).for_each(|(lane, state)| lane.passed(count, state));
}

/// A checksum on its way.
struct Lane<'a> {
    md5: &'a mut Md5,
    ahead: &'a [u8],
    chunks: Iter<'a, Bytes>,
}

impl<'a> Lane<'a> {
    fn new(batch: &'a mut Batch) -> Self {
        Self { md5: &mut batch.md5, ahead: &[], chunks: batch.chunks.iter() }
    }

    /// The whole blocks that lie ahead in one piece.
    fn blocks(&self) -> &'a [Block] {
        self.ahead.as_chunks().0
    }

    /// Goes on alone to where whole blocks lie ahead, or to the end; returns whether there are any.
    fn line_up(&mut self) -> bool {
        loop {
            let missing = missing(self.md5);
            if missing == 0 && !self.blocks().is_empty() {
                return true;
            }
            let alone = if missing == 0 { BLOCK } else { missing };
            let (now, later) = self.ahead.split_at(alone.min(self.ahead.len()));
            self.md5.update(now);
            self.ahead = later;
            if later.is_empty() {
                match self.chunks.next() {
                    Some(chunk) => self.ahead = chunk,
                    None => return false,
                }
            }
        }
    }

    /// Notes that the lanes have taken in so many blocks.
    fn passed(&mut self, count: usize, state: State) {
        let (now, later) = self.ahead.split_at(count.saturating_mul(BLOCK).min(self.ahead.len()));
        match further(self.md5, count, state) {
            Some(md5) => *self.md5 = md5,
            None => self.md5.update(now),
        }
        self.ahead = later;
    }

    fn go_on_alone(&mut self) {
        self.md5.update(self.ahead);
        self.chunks.by_ref().for_each(|chunk| self.md5.update(chunk));
        self.ahead = &[];
    }
}

/// How many bytes the block that has begun still lacks.
fn missing(md5: &Md5) -> usize {
    match md5.serialize().get(BLOCKS).copied().map_or(0, usize::from) {
        0 => 0,
        begun => BLOCK.saturating_sub(begun),
    }
}

fn state(md5: &Md5) -> State {
    let mut state = State::default();
    let saved = md5.serialize();
    for (word, saved) in state.iter_mut().zip(saved.as_chunks().0) {
        *word = u32::from_le_bytes(*saved);
    }
    state
}

/// The checksum so many whole blocks later, where it has this state.
fn further(md5: &Md5, count: usize, state: State) -> Option<Md5> {
    let mut saved = md5.serialize();
    for (saved, word) in saved.as_chunks_mut().0.iter_mut().zip(state) {
        *saved = word.to_le_bytes();
    }
    let blocks = saved.get_mut(WORDS..BLOCKS)?.as_mut_array::<8>()?;
    *blocks = u64::from_le_bytes(*blocks).wrapping_add(count as u64).to_le_bytes();
    Md5::deserialize(&saved).ok()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn chunks() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let chunk = prop_oneof![
            vec(any::<u8>(), 0..200),
            vec(any::<u8>(), 0..5000),
            (0_usize..5).prop_map(|n| vec![7; n * 64])
        ];
        vec(chunk, 0..8)
    }

    /// This processor, and all that it can pass for.
    fn processors() -> Vec<Arch> {
        #[cfg(target_arch = "x86_64")]
        let lesser = pulp::x86::V3::try_new().map(Arch::V3);
        #[cfg(not(target_arch = "x86_64"))]
        let lesser = None;
        [Arch::new(), Arch::Scalar].into_iter().chain(lesser).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn sums_up_as_one_stream_would_be(streams in vec((vec(any::<u8>(), 0..200), chunks()), 0..=LANES + 2)) {
            let batch = |(before, chunks): &(Vec<u8>, Vec<Vec<u8>>)| Batch {
                md5: Md5::new_with_prefix(before),
                chunks: chunks.iter().cloned().map(Bytes::from).collect(),
            };
            for processor in processors() {
                let mut batches: Vec<_> = streams.iter().map(batch).collect();
                sum_up_by(processor, &mut batches);
                for ((before, chunks), batch) in streams.iter().zip(batches) {
                    let alone = Md5::new_with_prefix(before).chain_update(chunks.concat());
                    prop_assert_eq!(alone.serialize(), batch.md5.serialize());
                    prop_assert_eq!(alone.finalize(), batch.md5.finalize());
                }
            }
        }
    }
}
