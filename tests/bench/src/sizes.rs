//! How much is measured: as much as the tables say, or so little that a run only shows whether everything still runs.

/// Numbers of what is measured.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Messages of the long history.
    pub long: usize,
    /// Messages of the short history, which growth is measured against.
    pub short: usize,
    /// Conversations of a list.
    pub conversations: usize,
    /// Files beside the memory files: of the usual tree, of a small and of a large one.
    pub others: [usize; 3],
    /// Folders of 100 files each.
    pub folders: usize,
    /// Files and bytes of each, of the projects that checkpoints are taken of.
    pub projects: [(usize, usize); 2],
    /// Sessions of other agents, the records of each, and the lines that a tool answers.
    pub sessions: [usize; 3],
    /// Messages before the question that is typed.
    pub typed: [usize; 3],
    /// Messages before the fold that is measured.
    pub folded: [usize; 3],
    /// Bytes of a text that is counted.
    pub text: usize,
    /// Letters of a run without a blank: a short one, which others count too, and a long one.
    pub run: [usize; 2],
    /// Letters without a blank that stand in the composer: a few, and four times as many.
    pub pasted: [usize; 2],
    /// Messages that others trim to a window; they take seconds for a thousand.
    pub trimmed: usize,
}

/// What the page shows.
pub const WHOLE: Sizes = Sizes {
    long: 100_000,
    short: 4_000,
    conversations: 500,
    others: [20_000, 2_000, 200_000],
    folders: 10_000,
    projects: [(10_000, 20_000), (100_000, 4_000)],
    sessions: [16_000, 21, 700],
    typed: [4_000, 100_000, 1_000_000],
    // A segment stands for six messages.
    folded: [600, 6_000, 60_000],
    text: 1_000_000,
    run: [5_000, 50_000],
    pasted: [5_000, 20_000],
    trimmed: 1_000,
};

/// Enough to see that it runs.
pub const SMALL: Sizes = Sizes {
    long: 2_000,
    short: 400,
    conversations: 20,
    others: [2_000, 400, 4_000],
    folders: 20,
    projects: [(200, 2_000), (600, 1_000)],
    sessions: [20, 30, 40],
    typed: [24, 400, 2_400],
    folded: [24, 48, 96],
    text: 30_000,
    run: [500, 2_000],
    pasted: [500, 2_000],
    trimmed: 100,
};

/// A number as people write it.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
