//! Memory files found, read, imported, saved and watched in real folders.

#[cfg(test)]
mod desk;
#[cfg(test)]
#[cfg(unix)]
mod escaping;
#[cfg(test)]
mod finding;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod importing;
#[cfg(test)]
mod saving;
#[cfg(test)]
mod watching;
