//! `afresh doctor`: checks that everything a run needs is in place.

use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::{Output, Paint, safe};
use afresh_app::context::AppContext;
use afresh_app::setup::doctor::{self, CheckState, DoctorLine, UnsandboxedChecks};

/// Check that everything a run needs is in place
///
/// Each line is OK or tells you how to fix it. Agents are really started, with an argument that does
/// no work. Nothing is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run the checks of every merge even if no sandbox is available
    ///
    /// They run with all your permissions then. With a sandbox, or with `AFRESH_SANDBOX=off`, they run anyway.
    #[arg(long)]
    run_checks: bool,
}

pub(crate) fn doctor(args: &Args, context: &AppContext, output: &Output) -> Exit {
    let mut lines = Vec::new();
    let unsandboxed =
        if args.run_checks { UnsandboxedChecks::Run } else { UnsandboxedChecks::Skip };
    doctor::run_checks(context, unsandboxed, &mut |line| {
        if !output.json {
            print(&line, output);
        }
        lines.push(line);
    });
    let well = lines.iter().all(|line| line.state != CheckState::Fail);
    if output.json {
        output.document(&json!({"ok": well, "lines": lines}));
    }
    if well { Exit::Done } else { Exit::Incomplete }
}

fn print(line: &DoctorLine, output: &Output) {
    let paint = match line.state {
        CheckState::Ok => Paint::Green,
        CheckState::Warn => Paint::Yellow,
        CheckState::Fail => Paint::Red,
    };
    let mark = output.paint_data(paint, &format!("{:>4}", line.state.word()));
    output.prose(&format!("{mark}  {:<14} {}", line.name, safe(&line.text)));
    if let Some(hint) = &line.hint {
        output.prose(&format!("      {:<14} → {}", "", safe(hint)));
    }
}
