//! `afresh import [PLAN]`: writes a plan of any format in the native one.

use afresh_app::formats::native::{self, PlanSyntax};
use afresh_app::store::write_atomically;
use serde_json::json;
use std::path::{Path, PathBuf};

use crate::commands::planning::PlanArgs;
use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::plan_source::caller_paths::relative_path;
use afresh_app::plan_source::{self, NATIVE, PlanFile};

/// Convert a plan of any format to the native one, as TOML or JSON
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A plan file, or a directory that contains one
    #[arg(default_value = ".")]
    plan: PathBuf,
    #[command(flatten)]
    how: PlanArgs,
    /// Write to this file, such as work.plan.toml or work.plan.json; by default, print
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,
}

/// How many fields without a meaning are named.
const MAX_NAMED: usize = 20;

pub(crate) fn import(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let directory = context.directory()?;
    let file = plan_source::load(&directory, &args.plan, &args.how.options())?;
    for warning in &file.warnings {
        output.note_finding(warning);
    }
    if !file.unknown.is_empty() {
        let fields = count(file.unknown.len(), "field");
        output.note(&format!(
            "left out {fields} of {} that have no meaning in the native format:",
            file.shown
        ));
        for field in file.unknown.keys().take(MAX_NAMED) {
            output.note(&format!("lost: {field}"));
        }
        if file.unknown.len() > MAX_NAMED {
            output.note(&format!("lost: {} more", file.unknown.len() - MAX_NAMED));
        }
    }
    if let Some(path) = args.output.as_deref().filter(|path| *path != Path::new("-")) {
        save(&file, &ImportDestination { path, directory, force: args.force }, output)?;
        return Ok(Exit::Done);
    }
    let syntax = if output.json { PlanSyntax::Json } else { PlanSyntax::Toml };
    output.data(render(&file, &directory, syntax)?.trim_end());
    Ok(Exit::Done)
}

/// The file to write.
struct ImportDestination<'a> {
    /// As it was typed.
    path: &'a Path,
    directory: PathBuf,
    force: bool,
}

fn save(file: &PlanFile, target: &ImportDestination<'_>, output: &Output) -> Result<(), AppError> {
    let shown = target.path.display().to_string();
    let path = target.directory.join(target.path);
    if !matches!(path.extension().and_then(|ending| ending.to_str()), Some("toml" | "json")) {
        let message = format!("{shown} could not be read as a plan again");
        return Err(AppError::usage("output", message)
            .in_file(shown)
            .hint("name it *.plan.toml or *.plan.json"));
    }
    if path.symlink_metadata().is_ok() && !target.force {
        let message = format!("{shown} already exists");
        return Err(AppError::incomplete("exists", message)
            .in_file(shown)
            .hint("choose another name, or replace it with `--force`"));
    }
    let place = path.parent().unwrap_or(&target.directory);
    let text = render(file, place, PlanSyntax::from_file_name(&shown))?;
    write_atomically(&path, text.as_bytes())
        .map_err(|error| AppError::cannot_write("output", &path, error).in_file(&shown))?;
    let tasks = file.plan.len();
    if output.json {
        output.document(&json!({"file": path, "format": file.format, "tasks": tasks}));
    } else {
        let (tasks, from) = (count(tasks, "task"), file.format);
        output.note(&format!("wrote {shown}: {tasks} ({from}); `afresh run {shown}` runs it"));
        let unchecked = file.plan.unchecked().count();
        if unchecked > 0 {
            output.note(&format!(
                "note: no command checks {}; give them `checks`, or set `always` under [checks] in .afresh/config.toml",
                count(unchecked, "task")
            ));
        }
    }
    Ok(())
}

/// The plan's text, for a file in `place`.
fn render(file: &PlanFile, place: &Path, syntax: PlanSyntax) -> Result<String, AppError> {
    let target = file.target.as_deref().map(|target| seen_from(place, target)).transpose()?;
    // A native plan says why a task has no check; where the source has none, that is the reason.
    let reason = format!("the {} plan names no command that checks it", file.format);
    let mut plan =
        if file.format == NATIVE { file.plan.clone() } else { file.plan.excused(&reason) };
    // The plan may be written into another directory than it was read from.
    if let Some(spec) = &file.spec {
        plan.spec = Some(seen_from(place, spec)?);
    }
    Ok(native::render(&plan, target.as_deref(), syntax))
}

/// The relative path from one directory to another path, both without links; a plan names its target and its
/// specification like that.
fn seen_from(place: &Path, target: &Path) -> Result<String, AppError> {
    let place = place.canonicalize().map_err(|error| {
        AppError::usage("output", format!("{} does not exist", place.display()))
            .cause(error.to_string())
    })?;
    let way = relative_path(&place, target);
    way.to_str().map(str::to_owned).ok_or_else(|| {
        AppError::usage("target", format!("the path {} is not UTF-8", target.display()))
    })
}
