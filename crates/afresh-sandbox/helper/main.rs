//! Stands in for `afresh confine` in this crate's tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    afresh_sandbox::confine_main()
}
