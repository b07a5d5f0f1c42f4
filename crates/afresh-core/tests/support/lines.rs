//! Events and effects as short lines.

use afresh_core::check::CheckResult;
use afresh_core::effect::{CheckOn, ReviewRequest};
use afresh_core::ids::AttemptId;
use afresh_core::plan::Check;
use afresh_core::question::QuestionTopic;
use afresh_core::review::ReviewOutcome;
use afresh_core::time::Timestamp;
use afresh_core::{Effect, Event};

use super::object_name;

#[expect(clippy::too_many_lines, reason = "one arm per event, and each says one thing")]
pub(crate) fn event_line(event: &Event) -> String {
    match event {
        Event::RunStarted { run, plan, .. } => format!("run {run} of {} tasks", plan.len()),
        Event::Opened { epoch } => format!("opened {epoch}"),
        Event::AgentsHeldBack => "agents held back".to_owned(),
        Event::PlanChanged { plan } => format!("plan changed: {} tasks", plan.len()),
        Event::SettingsChanged { .. } => "settings changed".to_owned(),
        Event::ForecastMade { forecast } => format!("{} tasks forecast", forecast.tasks.len()),
        Event::AttemptStarting { attempt, slot, by_hand: Some(by), .. } => {
            format!("starting {attempt} in {slot} by hand of {by}")
        }
        Event::AttemptStarting { attempt, slot, resumes: Some(resumption), .. } => {
            format!("resuming {}.{} as {attempt} in {slot}", attempt.task, resumption.of)
        }
        Event::AttemptStarting { attempt, slot, reserved, .. } if reserved.tokens > 0 => {
            format!("starting {attempt} in {slot}, {} reserved", reserved.tokens)
        }
        Event::AttemptStarting { attempt, slot, from: Some(from), .. } => {
            format!("starting {attempt} in {slot} from {}", object_name(from.as_str()))
        }
        Event::AttemptStarting { attempt, slot, agent: Some(agent), .. } => {
            format!("starting {attempt} in {slot} by {agent}")
        }
        Event::AttemptStarting { attempt, slot, .. } => format!("starting {attempt} in {slot}"),
        Event::ContestEntered { attempt, .. } => format!("entry {attempt}"),
        Event::ContestForfeited { task, reason } => format!("turn of {task} forfeited: {reason}"),
        Event::ContestDecided { attempt } => format!("chosen {attempt}"),
        Event::StepClaimed { attempt, step, .. } => format!("step {step} claimed by {attempt}"),
        Event::StepSaved { attempt, step, .. } => format!("step {step} saved of {attempt}"),
        Event::StepDone { attempt, step, .. } => format!("step {step} done by {attempt}"),
        Event::StepRefused { attempt, step, reason } => {
            format!("step {step} of {attempt} refused: {}", reason.describe())
        }
        Event::RewindRequested { to, by } => {
            format!("rewind to {} for {by}", object_name(to.as_str()))
        }
        Event::LandingInherited { from, task, commit, .. } => {
            format!("{task} landed in {from} as {}", object_name(commit.as_str()))
        }
        Event::RewindWanted { wave } => format!("rewind to before wave {wave}"),
        Event::RewindIntended { from, to } => {
            format!(
                "going back from {} to {}",
                object_name(from.as_str()),
                object_name(to.as_str())
            )
        }
        Event::Rewound { to } => format!("back at {}", object_name(to.as_str())),
        Event::RewindGivenUp { why } => format!("not back: {why}"),
        Event::TaskSettled { task, how } => format!("{task} is settled: {how}"),
        Event::NeedIgnored { task } => format!("{task} is done without"),
        Event::StepsDropped { task } => format!("steps of {task} dropped"),
        Event::AttemptSpawned { attempt } => format!("spawned {attempt}"),
        Event::PromptMeasured { attempt, fill } => format!("prompt of {attempt}: {}", fill.used),
        Event::SpawnFailed { attempt, not_before, .. } => {
            format!("no spawn {attempt}{}", until(*not_before))
        }
        Event::AttemptIdentified { attempt, identity } => {
            format!("identified {attempt} {}", identity.model.as_deref().unwrap_or("?"))
        }
        Event::ContextSeen { attempt, fill } => format!("context {attempt} {} %", fill.percent()),
        Event::ContextWarned { attempt, fill } => {
            format!("context-warned {attempt} {} %", fill.percent())
        }
        Event::AttemptInterrupted { attempt, conversation: Some(it) } => {
            format!("interrupted {attempt}, {} of {} can go on", it.session, it.agent)
        }
        Event::AttemptInterrupted { attempt, .. } => format!("interrupted {attempt}"),
        Event::ContextReached { attempt, fill } => {
            format!("context-reached {attempt} {} %", fill.percent())
        }
        Event::AgentParked { agent, tier, until, .. } => format!(
            "parked {} {} until {}",
            agent.as_deref().unwrap_or("default"),
            tier.word(),
            until.0
        ),
        Event::UsageCounted { attempt, usage } => format!("used {attempt} {}", usage.tokens()),
        Event::AttemptEnded { attempt, end } => format!("ended {attempt} {:?}", end.ending),
        Event::AttemptHarvested { attempt, harvest } => {
            format!("harvested {attempt}: {} changes", harvest.changes.len())
        }
        Event::WorkerLogged { attempt, message, .. } => format!("{attempt} says {message}"),
        Event::NoteWarned { attempt, problem } => format!("note {attempt}: {}", problem.describe()),
        Event::HookFailed { failure } => failure.describe(),
        Event::LeavingsSaved { attempt } => format!("leavings saved {attempt}"),
        Event::AttemptRejected { attempt, reason, counts, not_before } => {
            let counts = if *counts { "counts" } else { "does not count" };
            format!("rejected {attempt} ({counts}){}: {}", until(*not_before), reason.describe())
        }
        Event::AttemptAccepted { attempt, differences } if differences.is_empty() => {
            format!("accepted {attempt}")
        }
        Event::AttemptAccepted { attempt, differences } => {
            format!("accepted {attempt}: {}", differences.join("; "))
        }
        Event::RedSeen { attempt, .. } => format!("red seen {attempt}"),
        Event::ChecksPassed { attempt, results, .. } => {
            format!("passed {attempt}: {}", commands(results))
        }
        Event::ChecksStopped { attempt, phase } => {
            let of = attempt.as_ref().map_or("the whole".to_owned(), ToString::to_string);
            format!("checks stopped {of} {phase:?}")
        }
        Event::ChecksResumed { attempt } => format!("checks resumed {attempt}"),
        Event::ReviewRequested { attempt } => format!("review wanted of {attempt}"),
        Event::ReviewStarting { review, slot, agent, tier, .. } => {
            format!("{review} starting in {slot} by {agent} ({})", tier.word())
        }
        Event::ReviewUsageCounted { review, usage } => {
            format!("{review} used {}", usage.tokens())
        }
        Event::ReviewEnded { review, end, not_before } => {
            let how = match &end.outcome {
                ReviewOutcome::Given(given) => format!("{:?}", given.verdict).to_lowercase(),
                other => other.failure().unwrap_or_else(|| format!("{other:?}").to_lowercase()),
            };
            format!("{review} ended{}: {how}", until(*not_before))
        }
        Event::ReviewWaived { attempt, by } => format!("review of {attempt} waived by {by}"),
        Event::ChecksDeferred { attempt } => format!("checks deferred {attempt}"),
        Event::GatheringStarted { until } => format!("gathering until {} ms", until.0),
        Event::BatchStarted { attempts, onto } => {
            format!("merging {} onto {}", names(attempts), object_name(onto.as_str()))
        }
        Event::BatchPassed { batch, results } => format!("{batch} passed {}", commands(results)),
        Event::BatchFailed { batch, results } => {
            let failed: Vec<&str> = results
                .iter()
                .filter(|it| !it.is_accepted())
                .map(|it| it.command.as_str())
                .collect();
            format!("{batch} failed {}", failed.join(", "))
        }
        Event::PrefixesChosen { batch, lengths, .. } => {
            format!("{batch}: checking prefixes {lengths:?}")
        }
        Event::PrefixChecked { batch, length, passed } => {
            format!("{batch}: prefix {length} {}", if *passed { "passes" } else { "fails" })
        }
        Event::MergesPostponed { attempts, why, alone } => {
            let alone = if *alone { ", alone" } else { "" };
            format!("postponed {}{alone}: {}", names(attempts), why.describe())
        }
        Event::MergeFailed { attempt, results } => {
            format!("failed merged {attempt}: {}", commands(results))
        }
        Event::MergeStarted { attempt, onto } => {
            format!("merging {attempt} onto {}", object_name(onto.as_str()))
        }
        Event::MergeBuilt { attempt, .. } => format!("merge built {attempt}"),
        Event::LandIntended { attempt, receipt, .. } => {
            format!("intends to land {attempt} after {}", commands(&receipt.checks))
        }
        Event::LandDelayed { attempt, why } => format!("landing delayed {attempt}: {why}"),
        Event::Merged { attempt, .. } => format!("merged {attempt}"),
        Event::BranchRestoreAllowed { attempt, .. } => format!("restore allowed {attempt}"),
        Event::TaskFailed { task, reason } => format!("failed {task}: {reason}"),
        Event::TaskSkipped { task, reason } => format!("skipped {task}: {reason}"),
        Event::TaskRetried { task } => format!("retried {task}"),
        Event::TaskCommented { task, comment, sent_to } => {
            let to = sent_to.as_ref().map(|attempt| format!(", sent to {attempt}"));
            let (number, by) = (comment.number, &comment.by);
            format!(
                "comment {number} on {task} by {by}{}: {}",
                to.unwrap_or_default(),
                comment.text
            )
        }
        Event::CommentRead { attempt, comment } => format!("{attempt} read comment {comment}"),
        Event::Aborted { reason, .. } => format!("aborted: {reason}"),
        Event::QuestionAsked { question } => {
            let keys: Vec<&str> = question.options.iter().map(|o| o.key.as_str()).collect();
            let topic = match &question.topic {
                QuestionTopic::Trust(_) => "trust".to_owned(),
                QuestionTopic::Branch(_) => "branch".to_owned(),
                QuestionTopic::Obstacle(_) => "obstacle".to_owned(),
                QuestionTopic::Hook(point) => point.word().to_owned(),
                other => format!("{other:?}").to_lowercase(),
            };
            let first = question.text.lines().next().unwrap_or_default();
            format!("{} {topic} [{}]: {first}", question.id, keys.join(" "))
        }
        Event::QuestionAnswered { question, answer, by } => {
            format!("{question} answered {answer:?} by {by}")
        }
        Event::HaltRequested { now, by, .. } => {
            format!("halt {} by {by}", if *now { "now" } else { "gently" })
        }
        Event::HaltCleared => "halt cleared".to_owned(),
        Event::BudgetReached { spent } => format!("budget reached at {}", spent.tokens),
        Event::ProbeStarted { commit } => format!("probing {}", object_name(commit.as_str())),
        Event::Probed { checks, .. } => {
            let checks = checks.iter();
            let checks = checks.map(|probed| format!("`{}` {}", probed.command(), probed.class));
            format!("probed {}", checks.collect::<Vec<_>>().join(", "))
        }
        Event::FinalChecksStarted { .. } => "final checks".to_owned(),
        Event::FinalChecked { results, .. } => format!("finally checked {}", commands(results)),
    }
}

pub(crate) fn effect_line(effect: &Effect) -> String {
    match effect {
        Effect::Start { attempt, slot, ground, resumes: Some(resumption), .. } => format!(
            "→ go on with {} as {attempt} in {slot} from {} and {}",
            resumption.conversation.session,
            object_name(ground.prepared.as_str()),
            object_name(resumption.tree.as_str())
        ),
        Effect::Start { attempt, slot, ground, .. } => {
            format!("→ start {attempt} in {slot} from {}", object_name(ground.prepared.as_str()))
        }
        Effect::Prepare { attempt, slot, ground } => {
            let from = object_name(ground.prepared.as_str());
            format!("→ prepare {attempt} in {slot} from {from}")
        }
        Effect::SendComment { attempt, comment } => {
            format!("→ send comment {} to {attempt}", comment.number)
        }
        Effect::Warn { attempt, fill } => format!("→ warn {attempt}: {} %", fill.percent()),
        Effect::SaveStep { attempt, step, ground, .. } => {
            format!("→ save step {step} of {attempt} onto {}", object_name(ground.onto.as_str()))
        }
        Effect::AnswerStep { attempt, step, answer } => {
            format!("→ answer {attempt} about step {step}: {answer:?}")
        }
        Effect::Stop { attempt, grace } => format!("→ stop {attempt} within {grace:?}"),
        Effect::Harvest { attempt, slot, .. } => format!("→ harvest {attempt} in {slot}"),
        Effect::Check(request) => {
            let on = match &request.on {
                CheckOn::Tree(tree) => format!("tree {}", object_name(tree.as_str())),
                CheckOn::Commit(commit) => format!("commit {}", object_name(commit.as_str())),
            };
            let group = |group: &Vec<Check>| {
                let commands: Vec<&str> = group.iter().map(|it| it.command.as_str()).collect();
                commands.join(", ")
            };
            let groups: Vec<String> = request.groups.iter().map(group).collect();
            format!("→ check {:?} {on}: {}", request.phase, groups.join(" | "))
        }
        Effect::MoveBack { from, to } => {
            format!(
                "→ move back from {} to {}",
                object_name(from.as_str()),
                object_name(to.as_str())
            )
        }
        Effect::Probe(request) => {
            let checks = request.always.iter().chain(&request.own);
            let commands: Vec<&str> = checks.map(|check| check.command.as_str()).collect();
            let on = object_name(request.commit.as_str());
            format!("→ probe commit {on}: {}", commands.join(", "))
        }
        Effect::Review(ReviewRequest { review, slot, agent, tier, base, work }) => format!(
            "→ {review} in {slot} by {agent} ({}) from {} to {}",
            tier.word(),
            object_name(base.as_str()),
            object_name(work.as_str())
        ),
        Effect::StopProbe => "→ stop probe".to_owned(),
        Effect::StopChecks => "→ stop checks".to_owned(),
        Effect::DropBatch { batch, .. } => format!("→ drop {batch}"),
        Effect::BuildMerge { onto, members, .. } => {
            let attempts: Vec<&AttemptId> = members.iter().map(|member| &member.attempt).collect();
            format!("→ build {} onto {}", names(attempts), object_name(onto.as_str()))
        }
        Effect::MoveBranch { attempts, from, to, restore } => {
            let over = if restore.is_some() { " over an outsider's" } else { "" };
            let (from, to) = (object_name(from.as_str()), object_name(to.as_str()));
            format!("→ move {} from {from} to {to}{over}", names(attempts))
        }
    }
}

fn commands(results: &[CheckResult]) -> String {
    let all: Vec<&str> = results.iter().map(|result| result.command.as_str()).collect();
    all.join(", ")
}

fn names<'a>(attempts: impl IntoIterator<Item = &'a AttemptId>) -> String {
    let names: Vec<String> = attempts.into_iter().map(ToString::to_string).collect();
    names.join(" ")
}

fn until(moment: Option<Timestamp>) -> String {
    moment.map_or_else(String::new, |at| format!(" until {} ms", at.0))
}
