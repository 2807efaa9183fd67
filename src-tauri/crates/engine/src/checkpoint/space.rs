//! How much room a disk has left, and when that is too little for checkpoints that nobody asked for.

/// Below this, automatic checkpoints stop: what is left is for conversations.
const LOW_BYTES: u64 = 512 * 1024 * 1024;

/// Below this part of the whole, as a divisor, they stop too.
const LOW_PART: u64 = 100;

/// Bytes of the file system that holds the data folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Free for this person.
    pub free: u64,
    /// In all.
    pub total: u64,
}

impl Space {
    /// Whether it is nearly full.
    pub fn is_low(self) -> bool {
        self.free < LOW_BYTES.max(self.total / LOW_PART)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const MIB: u64 = 1024 * 1024;

    #[rstest]
    #[case(511, 10_000, true)]
    #[case(512, 10_000, false)]
    #[case(9_999, 1_000_000, true)]
    #[case(10_000, 1_000_000, false)]
    #[case(0, 0, true)]
    fn a_disk_is_nearly_full_below_half_a_gigabyte_or_a_hundredth(
        #[case] free: u64,
        #[case] total: u64,
        #[case] is_low: bool,
    ) {
        assert_eq!(Space { free: free * MIB, total: total * MIB }.is_low(), is_low);
    }
}
