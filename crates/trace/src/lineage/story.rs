//! Events that remember what led to them, for as long as somebody may ask.
//!
//! Most of what happens ends well, and nobody asks. So an event is held by those that it led to, and goes with the last
//! of them; once one of them is told, so is everything that led to it.
//!
//! Holds     - an event is written once, after it has ended
//!           - what is written names only events that are written

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::row::{Id, Row};

/// An event, shared by those that it led to.
pub(super) type Event = Rc<Known>;

/// An event and what led to it.
#[derive(Debug)]
pub(super) struct Known {
    row: RefCell<Row>,
    because: RefCell<Option<Event>>,
    has_ended: Cell<bool>,
    is_wanted: Cell<bool>,
    is_written: Cell<bool>,
}

impl Known {
    /// An event that has happened, or that goes on.
    pub(super) fn new(row: Row, because: Option<Event>, has_ended: bool) -> Event {
        Rc::new(Self {
            row: RefCell::new(Row { because: because.as_ref().map(|event| event.id()), ..row }),
            because: RefCell::new(because),
            has_ended: Cell::new(has_ended),
            is_wanted: Cell::new(false),
            is_written: Cell::new(false),
        })
    }

    pub(super) fn id(&self) -> Id {
        self.row.borrow().id
    }

    /// Looks at its row, which may change until it has ended.
    pub(super) fn row<T>(&self, look: impl FnOnce(&mut Row) -> T) -> T {
        look(&mut self.row.borrow_mut())
    }

    /// It has ended. Returns whether it was asked for meanwhile.
    pub(super) fn end(&self) -> bool {
        self.has_ended.set(true);
        self.is_wanted.get()
    }
}

/// Writes an event and all that led to it, each once; what goes on will be written when it has ended.
pub(super) fn tell(event: &Event, mut write: impl FnMut(&Row)) {
    let mut next = Some(Rc::clone(event));
    while let Some(event) = next {
        if event.is_written.get() || (event.is_wanted.get() && !event.has_ended.get()) {
            return;
        }
        event.is_wanted.set(true);
        if !event.has_ended.get() {
            next = event.because.borrow().clone();
            continue;
        }
        event.is_written.set(true);
        write(&event.row.borrow());
        next = event.because.take();
    }
}
