//! Which slots have a list of parts.

use super::Part;
use crate::table::Table;

/// A slot, by the trait of its mechanisms: `dyn Avoidance` and so on. There are no others.
pub trait Slot: 'static {
    /// Its name in scenario files.
    const NAME: &'static str;

    /// Everything that can fill it.
    #[doc(hidden)]
    fn table() -> &'static Table<Part<Self>>;
}
