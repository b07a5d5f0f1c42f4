//! Measures the base before the first worker: what each check is worth, and what fails already (TR-01, TR-02).

use super::Decider;
use crate::check::CheckPhase;
use crate::effect::{Effect, ProbeRequest};
use crate::event::Event;
use crate::ids::QuestionId;
use crate::input::{ProbeOutcome, ProbeReport};
use crate::outcome::DecisionOption;
use crate::probe::ProbedCheck;
use crate::question::QuestionTopic;
use crate::run::settings::{OnRedBase, VacuousPolicy};
use crate::run::{TaskStage, UnprovedTask};

/// How many checks and tasks a question lists.
const MAX_LISTED: usize = 10;
/// How much output a question shows of each check.
const MAX_OUTPUT_LINES: usize = 6;

impl Decider<'_> {
    /// Runs the checks that were not measured yet, then asks about what they show.
    pub(super) fn measure_base(&mut self) {
        let run = &*self.run;
        let resting = run.halt().is_some() || run.aborted().is_some() || run.budget_reached();
        if resting || run.is_probing() || run.eligible().next().is_none() {
            return;
        }
        if run.is_base_measured() {
            return self.settle_base();
        }
        let (own, always) = (run.unmeasured_own(), run.unmeasured_always());
        let (commit, settings) = (run.tip().clone(), run.settings());
        let quarantined = settings.quarantine.iter().map(|entry| entry.command.clone());
        let request = ProbeRequest {
            commit: commit.clone(),
            own,
            always,
            reruns: settings.rerun,
            own_reruns: 0,
            known_flaky: quarantined.collect(),
        };
        self.record(Event::ProbeStarted { commit });
        self.request(Effect::Probe(request));
    }

    /// Requests again what an earlier driver did not finish; what it measured is remembered elsewhere.
    pub(super) fn resume_probe(&mut self) {
        if self.run.is_probing() {
            self.record(Event::ChecksStopped { attempt: None, phase: CheckPhase::Probe });
        }
    }

    /// Whether workers may start, as far as the base is concerned.
    pub(super) fn is_base_settled(&self) -> bool {
        let run = &*self.run;
        !run.is_probing() && run.is_base_measured() && run.base_question().is_none()
    }

    pub(super) fn probed(&mut self, report: &ProbeReport) {
        if self.run.probed_commit() != Some(&report.commit) {
            return;
        }
        match &report.outcome {
            ProbeOutcome::Stopped => {
                self.record(Event::ChecksStopped { attempt: None, phase: CheckPhase::Probe });
            }
            ProbeOutcome::Measured(checks) => {
                let (commit, checks) = (report.commit.clone(), checks.clone());
                self.record(Event::Probed { commit, checks });
            }
        }
    }

    /// What the measurement shows is accepted by the settings, ends the run, or is asked about once.
    fn settle_base(&mut self) {
        if self.run.base_question().is_some() {
            return;
        }
        let settings = self.run.settings();
        let red = self.run.red_base();
        // In a large plan they take time to find, after every input.
        let unproved = match settings.vacuous {
            VacuousPolicy::Warn => Vec::new(),
            VacuousPolicy::Ask | VacuousPolicy::Refuse => self.run.unaccepted_unproved_tasks(),
        };
        if !red.is_empty() && settings.on_red_base == OnRedBase::Stop {
            let text = describe_red_base(&red);
            return self.end_for_base(&text, "on_red_base = \"stop\"");
        }
        if !unproved.is_empty() && settings.vacuous == VacuousPolicy::Refuse {
            let text = describe_unproved(&unproved);
            return self.end_for_base(&text, "vacuous = \"refuse\"");
        }
        let mut texts = Vec::new();
        if !red.is_empty() && settings.on_red_base == OnRedBase::Ask {
            texts.push(describe_red_base(&red));
        }
        if !unproved.is_empty() && settings.vacuous == VacuousPolicy::Ask {
            texts.push(describe_unproved(&unproved));
        }
        if !texts.is_empty() {
            self.ask_about_base(&texts.join("\n"));
        }
    }

    fn ask_about_base(&mut self, text: &str) {
        let is_idle = |at: &_| matches!(self.run.task(*at).stage, TaskStage::Idle);
        let Some(at) = self.run.plan().indices().find(is_idle) else { return };
        let options = vec![
            DecisionOption::new(
                "continue",
                "continue; what fails now is recorded, and no task is blamed for it",
            ),
            DecisionOption::new("stop", "end the run before any worker starts"),
        ];
        self.ask(at, QuestionTopic::Base, text.to_owned(), options);
    }

    pub(super) fn base_answered(&mut self, answer: &str, by: &str) {
        if answer == "stop" {
            self.end_for_good("the base was not accepted; nothing was started", by);
        }
    }

    /// Who changed the policies meanwhile does not want to be asked: they decide.
    pub(super) fn withdraw_base_question(&mut self) {
        let settings = self.run.settings();
        let asks = settings.on_red_base == OnRedBase::Ask || settings.vacuous == VacuousPolicy::Ask;
        let open: Option<QuestionId> = self.run.base_question().map(|question| question.id);
        if let (false, Some(question)) = (asks, open) {
            let (answer, by) = ("withdrawn".to_owned(), "policy".to_owned());
            self.record(Event::QuestionAnswered { question, answer, by });
        }
    }

    /// Nothing has been done, so a later start measures again, perhaps another commit.
    fn end_for_base(&mut self, text: &str, setting: &str) {
        let first = text.lines().next().unwrap_or_default();
        let reason = format!(
            "stopped before any worker: {first} (`{setting}` under [checks]); once that is changed and \
             committed, `afresh run` measures again"
        );
        self.record(Event::Aborted { reason, for_good: true });
    }
}

fn describe_red_base(red: &[&ProbedCheck]) -> String {
    let (these, fail) = if red.len() == 1 { ("a check", "fails") } else { ("checks", "fail") };
    let names: Vec<String> =
        red.iter().take(MAX_LISTED).map(|probed| format!("`{}`", probed.command())).collect();
    let mut text = format!("{these} of every merge {fail} before any work: {}", names.join(", "));
    for probed in red.iter().take(MAX_LISTED) {
        let result = &probed.result;
        text = format!("{text}\n{}", result.describe());
        let failed = result.tests.as_ref().map(|tests| tests.failed.as_slice()).unwrap_or_default();
        let lines: Vec<&str> = if failed.is_empty() {
            let lines: Vec<&str> = result.output_tail.trim_end().lines().collect();
            lines[lines.len().saturating_sub(MAX_OUTPUT_LINES)..].to_vec()
        } else {
            failed.iter().take(MAX_LISTED).map(String::as_str).collect()
        };
        for line in lines {
            text = format!("{text}\n  {line}");
        }
        if failed.len() > MAX_LISTED {
            text = format!("{text}\n  and {} more", failed.len() - MAX_LISTED);
        }
    }
    text
}

fn describe_unproved(unproved: &[UnprovedTask<'_>]) -> String {
    let lines = unproved.iter().take(MAX_LISTED).map(UnprovedTask::describe);
    let mut lines: Vec<String> = lines.collect();
    if unproved.len() > MAX_LISTED {
        lines.push(format!("and {} more tasks", unproved.len() - MAX_LISTED));
    }
    lines.join("\n")
}
