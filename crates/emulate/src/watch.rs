//! How a loop beside the clock is watched, told things and stopped, from other threads.
//!
//! Holds     whoever says something hears what came of it, or that the loop is over; a loop that nobody tells anything
//!           looks at a flag, no more

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use hopwright_machine::Time;

use crate::command::Command;
use crate::waiting::Bell;

/// See the file's header. `S`: how things stand.
#[derive(Debug)]
pub struct Watch<S> {
    /// Rings when something was said.
    bell: Bell,
    stopped: AtomicBool,
    has_said: AtomicBool,
    said: Mutex<Vec<Said>>,
    status: Mutex<(Time, S)>,
}

/// A command, and where to say what came of it.
pub(crate) type Said = (Command, Sender<Result<Time, String>>);

impl<S: Clone + Default> Watch<S> {
    /// # Errors
    /// If the system has no descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            bell: Bell::new()?,
            stopped: AtomicBool::new(false),
            has_said: AtomicBool::new(false),
            said: Mutex::default(),
            status: Mutex::new((Time::ZERO, S::default())),
        })
    }

    /// Makes the loop return soon.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.bell.ring();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Has a command carried out soon. What comes back is when it took effect, or why it did not; nothing where the loop
    /// ends before.
    ///
    /// # Panics
    /// If the loop has.
    #[must_use]
    pub fn say(&self, command: Command) -> Receiver<Result<Time, String>> {
        let (told, hears) = channel();
        self.said.lock().expect("nobody panics while it holds this").push((command, told));
        // In this order: a loop that sees the flag finds the bell rung, and silences it.
        self.bell.ring();
        self.has_said.store(true, Ordering::SeqCst);
        hears
    }

    /// How things stood a moment ago, and when that was.
    ///
    /// # Panics
    /// If the loop has.
    #[must_use]
    pub fn status(&self) -> (Time, S) {
        self.status.lock().expect("nobody panics while it holds this").clone()
    }

    /// What has been said since.
    pub(crate) fn heard(&self) -> Vec<Said> {
        if !self.has_said.swap(false, Ordering::SeqCst) {
            return Vec::new();
        }
        self.bell.hear();
        std::mem::take(&mut *self.said.lock().expect("nobody panics while it holds this"))
    }

    /// How things stand now.
    pub(crate) fn tell(&self, now: Time, status: S) {
        *self.status.lock().expect("nobody panics while it holds this") = (now, status);
    }
}

impl<S> AsFd for Watch<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
