//! `afresh clean`: removes workspaces and files that are no longer needed, and reports what it kept and why.

use afresh_app::store::LockError;
use afresh_engine::cleanup::{
    Cleanup, CleanupItem, CleanupOptions, CleanupOutcome, Disposition, remove_gone, things_of_gone,
};
use serde_json::{Value, json};
use std::time::Duration;

use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::{Output, safe};
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::text::byte_size;

/// Remove workspaces and files whose contents are merged or saved
///
/// Workspaces are saved before they are removed. Work that is in none of your branches is kept, and so
/// is everything of an unfinished run; each line says why. Your checkout, your branches and the journal
/// are never touched.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Args {
    /// Show what would happen, and exit
    #[arg(long)]
    dry_run: bool,
    /// Also remove workspaces that an unfinished run would continue in; their contents are saved
    #[arg(long)]
    unfinished: bool,
    /// Also remove transcripts of runs that finished longer ago than this, such as `30d` or `12h`
    #[arg(long, value_name = "SPAN", value_parser = span)]
    older_than: Option<Duration>,
    /// Also remove transcripts of finished runs, except the newest N
    #[arg(long, value_name = "COUNT")]
    keep_runs: Option<usize>,
    /// Also remove work that is in no branch: `RUN`, or `RUN/ATTEMPT`; may be repeated
    #[arg(long, value_name = "RUN[/ATTEMPT]", add = completion::runs())]
    discard: Vec<String>,
    /// Also remove the copies that `afresh open` made, with what you changed in them
    #[arg(long)]
    opened: bool,
    /// Remove workspaces of repositories that no longer exist, instead of this one's
    #[arg(long, conflicts_with_all = ["unfinished", "older_than", "keep_runs", "discard", "opened"])]
    gone: bool,
}

pub(crate) fn clean(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let mut told = CleanupSummary::default();
    if args.gone {
        for thing in things_of_gone(&context.cache_directory()?)? {
            told.add_outcomes(thing, args.dry_run, remove_gone);
        }
        return Ok(told.print(args.dry_run, output));
    }
    let place = context.repository()?;
    let wishes = wishes(args, context)?;
    // Held until everything is done; a dry run needs no lock.
    let _lock = if args.dry_run {
        if let Some(holder) = place.holder()? {
            return Err(LockError::Held(Some(holder)).into());
        }
        None
    } else {
        Some(place.lock_for_cleanup(&context.lock_holder())?)
    };
    let cleaning = Cleanup::new(&place, &wishes)?;
    for thing in cleaning.collect_items()? {
        told.add_outcomes(thing, args.dry_run, |thing| cleaning.carry_out(thing));
    }
    Ok(told.print(args.dry_run, output))
}

fn wishes(args: &Args, context: &AppContext) -> Result<CleanupOptions, AppError> {
    let config = config::load(&context.directory()?, context.config_file.as_deref())?;
    Ok(CleanupOptions {
        keep: config.keep,
        unfinished: args.unfinished,
        older_than: args.older_than,
        keep_runs: args.keep_runs,
        discard: args.discard.clone(),
        opened: args.opened,
    })
}

/// Durations as in the configuration, and days.
fn span(text: &str) -> Result<Duration, String> {
    let days = text.strip_suffix('d').and_then(|number| number.parse::<u64>().ok());
    let days = days.and_then(|days| days.checked_mul(24 * 3600)).map(Duration::from_secs);
    days.or_else(|| afresh_app::formats::text::duration::parse(text))
        .ok_or_else(|| "expected a duration such as 30d, 12h or 90m".to_owned())
}

/// What was removed, kept, and could not be removed.
#[derive(Debug, Default)]
struct CleanupSummary {
    removed: Vec<CleanupOutcome>,
    failed: Vec<CleanupOutcome>,
    kept: Vec<CleanupItem>,
}

impl CleanupSummary {
    fn add_outcomes(
        &mut self,
        thing: CleanupItem,
        dry_run: bool,
        remove: impl FnOnce(CleanupItem) -> CleanupOutcome,
    ) {
        if !thing.is_to_go() {
            self.kept.push(thing);
            return;
        }
        let outcome = if dry_run {
            CleanupOutcome { thing, saved: None, failure: None }
        } else {
            remove(thing)
        };
        if outcome.failure.is_some() {
            self.failed.push(outcome);
        } else {
            self.removed.push(outcome);
        }
    }

    fn print(&self, dry_run: bool, output: &Output) -> Exit {
        let freed: u64 = self.removed.iter().map(|outcome| outcome.thing.bytes).sum();
        if output.json {
            output.document(&json!({
                "dry_run": dry_run,
                "removed": self.removed.iter().map(removed_json).collect::<Vec<_>>(),
                "kept": self.kept.iter().map(kept_json).collect::<Vec<_>>(),
                "failed": self.failed.iter().map(failed_json).collect::<Vec<_>>(),
                "freed_bytes": freed,
            }));
        } else {
            self.print_lines(dry_run, freed, output);
        }
        if self.failed.is_empty() { Exit::Done } else { Exit::Incomplete }
    }

    fn print_lines(&self, dry_run: bool, freed: u64, output: &Output) {
        let (verb, sum) =
            if dry_run { ("would remove", "would free") } else { ("removed", "freed") };
        for CleanupOutcome { thing, saved, .. } in &self.removed {
            let Disposition::Goes { why } = &thing.fate else { continue };
            output.prose(&format!("{verb} {}: {}", named(thing), safe(why)));
            if let Some(saved) = saved {
                output.prose(&format!("  saved as {} ({})", safe(&saved.name), saved.commit));
            }
        }
        for thing in &self.kept {
            let Disposition::Stays { why, hint } = &thing.fate else { continue };
            output.prose(&format!("kept {}: {}", named(thing), safe(why)));
            if let Some(hint) = hint {
                output.prose(&format!("  → {}", safe(hint)));
            }
        }
        for CleanupOutcome { thing, failure, .. } in &self.failed {
            let why = failure.as_deref().unwrap_or_default();
            output.prose(&format!("could not remove {}: {}", named(thing), safe(why)));
        }
        if self.removed.is_empty() && self.kept.is_empty() && self.failed.is_empty() {
            output.prose("nothing to remove");
        } else {
            output.prose(&format!("{sum} {}", byte_size::format_bytes(freed)));
        }
    }
}

fn named(thing: &CleanupItem) -> String {
    let size = if thing.bytes > 0 {
        format!(" ({})", byte_size::format_bytes(thing.bytes))
    } else {
        String::new()
    };
    format!("{} {}{size}", thing.kind.label(), safe(&thing.name))
}

fn removed_json(outcome: &CleanupOutcome) -> Value {
    let thing = &outcome.thing;
    let why = match &thing.fate {
        Disposition::Goes { why } | Disposition::Stays { why, .. } => why,
    };
    let saved = outcome.saved.as_ref();
    let saved = saved.map(|saved| json!({"ref": saved.name, "commit": saved.commit}));
    json!({
        "kind": thing.kind, "name": thing.name, "bytes": thing.bytes, "why": why, "saved": saved,
    })
}

fn kept_json(thing: &CleanupItem) -> Value {
    let (why, help) = match &thing.fate {
        Disposition::Goes { why } => (why, None),
        Disposition::Stays { why, hint } => (why, hint.as_ref()),
    };
    json!({
        "kind": thing.kind, "name": thing.name, "bytes": thing.bytes, "why": why, "help": help,
    })
}

fn failed_json(outcome: &CleanupOutcome) -> Value {
    let thing = &outcome.thing;
    json!({
        "kind": thing.kind, "name": thing.name, "bytes": thing.bytes, "why": outcome.failure,
    })
}
