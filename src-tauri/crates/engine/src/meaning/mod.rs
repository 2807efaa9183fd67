//! Meaning: vectors of what was said, where the person chose an embedder.
//!
//! A message becomes [`pieces`], the stretches that recall ranks; a piece becomes a vector by an [`Embedder`], and a vector is
//! kept as a [`Compact`]: one byte a dimension. The nearest to a question are candidates of recall beside those that share
//! words with it, and how far they stand out speaks for them by learned weights. The `app` crate makes the vectors in the background
//! (`app/src/search/meaning.rs`), storage keeps and scans them. Nothing depends on it: without an embedder every answer is the
//! one that words give. Deliberately absent: what tools answered and what stands in files, which never become vectors.

mod compact;
mod pieces;
mod port;
mod settings;
mod standing;

pub use compact::Compact;
pub use pieces::{asking, pieces};
pub use port::{
    Embedded, EmbeddedLine, Embedder, Embedders, Embedding, LocalEmbedder, Near, Purpose, Unread,
    Vectors, VectorsKept,
};
pub use settings::{EmbedderChoice, MeaningSettings};
pub use standing::{nearness, standing, standings, stands_out};
