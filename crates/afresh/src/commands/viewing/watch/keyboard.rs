//! Keys and sizes of the terminal.

use std::sync::mpsc::Sender;

use afresh_tui::{ScreenInput, ScreenKey};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::WatchEvent;

/// Reads until the terminal is gone.
pub(super) fn listen(events: Sender<WatchEvent>) {
    std::thread::spawn(move || {
        loop {
            let Ok(event) = event::read() else {
                let _ = events.send(WatchEvent::Ended(None));
                return;
            };
            let input = match event {
                Event::Key(key) => key_of(key).map(ScreenInput::Key),
                Event::Paste(text) => Some(ScreenInput::Paste(text)),
                Event::Resize(columns, rows) => Some(ScreenInput::Resized { columns, rows }),
                _ => None,
            };
            if input.is_some_and(|input| events.send(WatchEvent::Input(input)).is_err()) {
                return;
            }
        }
    });
}

fn key_of(key: KeyEvent) -> Option<ScreenKey> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    Some(match key.code {
        KeyCode::Char(c) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            ScreenKey::Ctrl(c.to_ascii_lowercase())
        }
        KeyCode::Char(_) if key.modifiers.contains(KeyModifiers::ALT) => return None,
        KeyCode::Char(c) => ScreenKey::Char(c),
        KeyCode::Enter => ScreenKey::Enter,
        KeyCode::Esc => ScreenKey::Escape,
        KeyCode::Tab => ScreenKey::Tab,
        KeyCode::BackTab => ScreenKey::BackTab,
        KeyCode::Up => ScreenKey::Up,
        KeyCode::Down => ScreenKey::Down,
        KeyCode::Left => ScreenKey::Left,
        KeyCode::Right => ScreenKey::Right,
        KeyCode::PageUp => ScreenKey::PageUp,
        KeyCode::PageDown => ScreenKey::PageDown,
        KeyCode::Home => ScreenKey::Home,
        KeyCode::End => ScreenKey::End,
        KeyCode::Backspace => ScreenKey::Backspace,
        KeyCode::Delete => ScreenKey::Delete,
        _ => return None,
    })
}
