//! `afresh audit SPEC`: how large a specification is, before anything is spent.

use std::path::PathBuf;

use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::planner::audit::section::{ImplementationTasks, with_section};
use afresh_app::planner::audit::{AuditVerdict, SpecAudit};
use afresh_app::planning::audit::audit_spec;
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::specification::{self, FoundSpecification};
use afresh_app::store::write_atomically;
use afresh_views::audit::{audit_json, audit_text};

/// Check how large a specification is, and how it could be divided
///
/// Counts files, criteria and requirements, and estimates how much of a worker's context the work would fill, from the
/// files in this repository. Exit code 0: approved; 10: needs-decomposition; 11: needs-split.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Markdown file, a directory of a specification tool, or - for standard input; by default, the only
    /// specification in this repository
    spec: Option<PathBuf>,
    /// Add the generated groups to the specification as `## Implementation Tasks`; a section that you wrote stays
    #[arg(long)]
    write: bool,
}

pub(crate) fn audit(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let directory = context.directory()?;
    let config = config::load(&directory, context.config_file.as_deref())?;
    let files = CheckoutFiles::list(context.git().ok().as_ref(), &directory);
    let found = specification::find(&directory, files.root(), args.spec.as_deref())?;
    let audit = audit_spec(&found.spec, &files, &config);
    if output.json {
        output.document(&audit_json(&audit));
    } else {
        let title = found.spec.title();
        output.prose(&format!("{}: {title}\n", found.shown));
        output.prose(audit_text(&audit, &found.shown).trim_end());
    }
    if args.write {
        write_section(&found, &audit, output)?;
    }
    Ok(match audit.verdict {
        AuditVerdict::Approved => Exit::Done,
        AuditVerdict::NeedsDecomposition => Exit::NeedsDecomposition,
        AuditVerdict::NeedsSplit => Exit::NeedsSplit,
    })
}

fn write_section(
    found: &FoundSpecification,
    audit: &SpecAudit,
    output: &Output,
) -> Result<(), AppError> {
    let Some(path) = &found.path else {
        return Err(AppError::usage("spec", "standard input cannot be changed")
            .hint("name the file of the specification"));
    };
    let Some(document) = found.spec.documents.first().filter(|_| !audit.groups.is_empty()) else {
        output.note("nothing was written: there is nothing to divide");
        return Ok(());
    };
    let section = ImplementationTasks::find(&found.spec);
    match with_section(&document.text, section.as_ref(), &audit.groups) {
        Some(text) if text == document.text => {
            output.note("nothing was written: the section is current");
        }
        Some(text) => {
            write_atomically(path, text.as_bytes())
                .map_err(|error| AppError::cannot_write("spec", path, error))?;
            output.note(&format!("wrote `## Implementation Tasks` to {}", found.shown));
        }
        None => output
            .note("nothing was written: the specification has its own `## Implementation Tasks`"),
    }
    Ok(())
}
