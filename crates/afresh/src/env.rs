//! The only place that reads the environment of this process.

use std::path::PathBuf;

use afresh_app::context::environment::Environment;

/// Variables, arguments and our own path.
pub(crate) fn read() -> Environment {
    let arguments = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    // Without /proc we are started again by name.
    let executable = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("afresh"));
    Environment::new(std::env::vars_os(), arguments, executable)
}
