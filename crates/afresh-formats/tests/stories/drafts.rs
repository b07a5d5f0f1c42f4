//! Generated plans with hostile text in titles, instructions and names.

use afresh_core::commit::CommitLabel;
use afresh_core::outcome::DecisionOption;
use afresh_core::plan::{
    CheckDraft, Checkpoint, CheckpointKind, ContestRule, ContextLevel, FileAction, FileDraft,
    PlanDraft, StepDraft, TaskDraft, TierChoice,
};
use proptest::prelude::*;

/// Text that ends a string early, opens another construct, is invisible, or moves the cursor.
const HOSTILE: &[&str] = &[
    "\"",
    "\"\"",
    "\"\"\"",
    "'",
    "'''",
    "\\",
    "\\n",
    "\\u0041",
    "+++",
    "---",
    "```",
    "~~~",
    "#",
    "[[task]]",
    "[task]",
    "= 1",
    "{",
    "}",
    ",",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "\0",
    "\u{8}",
    "\u{1b}[2J",
    "\u{7f}",
    "\u{85}",
    "\u{9b}",
    "\u{202e}",
    "\u{feff}",
    "\u{2028}",
    "\u{200d}",
    "\u{e0041}",
    "🦀",
    "日本",
    "é",
    "word",
    "&&",
    "<task>",
    "</task>",
];

/// Any combination of those, or an empty text.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(HOSTILE).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn checkpoint() -> impl Strategy<Value = Checkpoint> {
    let kind = prop::sample::select(vec![
        CheckpointKind::Verify,
        CheckpointKind::Decision,
        CheckpointKind::Action,
    ]);
    let option =
        (hostile(), hostile()).prop_map(|(key, description)| DecisionOption { key, description });
    (kind, hostile(), prop::collection::vec(option, 0..3))
        .prop_map(|(kind, text, options)| Checkpoint { kind, text, options })
}

fn file() -> impl Strategy<Value = FileDraft> {
    let action = prop::option::of(prop::sample::select(vec![
        FileAction::Create,
        FileAction::Modify,
        FileAction::Delete,
    ]));
    ("[a-zäé]{1,4}(/[a-z *']{1,6}){0,2}", action)
        .prop_map(|(path, action)| FileDraft { path, action })
}

fn check() -> impl Strategy<Value = CheckDraft> {
    (prop::option::of(hostile()), "[a-z][ -~é\t\n]{0,20}", hostile(), any::<(bool, bool)>())
        .prop_map(|(name, command, end, (red_first, guard))| {
            let command = format!("{command}{}", end.replace('\0', ""));
            CheckDraft { name, command, red_first, guard }
        })
}

fn step() -> impl Strategy<Value = StepDraft> {
    let files = prop::collection::vec(file(), 0..3);
    let checks = prop::collection::vec(check(), 0..2);
    (hostile(), hostile(), files, checks).prop_map(|(name, instructions, files, checks)| {
        StepDraft { name, instructions, files, checks }
    })
}

fn task() -> impl Strategy<Value = TaskDraft> {
    let tier =
        prop::option::of(prop::sample::select(TierChoice::WORDS).prop_map(|(_, choice)| choice));
    let context = prop::option::of(prop::sample::select(vec![
        ContextLevel::Minimal,
        ContextLevel::Standard,
        ContextLevel::Full,
    ]));
    (
        ((hostile(), hostile()), hostile(), prop::option::of(hostile())),
        prop::collection::vec(file(), 0..3),
        prop::collection::vec(check(), 0..3),
        prop::collection::vec(step(), 0..3),
        (tier, context, prop::option::of("[a-z]{1,8}")),
        (any::<u64>(), prop::option::of(checkpoint()), prop::option::of(hostile())),
    )
        .prop_map(|((title, instructions, no_check), files, checks, steps, words, more)| {
            let (tier, context, agent) = words;
            let (needs, checkpoint, done_before) = more;
            // These must not be empty.
            let title = format!("{}x{}", title.0, title.1);
            let no_check = no_check.map(|reason| format!("{reason}r"));
            let done_before = done_before.map(|how| format!("{how}h"));
            // The needed earlier tasks as bits; converted to ids once the index is known.
            let needs = vec![needs.to_string()];
            let id = String::new();
            TaskDraft {
                checkpoint,
                done_before,
                id,
                title,
                instructions,
                needs,
                files,
                checks,
                no_check,
                steps,
                tier,
                context,
                agent,
                attempts_by: Vec::new(),
                land: None,
                commit: None,
                requirements: Vec::new(),
                phase: None,
                steel_thread: false,
                acceptance: Vec::new(),
            }
        })
}

pub(crate) fn draft() -> impl Strategy<Value = PlanDraft> {
    (hostile(), prop::option::of("[a-z/.]{1,9}"), prop::collection::vec(task(), 1..6)).prop_map(
        |(name, spec, mut tasks)| {
            for (at, task) in tasks.iter_mut().enumerate() {
                task.id = format!("T{at}");
                task.phase = u32::try_from(at).ok().filter(|phase| *phase > 0);
                task.steel_thread = at == 2;
                if at == 3 {
                    task.agent = None;
                    task.attempts_by = vec!["one".to_owned(), "two \"2\"".to_owned()];
                    task.land = Some(ContestRule::Cheapest);
                }
                let label = ["docs", "feat(auth)"].get(at);
                task.commit = label.and_then(|label| CommitLabel::parse(label));
                task.acceptance = (0..at % 2).map(|n| format!("t/acceptance{n}.{at}")).collect();
                task.requirements = (0..at % 3).map(|n| format!("R{n}.{at}")).collect();
                let bits: u64 = task.needs[0].parse().expect("a number");
                task.needs =
                    (0..at).filter(|n| bits >> n & 1 == 1).map(|n| format!("T{n}")).collect();
            }
            PlanDraft { name, spec, tasks }
        },
    )
}
