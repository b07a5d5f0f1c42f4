//! Whether what a bundle was made from is still so: the user's files, and on the run's branch the
//! files of the tasks that it builds on.

use std::collections::BTreeSet;

use afresh_agents::Bundle;
use afresh_agents::bundle::{FileChecksum, FileOrigin};
use afresh_core::Run;
use afresh_core::run::TaskStage;
use afresh_engine::RepoContext;
use serde::Serialize;
use serde_json::json;

use crate::app::bundles::chosen::Chosen;
use crate::app::error::Failure;
use crate::app::text::files;
use crate::exit::Exit;
use crate::terminal::output::{Output, count, safe};

/// More than any file that a bundle is made from.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// One file that a bundle was made from.
#[derive(Debug, Serialize)]
struct Source {
    path: String,
    from: FileOrigin,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Same,
    Changed,
    Missing,
}

/// One bundle.
#[derive(Debug, Serialize)]
struct Judged {
    bundle: String,
    file: String,
    ok: bool,
    sources: Vec<Source>,
}

pub(crate) fn print(
    place: &RepoContext,
    run: Option<&Run>,
    chosen: &[Chosen],
    output: &Output,
) -> Result<Exit, Failure> {
    let judge = Judge { place, run };
    let judged = chosen.iter().map(|one| judge.bundle(one)).collect::<Result<Vec<_>, _>>()?;
    if output.json {
        output.document(&json!({"bundles": judged}));
    } else {
        for one in &judged {
            tell(one, output);
        }
    }
    Ok(if judged.iter().all(|one| one.ok) { Exit::Done } else { Exit::Incomplete })
}

fn tell(judged: &Judged, output: &Output) {
    let name = safe(&judged.bundle);
    if judged.ok {
        output.data(&format!("{name}: {} as it was", count(judged.sources.len(), "file")));
        return;
    }
    for source in judged.sources.iter().filter(|source| source.state != State::Same) {
        let place = match source.from {
            FileOrigin::Checkout => "",
            FileOrigin::Branch => " on the run's branch",
        };
        let what = match source.state {
            State::Missing => "is gone",
            State::Same | State::Changed => "has changed since",
        };
        output.data(&format!("{name}: {}{place} {what}", safe(&source.path)));
    }
}

struct Judge<'a> {
    place: &'a RepoContext,
    run: Option<&'a Run>,
}

impl Judge<'_> {
    fn bundle(&self, chosen: &Chosen) -> Result<Judged, Failure> {
        let shown = chosen.file.display().to_string();
        let bundle = read(chosen)?;
        let mut sources: Vec<Source> =
            bundle.sources.iter().map(|sum| self.source(sum)).collect::<Result<_, _>>()?;
        sources.extend(self.gone(&bundle)?);
        let ok = sources.iter().all(|source| source.state == State::Same);
        Ok(Judged { bundle: chosen.name.clone(), file: shown, ok, sources })
    }

    fn source(&self, sum: &FileChecksum) -> Result<Source, Failure> {
        let bytes = match sum.from {
            FileOrigin::Checkout => self.in_checkout(&sum.path),
            FileOrigin::Branch => self.on_branch(&sum.path)?,
        };
        let same =
            |bytes: Vec<u8>| FileChecksum::from_bytes(&sum.path, &bytes).sha256 == sum.sha256;
        let state = match bytes.map(same) {
            None => State::Missing,
            Some(true) => State::Same,
            Some(false) => State::Changed,
        };
        Ok(Source { path: sum.path.clone(), from: sum.from, state })
    }

    fn in_checkout(&self, path: &str) -> Option<Vec<u8>> {
        let root = self.place.repository.root()?;
        files::read_bounded(&root.join(path), MAX_BYTES).ok()
    }

    fn on_branch(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        let Some(run) = self.run else { return Ok(None) };
        let found = self.place.repository.show_file(run.tip(), path);
        found.map_err(|error| Failure::usage("git", error.to_string()))
    }

    /// Files of the tasks that it builds on, and that are not on the branch any more, although no
    /// task deleted them.
    fn gone(&self, bundle: &Bundle) -> Result<Vec<Source>, Failure> {
        let Some(run) = self.run.filter(|_| !bundle.built_on.is_empty()) else {
            return Ok(Vec::new());
        };
        let there = self.place.repository.list_files(run.tip());
        let there = there.map_err(|error| Failure::usage("git", error.to_string()))?;
        let mut fine: BTreeSet<&str> = there.iter().map(|file| file.path.as_str()).collect();
        for (_, state) in run.tasks() {
            if let TaskStage::Done { receipt, .. } = &state.stage {
                fine.extend(receipt.deleted.iter().map(String::as_str));
            }
        }
        fine.extend(bundle.interfaces.iter().map(|file| file.path.as_str()));
        let made =
            bundle.built_on.iter().flat_map(|need| need.created.iter().chain(&need.modified));
        let gone = made.filter(|path| !fine.contains(path.as_str()));
        let source = |path: &String| Source {
            path: path.clone(),
            from: FileOrigin::Branch,
            state: State::Missing,
        };
        Ok(gone.map(source).collect())
    }
}

fn read(chosen: &Chosen) -> Result<Bundle, Failure> {
    let failure = |why: String| {
        Failure::usage("bundle", format!("cannot read the bundle {}", chosen.name))
            .cause(why)
            .about(chosen.file.display().to_string())
            .help("`afresh bundle validate` says what is wrong with it")
    };
    let bytes =
        files::read_bounded(&chosen.file, MAX_BYTES).map_err(|error| failure(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| failure(error.to_string()))
}
