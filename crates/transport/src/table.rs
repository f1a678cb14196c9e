//! Lists that grow.

use core::fmt;
use std::sync::{PoisonError, RwLock};

/// A list that grows: what was read of it before stays as it was.
#[doc(hidden)]
pub struct Table<T: 'static>(RwLock<&'static [T]>);

impl<T> Table<T> {
    pub(crate) const fn new(entries: &'static [T]) -> Self {
        Self(RwLock::new(entries))
    }

    pub(crate) fn all(&self) -> &'static [T] {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Other entries instead of those, which readers may still hold: they are never freed. A program registers a few
    /// things, and not for ever.
    pub(crate) fn replace(&self, entries: Vec<T>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = entries.leak();
    }
}

impl<T: Clone> Table<T> {
    pub(crate) fn add(&self, entry: T) {
        self.replace(self.all().iter().cloned().chain([entry]).collect());
    }
}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entries", self.all().len())
    }
}
