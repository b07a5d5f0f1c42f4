//! Listeners, threads and bounds: one door for each worker, one crowd of connections for all.

use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use crate::allowlist::Hosts;
use crate::connection::{visit, visit_local};
use crate::denials::{Refused, Tally};
use crate::shutdown::{Closer, Closing, Woke, closing};
use crate::upstream::Upstream;

/// Connections of one worker at once; the next one waits.
const MOST_OF_ONE: usize = 48;
/// Of all workers: each takes two file handles, and a process has often no more than 1,024.
const MOST_OF_ALL: usize = 256;
/// Of each worker, whatever the others have: nobody keeps somebody else from its model.
const ALWAYS: usize = 4;
/// How soon a full house is looked at again.
const FULL_PAUSE: Duration = Duration::from_millis(20);
/// A connection's thread needs little, and looking up names is the most of it.
const STACK_BYTES: usize = 512 * 1024;

/// The connections of all doors.
#[derive(Debug, Clone, Default)]
pub struct Crowd(Arc<AtomicUsize>);

/// What a door's connections are judged by.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) hosts: Hosts,
    pub(crate) upstream: Upstream,
    pub(crate) tally: Tally,
}

/// One worker's way to the hosts of its list; closed when it is dropped.
#[derive(Debug)]
pub struct Door {
    rules: Arc<Rules>,
    _closer: Closer,
}

/// Where programs come in.
#[derive(Debug)]
pub struct Entrance {
    pub listener: TcpListener,
    pub way: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// They say where they want to go.
    Proxy,
    /// To this port of this machine.
    Local(u16),
}

impl Door {
    /// `find` waits for the entrances, in the door's own thread: some are made by the worker's room.
    pub fn open<F>(hosts: Hosts, upstream: Upstream, crowd: &Crowd, find: F) -> io::Result<Self>
    where
        F: FnOnce(&Closing) -> io::Result<Vec<Entrance>> + Send + 'static,
    {
        let (closer, closing) = closing()?;
        let rules = Arc::new(Rules { hosts, upstream, tally: Tally::default() });
        let desk = Desk {
            rules: Arc::clone(&rules),
            closing,
            own: Arc::new(AtomicUsize::new(0)),
            all: Arc::clone(&crowd.0),
        };
        builder("door").spawn(move || {
            // A worker whose door does not open has no network, and says so itself.
            if let Ok(entrances) = find(&desk.closing) {
                desk.serve(&entrances);
            }
        })?;
        Ok(Self { rules, _closer: closer })
    }

    /// Who was asked for and refused so far.
    pub fn refused(&self) -> Vec<Refused> {
        self.rules.tally.all()
    }
}

fn builder(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES)
}

/// Lets in whoever comes.
struct Desk {
    rules: Arc<Rules>,
    closing: Closing,
    own: Arc<AtomicUsize>,
    all: Arc<AtomicUsize>,
}

/// A place among the connections, free again when it is dropped.
struct Seat([Arc<AtomicUsize>; 2]);

impl Drop for Seat {
    fn drop(&mut self) {
        for count in &self.0 {
            count.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Desk {
    fn serve(&self, entrances: &[Entrance]) {
        for entrance in entrances {
            // Somebody who went away again must not keep us waiting.
            let _ = entrance.listener.set_nonblocking(true);
        }
        let waited: Vec<(&dyn AsFd, PollFlags)> = entrances
            .iter()
            .map(|entrance| (&entrance.listener as &dyn AsFd, PollFlags::POLLIN))
            .collect();
        loop {
            let Ok(Woke::Ready(ready)) = self.closing.wait(&waited, None) else { return };
            let ready = ready.iter().zip(entrances).filter(|(flags, _)| !flags.is_empty());
            for (_, entrance) in ready {
                let Some(seat) = self.seat() else { return };
                // No handles, no threads: whoever waits is let in later.
                if self.let_in(entrance, seat).is_err() && self.pause().is_none() {
                    return;
                }
            }
        }
    }

    /// Waits for one; none where the door was closed meanwhile.
    fn seat(&self) -> Option<Seat> {
        loop {
            let seat = Seat([Arc::clone(&self.own), Arc::clone(&self.all)]);
            let [own, all] =
                [&self.own, &self.all].map(|count| count.fetch_add(1, Ordering::AcqRel));
            if own < MOST_OF_ONE && (all < MOST_OF_ALL || own < ALWAYS) {
                return Some(seat);
            }
            drop(seat);
            self.pause()?;
        }
    }

    /// None where the door was closed meanwhile.
    fn pause(&self) -> Option<()> {
        let until = Instant::now() + FULL_PAUSE;
        matches!(self.closing.wait(&[], Some(until)), Ok(Woke::Late)).then_some(())
    }

    fn let_in(&self, entrance: &Entrance, seat: Seat) -> io::Result<()> {
        let (stream, _) = entrance.listener.accept()?;
        let (rules, closing, way) = (Arc::clone(&self.rules), self.closing.clone(), entrance.way);
        builder("connection").spawn(move || {
            let _seat = seat;
            match way {
                Way::Proxy => visit(stream, &rules, &closing),
                Way::Local(port) => visit_local(&stream, port, &closing),
            }
        })?;
        Ok(())
    }
}
