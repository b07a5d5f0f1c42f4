//! `afresh export --format NAME [PLAN] -o DIR`: writes a plan in the format of another tool.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::import::detect::{FORMATS, PlanFormat, format_by_name};
use afresh_app::import::export::{ExportedPlan, PlanLoss, export as export_plan};
use afresh_app::plan_source::{self, PlanReadOptions, format_names};
use afresh_app::store::write_atomically;

/// Write a plan in the format of another tool, and list what that format does not hold
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A plan file, or a directory that contains one
    #[arg(default_value = ".")]
    plan: PathBuf,
    /// The format to write
    #[arg(long, value_name = "NAME", value_parser = targets())]
    format: String,
    /// The plan's own format; by default it is recognised by its files
    #[arg(long, value_name = "NAME", value_parser = sources())]
    from: Option<String>,
    /// The directory to write into
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

fn targets() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(FORMATS.iter().map(|format| format.name))
}

fn sources() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(format_names())
}

/// How many tasks a loss names.
const MAX_NAMED: usize = 10;

pub(crate) fn export(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let directory = context.directory()?;
    let how = PlanReadOptions { format: args.from.clone(), ..PlanReadOptions::default() };
    let (file, _) = plan_source::read_plan(&directory, &args.plan, &how)?;
    for warning in &file.warnings {
        output.note_finding(warning);
    }
    let format = target(&args.format)?;
    let exported = export_plan(&file.plan, format);
    let home = directory.join(&args.output);
    save(&exported, &home, args)?;
    let shown = args.output.display();
    if output.json {
        let files: Vec<&String> = exported.files.keys().collect();
        let losses: Vec<_> = exported
            .losses
            .iter()
            .map(|loss| json!({"part": loss.part, "tasks": loss.tasks}))
            .collect();
        output.document(&json!({
            "format": format.name, "from": file.format, "directory": home, "files": files,
            "tasks": file.plan.len(), "losses": losses,
        }));
        return Ok(Exit::Done);
    }
    let (files, tasks) = (count(exported.files.len(), "file"), count(file.plan.len(), "task"));
    output.note(&format!("wrote {files} below {shown}: {tasks} ({})", format.name));
    for loss in &exported.losses {
        output.note(&format!("lost: {}", describe(loss)));
    }
    Ok(Exit::Done)
}

fn target(name: &str) -> Result<&'static PlanFormat, AppError> {
    format_by_name(name).ok_or_else(|| {
        AppError::usage("format", format!("{name} cannot be written"))
            .hint("`afresh import` writes the native format")
    })
}

/// Nothing is written if a file is in the way.
fn save(exported: &ExportedPlan, home: &Path, args: &Args) -> Result<(), AppError> {
    let exists = |path: &&String| home.join(path).symlink_metadata().is_ok();
    if let Some(path) = exported.files.keys().find(exists).filter(|_| !args.force) {
        let shown = args.output.join(path).display().to_string();
        return Err(AppError::incomplete("exists", format!("{shown} already exists"))
            .in_file(shown)
            .hint("choose another directory, or replace its files with `--force`"));
    }
    for (path, text) in &exported.files {
        let path = home.join(path);
        let place = path.parent().unwrap_or(home);
        std::fs::create_dir_all(place)
            .map_err(|error| AppError::cannot_write("output", place, error))?;
        write_atomically(&path, text.as_bytes())
            .map_err(|error| AppError::cannot_write("output", &path, error))?;
    }
    Ok(())
}

/// `checks of T001, T002`.
fn describe(loss: &PlanLoss) -> String {
    if loss.tasks.is_empty() {
        return loss.part.to_owned();
    }
    let named = loss.tasks.iter().take(MAX_NAMED).map(String::as_str);
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match loss.tasks.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} of {named}{more}", loss.part)
}
