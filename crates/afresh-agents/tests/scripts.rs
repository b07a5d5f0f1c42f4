//! Scripts as text: what is read, which part is used, and how mistakes are reported.

use afresh_agents::adapters::scripted::script::{ActionKind, HangMode, ScriptedEnd};
use afresh_agents::adapters::scripted::{AgentScript, read};

fn script(text: &str) -> AgentScript {
    let reading = read("s.toml", text.as_bytes());
    reading.script.unwrap_or_else(|| panic!("{:#?}", reading.findings))
}

/// All findings about a script, as text.
fn findings(text: &str) -> String {
    let reading = read("s.toml", text.as_bytes());
    assert!(reading.script.is_none(), "accepted");
    reading.findings.iter().map(afresh_formats::Finding::render).collect()
}

/// The only action of a script.
fn act(text: &str) -> ActionKind {
    let script = script(&format!("[[task]]\nid = \"*\"\ndo = [ {text} ]\n"));
    script.actions_for("T1", 1).expect("it fits")[0].act.clone()
}

/// AG-02: the first part that matches task and attempt is used, and no other.
#[test]
fn the_first_match_is_used() {
    let script = script(
        "[[task]]\nid = \"A\"\nattempt = 2\ndo = [ { say = \"A2\" } ]\n\
         [[task]]\nid = \"A\"\nfrom_attempt = 4\ndo = [ { say = \"A4\" } ]\n\
         [[task]]\nid = \"*\"\nattempt = 1\ndo = [ { say = \"first\" } ]\n\
         [[task]]\nid = \"B\"\ndo = [ { say = \"B\" } ]\n",
    );
    let text_of = |task: &str, attempt: u32| match &script.actions_for(task, attempt)?[0].act {
        ActionKind::Say(text) => Some(text.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(text_of("A", 1).as_deref(), Some("first"));
    assert_eq!(text_of("A", 2).as_deref(), Some("A2"));
    assert_eq!(text_of("A", 3), None);
    assert_eq!(text_of("A", 9).as_deref(), Some("A4"));
    assert_eq!(text_of("B", 2).as_deref(), Some("B"));
    assert_eq!(text_of("C", 2), None);
}

/// AG-02: seed, task and attempt decide chances; actions after an end are dropped.
#[test]
fn chances_are_decided_by_the_seed() {
    let of = |seed: u64| {
        let text = format!(
            "seed = {seed}\n[[task]]\nid = \"*\"\n\
             do = [ {{ chance = 0.5, do = [ {{ exit = 1 }} ], else = [ {{ say = \"well\" }} ] }}, {{ say = \"after\" }} ]\n"
        );
        let script = script(&text);
        (1..=20).map(|n| script.actions_for("T", n).expect("it fits").len()).collect::<Vec<_>>()
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
    // Either the end alone, or both words.
    assert!(of(1).contains(&1) && of(1).contains(&2), "{:?}", of(1));
}

#[test]
fn actions_are_read_with_their_fields() {
    let text = "{ edit = \"a\", find = \"x\", replace = \"y\" }";
    assert_eq!(
        act(text),
        ActionKind::Edit { path: "a".into(), find: "x".into(), replace: "y".into() }
    );
    let ActionKind::Use(usage) = act("{ use = { input = 5, cost_usd = 0.25 } }") else {
        panic!("no use")
    };
    assert_eq!((usage.input, usage.cost_micros), (5, Some(250_000)));
    assert_eq!(act("{ hang = true }"), ActionKind::End(ScriptedEnd::Hang(HangMode::Plain)));
    assert_eq!(act("{ hang = \"deaf\" }"), ActionKind::End(ScriptedEnd::Hang(HangMode::Deaf)));
}

/// AG-02: all mistakes are reported at once, with their positions.
#[test]
fn mistakes_are_reported_with_their_positions() {
    insta::assert_snapshot!(findings(
        "sead = 3\n\
         [[task]]\n\
         id = \"A\"\n\
         do = [ { wirte = \"a\", text = \"x\" }, { write = \"/etc/x\", text = \"\" }, { write = \"b\" },\n\
                { say = \"x\", run = \"y\" }, { chance = 1.5, do = [] }, { exit = 3 }, { say = \"late\" } ]\n\
         [[task]]\n\
         id = \"A\"\n\
         attempt = 2\n\
         do = [ { sleep = 3, txt = \"\" }, { use = { tokens = 5, input = -1 } }, { crash = \"now\" } ]\n"
    ), @r#"
    error[script]: unknown key "sead"
      --> s.toml:1:1
       |
     1 | sead = 3
       | ^^^^
      hint: did you mean "seed"?
    error[script]: unknown key "wirte"
      --> s.toml:4:10
       |
     4 | do = [ { wirte = "a", text = "x" }, { write = "/etc/x", text = "" }, { write = "b" },
       |          ^^^^^
      hint: did you mean "write"?
    error[script]: "/etc/x" is not a path inside the workspace
      --> s.toml:4:47
       |
     4 | do = [ { wirte = "a", text = "x" }, { write = "/etc/x", text = "" }, { write = "b" },
       |                                               ^^^^^^^^
      hint: use `run` to write outside of the workspace
    error[script]: `text` is missing
      --> s.toml:4:70
       |
     4 | do = [ { wirte = "a", text = "x" }, { write = "/etc/x", text = "" }, { write = "b" },
       |                                                                      ^^^^^^^^^^^^^^^
    error[script]: "say" and "run" are two actions
      --> s.toml:5:14
       |
     5 | { say = "x", run = "y" }, { chance = 1.5, do = [] }, { exit = 3 }, { say = "late" } ]
       |              ^^^
      hint: put each into its own { … }
    error[script]: expected a number from 0 to 1, found a fractional number
      --> s.toml:5:38
       |
     5 | { say = "x", run = "y" }, { chance = 1.5, do = [] }, { exit = 3 }, { say = "late" } ]
       |                                      ^^^
    error[script]: never reached: the action before it ends the attempt
      --> s.toml:5:68
       |
     5 | { say = "x", run = "y" }, { chance = 1.5, do = [] }, { exit = 3 }, { say = "late" } ]
       |                                                                    ^^^^^^^^^^^^^^^^
    error[script]: never used: an earlier [[task]] matches all of its attempts
      --> s.toml:6:1
       |
     6 | [[task]]
       | ^^^^^^^^
      hint: the first match is used; move this one up, or restrict the other by `attempt`
    error[script]: expected a duration such as "30m", "5s" or "500ms", found 3
      --> s.toml:9:18
       |
     9 | do = [ { sleep = 3, txt = "" }, { use = { tokens = 5, input = -1 } }, { crash = "now" } ]
       |                  ^
    error[script]: unknown key "txt"
      --> s.toml:9:21
       |
     9 | do = [ { sleep = 3, txt = "" }, { use = { tokens = 5, input = -1 } }, { crash = "now" } ]
       |                     ^^^
      hint: known keys: sleep
    error[script]: unknown key "tokens"
      --> s.toml:9:43
       |
     9 | do = [ { sleep = 3, txt = "" }, { use = { tokens = 5, input = -1 } }, { crash = "now" } ]
       |                                           ^^^^^^
      hint: known keys: input, output, cache_read, cache_write, cost_usd
    error[script]: expected a whole number from 0 to 1000000000000, found -1
      --> s.toml:9:63
       |
     9 | do = [ { sleep = 3, txt = "" }, { use = { tokens = 5, input = -1 } }, { crash = "now" } ]
       |                                                               ^^
    error[script]: expected a whole number from 1 to 31, found "now"
      --> s.toml:9:81
       |
     9 | do = [ { sleep = 3, txt = "" }, { use = { tokens = 5, input = -1 } }, { crash = "now" } ]
       |                                                                                 ^^^^^
    "#);
}

#[test]
fn a_script_without_a_task_is_rejected() {
    insta::assert_snapshot!(findings("seed = 1\n"), @"
        error[script]: the script has no [[task]]
          --> s.toml
          hint: `afresh schema script` describes the format
        ");
    insta::assert_snapshot!(findings("[[task]\n"), @"
        error[syntax]: unclosed array table, expected `]`
          --> s.toml:1:8
           |
         1 | [[task]
           |        ^
          hint: `afresh schema script` describes the format
        ");
    insta::assert_snapshot!(findings("[[task]]\nattempt = 1\nfrom_attempt = 2\n[[task]]\n"), @r#"
    error[script]: use either `attempt` or `from_attempt`, not both
      --> s.toml:1:1
       |
     1 | [[task]]
       | ^^^^^^^^
    error[script]: `id` is missing
      --> s.toml:4:1
       |
     4 | [[task]]
       | ^^^^^^^^
      hint: id = "T001", or id = "*" for every task
    error[script]: `do` is missing
      --> s.toml:4:1
       |
     4 | [[task]]
       | ^^^^^^^^
      hint: do = [ { write = "a.txt", text = "hello\n" } ]
    "#);
}
