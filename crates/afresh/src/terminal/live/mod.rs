//! The live region: a few lines at the bottom of the terminal that are painted again and again, while everything else
//! scrolls past above them and stays in the terminal's own scrollback.
//!
//! The mouse is never captured and the screen never switched, so selecting, scrolling and copying work as always.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`region`] | painting, clearing, printing above |
//! | [`typed_line`] | what the user types, edited by us because the region is below it |
//! | [`tty_mode`] | switching the terminal's own line editing off, and always on again |

pub(crate) mod region;
pub(crate) mod tty_mode;
pub(crate) mod typed_line;

pub(crate) use region::LiveRegion;
