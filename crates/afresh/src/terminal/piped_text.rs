//! A text that a command reads from standard input, given as `-`.

use std::io::{IsTerminal, Read, stdin};

use afresh_app::error::AppError;

/// Reads it, up to so many bytes; `otherwise` says how else it can be given.
pub(crate) fn read(what: &str, otherwise: &str, most_bytes: u64) -> Result<String, AppError> {
    let failed = |why: String| {
        AppError::usage("input", format!("cannot read {what} from standard input"))
            .cause(why)
            .hint(format!("pipe plain text in, or give it {otherwise}"))
    };
    let input = stdin();
    if input.is_terminal() {
        return Err(failed("it is a terminal".to_owned()));
    }
    let mut text = String::new();
    let read = input.lock().take(most_bytes + 1).read_to_string(&mut text);
    read.map_err(|error| failed(error.to_string()))?;
    // A part of it would say something else.
    if text.len() as u64 > most_bytes {
        return Err(failed(format!("it has more than {most_bytes} bytes")));
    }
    Ok(text)
}
