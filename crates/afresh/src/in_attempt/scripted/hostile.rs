//! Output that would break a careless reader (B33, B34, B35).

use std::io::Write;

use afresh_agents::adapters::scripted::script::HostileOutput;

const LONG_LINE_BYTES: usize = 8 * 1024 * 1024;
const FLOOD_LINES: usize = 100_000;

pub(super) fn print(kind: HostileOutput) {
    let mut out = std::io::stdout().lock();
    // A reader that has gone away is no reason to fail.
    let _ = match kind {
        // Clear the screen, set the title, write to the clipboard, turn the direction of writing.
        HostileOutput::Escape => out.write_all(
            "\u{1b}[2J\u{1b}[H\u{1b}]0;owned\u{7}\u{1b}]52;c;ZXZpbA==\u{7}\u{202e}evil\n"
                .as_bytes(),
        ),
        HostileOutput::LongLine => long_line(&mut out),
        HostileOutput::Binary => out.write_all(&binary()),
        HostileOutput::Flood => {
            (0..FLOOD_LINES).try_for_each(|number| writeln!(out, "noise {number}"))
        }
        HostileOutput::Numbers => numbers(&mut out),
    };
    let _ = out.flush();
}

fn binary() -> Vec<u8> {
    (0..=255_u8).cycle().take(4096).chain([b'\n']).collect()
}

fn long_line(out: &mut impl Write) -> std::io::Result<()> {
    let piece = vec![b'x'; 64 * 1024];
    for _ in 0..LONG_LINE_BYTES / piece.len() {
        out.write_all(&piece)?;
    }
    out.write_all(b"\n")
}

fn numbers(out: &mut impl Write) -> std::io::Result<()> {
    for cost in ["1e308", "-1", "\"NaN\"", "\"a lot\"", "[]"] {
        writeln!(
            out,
            "{{\"type\":\"usage\",\"input\":{cost},\"output\":{cost},\"cost_usd\":{cost}}}"
        )?;
    }
    writeln!(out, "{{\"type\":\"usage\",\"input\":NaN}}")
}
