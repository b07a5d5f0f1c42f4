//! Discovery, from listings in memory.

mod hostile;
mod languages;
mod monorepos;

use afresh_planner::discovery::{MemoryFiles, ProjectFacts, discover, render_markdown};

/// What is found in these files.
fn facts(files: &[(&str, &str)]) -> ProjectFacts {
    discover(&MemoryFiles::new(files.iter().copied()))
}

/// The document about these files.
fn document(files: &[(&str, &str)]) -> String {
    render_markdown(&facts(files))
}
