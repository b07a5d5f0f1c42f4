//! Taking over the whole terminal, and always giving it back: at the end, at an error, at a panic and at a signal.
//!
//! The mouse is never captured. Frames are written whole and only while the screen is ours.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui_core::backend::Backend;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_crossterm::CrosstermBackend;

/// The alternate screen, no cursor, pasted text marked as such, and nothing of what was there before.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[0m\x1b[2J\x1b[H";
const LEAVE: &str = "\x1b[0m\x1b[?2004l\x1b[?25h\x1b[?1049l";
/// How long a signal waits for a frame that is being written.
const LONGEST_FRAME: Duration = Duration::from_millis(200);

/// Whether the screen is ours.
static IS_OURS: AtomicBool = AtomicBool::new(false);
/// Held while something is written.
static WRITING: Mutex<()> = Mutex::new(());

/// The screen while it is ours; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct FullScreen {
    shown: Buffer,
    cursor: Option<(u16, u16)>,
}

impl FullScreen {
    pub(crate) fn enter(columns: u16, rows: u16) -> io::Result<Self> {
        restore_on_panic();
        take()?;
        Ok(Self { shown: empty(columns, rows), cursor: None })
    }

    /// Takes the screen again after [`give_back`]; everything is painted anew.
    pub(crate) fn enter_again(&mut self) -> io::Result<()> {
        take()?;
        self.repaint();
        Ok(())
    }

    /// What is on the screen is unknown: the next frame paints all of it.
    pub(crate) fn repaint(&mut self) {
        let area = self.shown.area;
        self.shown = empty(area.width, area.height);
        self.cursor = None;
        write_if_ours(b"\x1b[0m\x1b[?25l\x1b[2J\x1b[H");
    }

    /// The next frame has this size.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.shown = empty(columns, rows);
        self.repaint();
    }

    /// Paints what differs from the frame before.
    pub(crate) fn show(&mut self, frame: Buffer, cursor: Option<(u16, u16)>) -> io::Result<()> {
        let mut bytes = b"\x1b[?2026h".to_vec();
        let empty_len = bytes.len();
        let changes = self.shown.diff(&frame);
        if !changes.is_empty() {
            bytes.extend_from_slice(b"\x1b[?25l");
            CrosstermBackend::new(&mut bytes).draw(changes.into_iter())?;
        }
        if bytes.len() > empty_len || cursor != self.cursor {
            let placed = cursor.map_or("\x1b[?25l".to_owned(), |(x, y)| {
                format!("\x1b[{};{}H\x1b[?25h", y + 1, x + 1)
            });
            bytes.extend_from_slice(placed.as_bytes());
        }
        if bytes.len() > empty_len {
            bytes.extend_from_slice(b"\x1b[?2026l");
            write_if_ours(&bytes);
        }
        (self.shown, self.cursor) = (frame, cursor);
        Ok(())
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        give_back();
    }
}

fn empty(columns: u16, rows: u16) -> Buffer {
    Buffer::empty(Rect { x: 0, y: 0, width: columns, height: rows })
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    IS_OURS.store(true, Ordering::SeqCst);
    write_if_ours(ENTER.as_bytes());
    Ok(())
}

/// Gives the terminal back as it was; also from another thread, and also while a frame is being written.
pub(crate) fn give_back() {
    let until = Instant::now() + LONGEST_FRAME;
    let _writing = loop {
        // A panic may come from the thread that holds it, and a terminal that is stuck must not keep us.
        match WRITING.try_lock() {
            Ok(guard) => break Some(guard),
            Err(_) if Instant::now() >= until => break None,
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    if IS_OURS.swap(false, Ordering::SeqCst) {
        let mut terminal = io::stdout().lock();
        let _ = terminal.write_all(LEAVE.as_bytes());
        let _ = terminal.flush();
        let _ = disable_raw_mode();
    }
}

fn write_if_ours(bytes: &[u8]) {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    if IS_OURS.load(Ordering::SeqCst) {
        let mut terminal = io::stdout().lock();
        // A terminal that is gone shows nothing; its hang-up ends us.
        let _ = terminal.write_all(bytes);
        let _ = terminal.flush();
    }
}

/// What a panic prints is then on the user's own screen.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
    });
}
