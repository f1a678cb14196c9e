//! The loop: packets in, packets out, sleep.
//!
//! Everything that waits in the device is read before anything is answered, so that one acknowledgement
//! stands for all of it. Then the host's outputs are carried out, and the loop sleeps until a packet comes, a
//! timer runs out, or somebody rings.

use std::sync::atomic::Ordering;

use hopwright_host::{Config, Host, Input, Output};
use hopwright_machine::{Address, Machine, Time};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::apps::{App, Client};
use crate::clock::{Clock, stopwatch};
use crate::device::{Device, LARGEST_BURST, Read};
use crate::error::Error;
use crate::plan::Plan;
use crate::privileges::give_up_privileges;
use crate::server::Server;
use crate::settings::{Settings, Task};
use crate::source::Source;
use crate::summary::Summary;
use crate::target::Target;
use crate::watch::Watch;

/// Packets read before any is answered.
const BATCH: usize = 64;

/// What needs privileges is done: the device is there, and what is sent is open.
pub struct Ready {
    plan: Plan,
    task: Task,
    offload: bool,
    compute: bool,
    source: Option<Source>,
    device: Device,
}

/// Checks what the settings say, opens what is to be sent, and makes the device.
///
/// # Errors
/// If the settings make no sense, or something cannot be opened.
pub fn prepare(settings: &Settings) -> Result<Ready, Error> {
    let plan = Plan::of(settings)?;
    let source = match &settings.task {
        Task::Serve { file, .. } => Some(Source::open(file)?),
        Task::Connect { send, .. } => send.as_deref().map(Source::open).transpose()?,
    };
    let device = Device::open(settings, &plan)?;
    let Settings { task, offload, compute, .. } = settings.clone();
    Ok(Ready { plan, task, offload, compute, source, device })
}

/// Does what the settings say, until it is done, fails, or is stopped. From when the device is there the calling thread
/// has no privileges any more, and never will again.
///
/// # Errors
/// If the settings make no sense, the run fails, or `watch` is told to stop.
pub fn run(settings: &Settings, watch: &Watch) -> Result<Summary, Error> {
    let ready = prepare(settings)?;
    ready.give_up_privileges()?;
    ready.run(watch)
}

impl Ready {
    /// Gives up every privilege of the calling thread, and becomes the user that the settings name, if they do.
    ///
    /// # Errors
    /// If the system does not let it.
    pub fn give_up_privileges(&self) -> Result<(), Error> {
        give_up_privileges(self.plan.user.as_ref())
    }

    /// Does what was prepared, until it is done, fails, or is stopped.
    ///
    /// # Errors
    /// If what comes cannot be written, the run fails, or `watch` is told to stop.
    pub fn run(self, watch: &Watch) -> Result<Summary, Error> {
        let Self { plan, task, offload, compute, source, device } = self;
        let mut app = application(task, &plan, source)?;
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(|error| Error::failed(format!("no random numbers: {error}")))?;
        let has_triggers = plan.params.triggers.is_some();
        let config = Config {
            largest_burst_bytes: if offload { LARGEST_BURST } else { 0 },
            stopwatch: compute.then_some(stopwatch),
            ..Config::new(Address::from(plan.address), plan.prefix_length, plan.recipe, plan.params, secret)
        };
        let host = Host::new(plan.limits.apply(config));
        let mut driver = Driver { host, device, clock: Clock::start(), watch };
        let end = driver.serve(app.as_mut());
        if !matches!(end, Ok(End::Done)) {
            driver.break_off();
        }
        let end = end?;
        if matches!(end, End::Done) {
            app.finish()?;
        } else {
            app.tally().last = driver.clock.now();
        }
        let summary = app.tally().summary(&driver.host, has_triggers);
        match end {
            End::Done => Ok(summary),
            End::Stopped => Err(Error::Stopped(Box::new(summary))),
        }
    }
}

fn application(task: Task, plan: &Plan, source: Option<Source>) -> Result<Box<dyn App>, Error> {
    Ok(match task {
        Task::Serve { port, once, .. } => {
            let source = source.ok_or_else(|| Error::input("--serve: nothing to serve"))?;
            Box::new(Server::new(source, port, once, &plan.limits))
        }
        Task::Connect { receive, .. } => {
            let remote = plan.remote.ok_or_else(|| Error::input("--connect: nobody to connect to"))?;
            let target = receive.as_deref().map(Target::create).transpose()?;
            Box::new(Client::new(remote, source, target))
        }
    })
}

enum End {
    Done,
    Stopped,
}

struct Driver<'a> {
    host: Host,
    device: Device,
    clock: Clock,
    watch: &'a Watch,
}

impl Driver<'_> {
    fn serve(&mut self, app: &mut dyn App) -> Result<End, Error> {
        app.start(&mut self.host, self.clock.now())?;
        self.watch.ready.store(true, Ordering::SeqCst);
        loop {
            if self.watch.is_stopped() {
                return Ok(End::Stopped);
            }
            let was_read = self.read_batch()?;
            let now = self.clock.now();
            if self.host.deadline() <= now {
                self.host.handle(now, Input::Wake);
            }
            if app.deadline() <= now {
                app.on_wake(&mut self.host, now);
            }
            self.carry_out(now, Some(app))?;
            self.report();
            if app.is_done() {
                return Ok(End::Done);
            }
            if !was_read {
                self.sleep(now, app.deadline())?;
            }
        }
    }

    /// Reads what waits in the device; false if nothing did.
    fn read_batch(&mut self) -> Result<bool, Error> {
        let now = self.clock.now();
        for n in 0..BATCH {
            match self.device.read()? {
                Read::Packet(packet) => self.host.handle(now, packet),
                Read::Useless => {}
                Read::Empty => return Ok(n > 0),
            }
        }
        Ok(true)
    }

    fn carry_out(&mut self, now: Time, mut app: Option<&mut dyn App>) -> Result<(), Error> {
        while let Some(output) = self.host.poll() {
            match (output, &mut app) {
                (Output::Send(packet), _) => self.device.write(&self.host, &packet)?,
                (Output::Event(event), Some(app)) => app.on_event(&mut self.host, now, event)?,
                (Output::Event(_), None) => {}
            }
        }
        Ok(())
    }

    fn sleep(&self, now: Time, deadline: Time) -> Result<(), Error> {
        let deadline = deadline.min(self.host.deadline());
        let left = deadline.since(now).as_nanos();
        let timeout = Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 };
        let timeout = (!deadline.is_never()).then_some(&timeout);
        let mut wakers = [PollFd::new(&self.device, PollFlags::IN), PollFd::new(self.watch, PollFlags::IN)];
        match poll(&mut wakers, timeout) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(Error::failed(format!("cannot wait for packets: {error}"))),
        }
    }

    fn report(&self) {
        let statistics = self.host.statistics();
        self.watch.sent_bytes.store(statistics.acked_bytes, Ordering::Relaxed);
        self.watch.received_bytes.store(statistics.delivered_bytes, Ordering::Relaxed);
    }

    /// Tells every peer that it is over.
    fn break_off(&mut self) {
        let now = self.clock.now();
        self.host.abort_all(now);
        let _ = self.carry_out(now, None); // the device may be why it is over
    }
}
