//! Random numbers that follow from a seed (SplitMix64).

pub struct Random(u64);

impl Random {
    /// Those of a seed, other ones for each stream.
    pub fn new(seed: u64, stream: &str) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hash(stream.as_bytes()))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// Whether it happens, in so many of 100 cases.
    pub fn percent(&mut self, cases: usize) -> bool {
        self.below(100) < cases
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        (!from.is_empty()).then(|| &from[self.below(from.len())])
    }

    /// One of those that must be there.
    pub fn one<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// FNV-1a, the same in each build.
pub fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}
