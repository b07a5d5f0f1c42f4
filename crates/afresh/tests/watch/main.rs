//! `afresh watch` in a real terminal: what it shows, what it does, and that it gives the terminal back.

#[path = "../support/mod.rs"]
mod support;

#[path = "../../src/terminal/full_screen.rs"]
#[allow(dead_code, reason = "the program uses the rest")]
mod full_screen;

mod acting;
mod joining;
mod restoring;
mod scene;
