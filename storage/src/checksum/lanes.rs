//! MD5's step from block to block (RFC 1321), for several streams at once: each lane of a vector is another stream.
//!
//! One stream alone waits for the result of each addition before the next; several fill the time in which it waits.
//! The state is md-5's own, so that a sum can go on alone, be saved, and be resumed: no crate of several lanes opens its state.

use std::array::from_fn;
use std::hint::black_box;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// The four words that MD5 carries from block to block.
pub(super) type State = [u32; 4];
/// What MD5 takes in at once.
pub(super) type Block = [u8; 64];

/// A word of each stream.
pub(super) trait Words:
    Copy
    + From<u32>
    + Add<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
}

impl Words for wide::u32x4 {}
impl Words for wide::u32x8 {}

/// What the steps add, four steps each.
static CONSTANTS: [[u32; 4]; 16] = [
    [0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee],
    [0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501],
    [0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be],
    [0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821],
    [0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa],
    [0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8],
    [0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed],
    [0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a],
    [0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c],
    [0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70],
    [0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05],
    [0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665],
    [0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039],
    [0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1],
    [0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1],
    [0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391],
];

/// Takes each stream over its blocks, as far as the shortest goes.
#[inline(always)]
pub(super) fn advance<W, const N: usize>(streams: [(State, &[Block]); N]) -> [State; N]
where
    W: Words + From<[u32; N]> + Into<[u32; N]>,
{
    // What the compiler knows it adds last, and each step would wait for it; what is already there is added early.
    let constants = black_box(&CONSTANTS);
    let [mut a, mut b, mut c, mut d] = from_fn(|place| W::from(streams.map(|(state, _)| at(&state, place))));
    let shortest = streams.iter().map(|(_, blocks)| blocks.len()).min().unwrap_or(0);
    let mut streams = streams.map(|(_, blocks)| blocks.iter());
    for _ in 0..shortest {
        let blocks = streams.each_mut().map(|blocks| blocks.next().unwrap_or(&[0; 64]).as_chunks().0);
        let mut words = [W::from(0); 16];
        for (place, word) in words.iter_mut().enumerate() {
            *word = W::from(blocks.map(|block: &[[u8; 4]]| u32::from_le_bytes(at(block, place))));
        }
        let [e, f, g, h] = mix([a, b, c, d], words, constants);
        (a, b, c, d) = (a + e, b + f, c + g, d + h);
    }
    let words: [[u32; N]; 4] = [a, b, c, d].map(Into::into);
    from_fn(|lane| words.map(|lanes| at(&lanes, lane)))
}

/// What is there; the compiler sees that it always is.
#[inline(always)]
fn at<T: Copy + Default>(items: &[T], place: usize) -> T {
    items.get(place).copied().unwrap_or_default()
}

/// The 64 steps over one block of each stream.
#[inline(always)]
#[rustfmt::skip]
fn mix<W: Words>(s: [W; 4], words: [W; 16], constants: &[[u32; 4]; 16]) -> [W; 4] {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = words;

    let by = [7, 12, 17, 22];
    let s = four(first, s, by, [a, b, c, d], constants[0]);
    let s = four(first, s, by, [e, f, g, h], constants[1]);
    let s = four(first, s, by, [i, j, k, l], constants[2]);
    let s = four(first, s, by, [m, n, o, p], constants[3]);

    let by = [5, 9, 14, 20];
    let s = four(second, s, by, [b, g, l, a], constants[4]);
    let s = four(second, s, by, [f, k, p, e], constants[5]);
    let s = four(second, s, by, [j, o, d, i], constants[6]);
    let s = four(second, s, by, [n, c, h, m], constants[7]);

    let by = [4, 11, 16, 23];
    let s = four(third, s, by, [f, i, l, o], constants[8]);
    let s = four(third, s, by, [b, e, h, k], constants[9]);
    let s = four(third, s, by, [n, a, d, g], constants[10]);
    let s = four(third, s, by, [j, m, p, c], constants[11]);

    let by = [6, 10, 15, 21];
    let s = four(fourth, s, by, [a, h, o, f], constants[12]);
    let s = four(fourth, s, by, [m, d, k, b], constants[13]);
    let s = four(fourth, s, by, [i, p, g, n], constants[14]);
    four(fourth, s, by, [e, l, c, j], constants[15])
}

/// Four steps: each of the four words has its turn.
#[inline(always)]
fn four<W: Words>(
    function: impl Fn(W, W, W) -> W,
    [a, b, c, d]: [W; 4],
    [by_a, by_d, by_c, by_b]: [u32; 4],
    [for_a, for_d, for_c, for_b]: [W; 4],
    [add_a, add_d, add_c, add_b]: [u32; 4],
) -> [W; 4] {
    let a = step(a, function(b, c, d), for_a, add_a, by_a) + b;
    let d = step(d, function(a, b, c), for_d, add_d, by_d) + a;
    let c = step(c, function(d, a, b), for_c, add_c, by_c) + d;
    let b = step(b, function(c, d, a), for_b, add_b, by_b) + c;
    [a, b, c, d]
}

#[inline(always)]
fn step<W: Words>(word: W, mixed: W, taken: W, constant: u32, by: u32) -> W {
    // What is known early is added first; `mixed` hangs on the step before.
    let sum = (word + (taken + W::from(constant))) + mixed;
    (sum << by) | (sum >> (32 - by))
}

#[inline(always)]
fn first<W: Words>(x: W, y: W, z: W) -> W {
    z ^ (x & (y ^ z))
}

#[inline(always)]
fn second<W: Words>(x: W, y: W, z: W) -> W {
    // A bit is set in one of the two at most: `+` is `|` here, and the half that is known early can be added early.
    (x & z) + (y & !z)
}

#[inline(always)]
fn third<W: Words>(x: W, y: W, z: W) -> W {
    x ^ (y ^ z)
}

#[inline(always)]
fn fourth<W: Words>(x: W, y: W, z: W) -> W {
    y ^ (x | !z)
}
