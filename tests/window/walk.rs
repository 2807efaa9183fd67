//! A walk.
