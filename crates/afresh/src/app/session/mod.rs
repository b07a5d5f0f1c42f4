//! Driving a run: from a plan and a configuration to where it stands at the end.
//!
//! | module | idea |
//! | --- | --- |
//! | `options` | how to drive: flags win over the configuration |
//! | `prose` | tasks that their plan proves by prose only |
//! | `watching` | who sees what is recorded |

pub(crate) mod briefing;
pub(crate) mod control;
pub(crate) mod interruption;
mod options;
pub(crate) mod preflight;
mod prose;
pub(crate) mod select_run;
pub(crate) mod watching;
pub(crate) mod workplace;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use afresh_core::Run;
use afresh_core::input::{ResumeMode, RunOpening};
use afresh_core::settings::Settings;
use afresh_engine::session::LockedRepo;
use afresh_engine::{Driver, ExecutionConfig, OpenRun, RepoContext};
use afresh_secrets::redact;

use crate::app::config::Config;
use crate::app::error::Failure;
use crate::app::plan_source::PlanFile;
use crate::app::policy::budget;
use crate::app::policy::limits;
use crate::app::policy::sandbox;
use crate::exit::Exit;
use crate::reporters::summary::Ended;
use crate::terminal::output::{Output, Paint, count};
use crate::terminal::prompt::Asker;
use crate::terminal::questions::Person;
use crate::terminal::signals;
use options::settings;
pub(crate) use options::{Driving, default_agent, rules, with_built_in};
use watching::watchers;

/// Everything that a drive needs.
#[derive(Debug)]
pub(crate) struct Drive {
    place: RepoContext,
    file: PlanFile,
    settings: Settings,
    rules: ExecutionConfig,
    pub(crate) clear_halt: bool,
    /// Start a new run, whatever there is.
    pub(crate) anew: bool,
    /// Ask whoever sits at this terminal.
    may_ask: bool,
    pub(crate) resume: Option<ResumeMode>,
}

pub(crate) fn prepare(
    place: RepoContext,
    mut file: PlanFile,
    config: Config,
    driving: &Driving,
    output: &Output,
) -> Result<Drive, Failure> {
    for warning in file.warnings.iter().chain(&config.warnings) {
        output.note(warning.render().trim_end());
    }
    let (configured_in, asked) = (config.shown.clone(), config.sandbox);
    let (mut settings, mut rules) = terms(&place, &mut file, config, driving, output)
        .map_err(|failure| failure.or_about(&configured_in))?;
    preflight::check(&place, &file, &settings, &rules)
        .map_err(|failure| failure.or_about(&configured_in))?;
    let decided = driving.sandbox(asked)?;
    if let Some(notice) = decided.notice {
        output.note(&notice);
    }
    limits::prepare();
    rules.bounds = limits::bounds(asked.limits);
    settings.limits = limits::describe(&rules.bounds);
    rules.sandbox = decided.sandbox;
    let network = driving.network(asked, &rules.sandbox.level, &file, &rules)?;
    network.notices.iter().for_each(|notice| output.note(notice));
    settings.sandbox =
        sandbox::describe(&rules.sandbox.level, &decided.passed_over, &network.words);
    (rules.sandbox.agents, rules.sandbox.upstream) = (network.agents, network.upstream);
    budget::name_silent_agents(&file.plan, &settings, &rules, output);
    let may_ask = !driving.no_input;
    Ok(Drive {
        place,
        file,
        settings,
        rules,
        clear_halt: false,
        anew: false,
        may_ask,
        resume: None,
    })
}

/// What a run of this plan rests on: what is decided by, and how it is carried out.
pub(crate) fn terms(
    place: &RepoContext,
    file: &mut PlanFile,
    config: Config,
    driving: &Driving,
    output: &Output,
) -> Result<(Settings, ExecutionConfig), Failure> {
    let mut settings = settings(&config, driving, place, file)?;
    let checksum = config.checksum.clone();
    let root = file.root();
    prose::judge(file, &mut settings, &root, output);
    let (mut rules, adopted) = rules(config, driving, file, output)?;
    settings.pinned.extend(adopted.inside(&root));
    let mut briefing = briefing::load(&briefing::root(place, file), file, output)?;
    adopted.brief(&root, &mut briefing);
    let read = briefing.sources.iter().cloned().chain(checksum);
    settings.digests = read.map(|it| (it.path, it.sha256)).collect();
    rules.briefing = Arc::new(briefing);
    // The plan goes into the journal, prompts, commits and reports (B36).
    let secrets = rules.secrets();
    file.plan.reword(|text| redact(text, &secrets));
    Ok((settings, rules))
}

impl Drive {
    /// Drives it until nothing more can happen by itself.
    pub(crate) fn start_or_continue(mut self, output: &Output) -> Result<Ended, Failure> {
        let taken = self.place.lock(&workplace::holder())?;
        let source = self.settings.source.clone();
        let anew = self.anew;
        let same = |run: &Run| !anew && run.settings().source == source;
        let (open, opening) = match taken.find_run(same)? {
            Some(found) => {
                if let Some(refused) = halted(&found.run, self.clear_halt) {
                    return Err(refused);
                }
                // Money that was limited once stays limited, until another limit is given.
                let (now, before) = (&mut self.settings, found.run.settings());
                tell_changed(&before.digests, &now.digests, output);
                now.budget =
                    budget::limited(now.budget.cost_micros, now.budget.tokens, before.budget);
                let own = now.task_budget;
                now.task_budget = budget::limited(own.cost_micros, own.tokens, before.task_budget);
                let opening = RunOpening {
                    plan: Some(self.file.plan.clone()),
                    settings: Some(self.settings.clone()),
                    clear_halt: self.clear_halt,
                    resume: self.resume.or_else(|| self.offer(&found.run, output)),
                };
                (taken.open_run(found.run, found.last_at), opening)
            }
            None => (start(taken, &self, output)?, RunOpening::default()),
        };
        open.keep_branch()?;
        self.drive(open, opening, output)
    }

    /// Offers the ways to take up an interrupted wave, where there is one and somebody to ask.
    fn offer(&self, run: &Run, output: &Output) -> Option<ResumeMode> {
        let asker = Asker::there(output).filter(|_| self.may_ask)?;
        let question = interruption::of(run)?.question();
        let chosen = asker.choose(&question, &interruption::CHOICES, output)?;
        Some(interruption::WAYS[chosen])
    }

    fn drive(self, open: OpenRun, opening: RunOpening, output: &Output) -> Result<Ended, Failure> {
        let started = Instant::now();
        let person = Person::at_terminal(output).filter(|_| self.may_ask);
        let watchers = watchers(&self.place, person.as_ref(), output)?;
        let mut driver = Driver::local(open, self.rules, watchers)?;
        signals::listen(driver.input_sender())
            .map_err(|error| Failure::new(Exit::Bug, "signals", error.to_string()))?;
        if let Some(person) = person {
            driver.wait_for_answers(person.presence());
            person.listen(driver.run(), driver.input_sender());
        }
        let standing = driver.drive(opening)?;
        let (run, took) = (driver.run().clone(), started.elapsed());
        Ok(Ended { run, standing, took, layout: self.place.layout })
    }
}

fn start(taken: LockedRepo, drive: &Drive, output: &Output) -> Result<OpenRun, Failure> {
    let open = taken.start_run(drive.file.plan.clone(), drive.settings.clone())?;
    let (run, plan) = (open.run.id(), open.run.plan());
    let mark = output.paint(Paint::Blue, "run");
    output.note(&format!(
        "{mark} {run}: {} in {} on {}",
        count(plan.len(), "task"),
        count(plan.waves().len(), "wave"),
        open.run.branch()
    ));
    Ok(open)
}

/// Files that the run rests on are read once and then never again while it is driven (B28). Who drives
/// it anew is told which are different now.
fn tell_changed(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
    output: &Output,
) {
    // Earlier versions noted nothing.
    if before.is_empty() {
        return;
    }
    let paths: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed = paths.into_iter().filter(|path| before.get(*path) != now.get(*path));
    let changed: Vec<&str> = changed.map(String::as_str).collect();
    if !changed.is_empty() {
        output.note(&format!(
            "note: changed since the run was last driven, and read anew: {}",
            changed.join(", ")
        ));
    }
}

fn halted(run: &Run, clear: bool) -> Option<Failure> {
    let halt = run.halt().filter(|_| !clear)?;
    let message = format!("run {} was halted by {}: {}", run.id(), halt.by, halt.reason);
    Some(
        Failure::new(Exit::Halted, "halted", message)
            .help("`afresh resume` clears the halt and goes on"),
    )
}
