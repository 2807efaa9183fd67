//! Where a term occurs: places and counts, as differences of seven bits a byte.

use smallvec::SmallVec;

/// The places of one term, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Postings {
    /// Most terms stand in one message or two, which takes no allocation.
    bytes: SmallVec<[u8; 16]>,
    last: u32,
    /// How many messages have the term.
    pub messages: u32,
}

impl Postings {
    /// Adds a place, which comes after those before it.
    pub(super) fn push(&mut self, place: u32, count: u32) {
        let gap = if self.messages == 0 { place } else { place - self.last };
        // Most terms stand once in a message: a bit says so.
        if count == 1 {
            write(&mut self.bytes, u64::from(gap) << 1 | 1);
        } else {
            write(&mut self.bytes, u64::from(gap) << 1);
            write(&mut self.bytes, u64::from(count));
        }
        self.last = place;
        self.messages += 1;
    }

    /// Places and counts, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, f32)> {
        let mut bytes = self.bytes.iter();
        let mut place = 0;
        std::iter::from_fn(move || {
            let gap = read(&mut bytes)?;
            place += gap >> 1;
            let count = if gap & 1 == 1 { 1 } else { read(&mut bytes)? };
            Some((place as usize, count as f32))
        })
    }
}

fn write(bytes: &mut SmallVec<[u8; 16]>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u64> {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let byte = *bytes.next()?;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(gaps in prop::collection::vec((1u32..100_000, 1u32..400), 0..50)) {
            let mut postings = Postings::default();
            let mut place = 0;
            let mut expected = Vec::new();
            for (gap, count) in gaps {
                place += gap;
                postings.push(place, count);
                expected.push((place as usize, count as f32));
            }
            prop_assert_eq!(postings.iter().collect::<Vec<_>>(), expected);
        }
    }
}
