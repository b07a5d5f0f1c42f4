//! The pictures of the README: real runs, drawn again by `AFRESH_UPDATE=1`, and otherwise compared with what runs look
//! like now. Times, tokens and ids differ from run to run and are not compared.

mod terminal_picture;

use std::fs;
use std::path::{Path, PathBuf};

use afresh_app::dashboard::svg;
use afresh_testkit::TestRepo;

use crate::support::repo;
use crate::support::tmux::TmuxScreen;

const PLAN: &str = r#"version = 1
name = "shop"
[[task]]
id = "stock"
title = "Count what is in stock"
files = ["stock.js"]
checks = ["grep -q count stock.js"]
[[task]]
id = "prices"
title = "Prices in cents"
files = ["prices.js"]
checks = ["grep -q cents prices.js"]
[[task]]
id = "cart"
title = "A cart that adds up"
needs = ["stock", "prices"]
files = ["cart.js"]
checks = ["grep -q sum cart.js"]
[[task]]
id = "search"
title = "Search by name"
needs = ["stock"]
files = ["search.js"]
checks = ["grep -q find search.js"]
[[task]]
id = "mail"
title = "Confirm orders by mail"
needs = ["prices"]
files = ["mail.js"]
checks = ["test -s mail.js"]
[[task]]
id = "checkout"
title = "Check out and pay"
needs = ["cart", "mail"]
files = ["checkout.js"]
checks = ["grep -q pay checkout.js"]
"#;

/// Prints what Claude Code prints, and does what its task wants; `cart` and `search` wait until the picture is taken.
const WORKER: &str = r#"
says() { printf '{"type":"assistant","message":{"id":"m%s","content":[%s],"usage":{"input_tokens":%s,"output_tokens":800}}}\n' $2 "$1" $2; }
does() { says '{"type":"tool_use","id":"t'$4'","name":"'$1'","input":{"'$2'":"'"$3"'"}}' $4; }
ends() { printf '{"type":"result","subtype":"success","is_error":false,"result":"OUTPUT_JSON_START\\n{\\"status\\": \\"COMPLETED\\"}\\nOUTPUT_JSON_END","total_cost_usd":%s,"usage":{"input_tokens":%s,"output_tokens":2400}}\n' $1 $2; exit 0; }
asks() { printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"OUTPUT_JSON_START\n{\"status\": \"NEEDS_DECISION\", \"decision_needed\": \"Which service sends the mail?\", \"options\": [{\"key\": \"smtp\", \"description\": \"your own server\"}, {\"key\": \"api\", \"description\": \"a service, by HTTPS\"}], \"context\": \"The specification names none.\"}\nOUTPUT_JSON_END","total_cost_usd":0.11,"usage":{"input_tokens":21000,"output_tokens":300}}'; exit 0; }
waits() { until [ -e "$GATE" ]; do sleep 0.05; done; }
echo '{"type":"system","subtype":"init","session_id":"s","model":"claude-sonnet-4-5"}'
case $AFRESH_TASK.$AFRESH_ATTEMPT in
  prices.1) says '{"type":"text","text":"All done, every test passes."}' 14000; ends 0.06 14000;;
  prices.*) echo '// cents' > prices.js; ends 0.09 23000;;
  stock.*) echo 'count()' > stock.js; ends 0.12 31000;;
  mail.1) asks;;
  mail.*) echo 'send()' > mail.js; ends 0.1 18000;;
  cart.*) does Edit file_path cart.js 76000; waits; echo 'sum()' > cart.js; ends 0.31 80000;;
  search.*) does Bash command 'npm test' 124000; waits; echo 'find()' > search.js; ends 0.44 126000;;
  checkout.*) echo 'pay()' > checkout.js; ends 0.2 40000;;
esac
"#;

fn shop() -> (TestRepo, PathBuf) {
    let repo = repo();
    let (program, gate) = (repo.path().join("claude.sh"), repo.path().join("gate"));
    fs::write(&program, format!("GATE='{}'\n{WORKER}", gate.display())).expect("written");
    repo.write("shop.plan.toml", PLAN);
    repo.config(&format!(
        "[run]\nagent = \"claude\"\nbackoff = [\"10ms\"]\n\n[budget]\nusd = 5\n\
         [agents.claude]\nkind = \"claude\"\ncommand = [\"sh\", '{}']\n",
        program.display()
    ));
    repo.commit("a plan for a shop");
    (repo, gate)
}

/// LO-02, LO-04, HU-06: the README shows what a run looks like in the terminal, and what its report draws.
#[test]
fn the_pictures_of_the_readme_are_current() {
    let (repo, gate) = shop();
    let run = ["run", "shop.plan.toml"];
    let Some(screen) = TmuxScreen::start(&repo, &run, 112, 40) else { return };
    let now =
        ["2/6 done", "edit cart.js", "run npm test", "38 %", "62 %", "Q1>", "1 task waits for it"];
    screen.await_that("two tasks are merged, two are worked at, one asks", |screen| {
        now.iter().all(|part| screen.contains(part)) && !screen.contains("Confirm orders")
    });
    let shown = screen.colored();
    expect_current("run.svg", &terminal_picture::draw("afresh run shop.plan.toml", &shown));

    fs::write(&gate, "").expect("written");
    screen.await_that("the others are merged", |screen| screen.contains("4/6 done"));
    screen.type_line("smtp");
    screen.await_text("ended with 0");
    let page = repo.path().join("report.html");
    repo.afresh(&["report", "-o", &page.to_string_lossy()]).expect(0);
    let page = fs::read_to_string(page).expect("a page");
    for (name, heading) in [("tasks.svg", "Tasks and dependencies"), ("timeline.svg", "Timeline")] {
        let below = page.split(heading).nth(1).unwrap_or_else(|| panic!("no {heading}"));
        let picture = below.split_once("<svg ").and_then(|(_, rest)| rest.split_once("</svg>"));
        let (picture, _) = picture.unwrap_or_else(|| panic!("no picture of {heading}"));
        expect_current(name, &svg::standalone(&format!("<svg {picture}</svg>")));
    }
}

/// Compares what can be read in both pictures, whatever the order: tasks run side by side.
fn expect_current(name: &str, picture: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures").join(name);
    if std::env::var_os("AFRESH_UPDATE").is_some() {
        fs::create_dir_all(file.parent().expect("a directory")).expect("created");
        fs::write(&file, picture).expect("written");
    }
    let stored = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        words(&stored),
        words(picture),
        "docs/pictures/{name} is not current: run AFRESH_UPDATE=1 cargo test --workspace --test cli pictures"
    );
}

/// The words between tags, without numbers, times and ids.
fn words(picture: &str) -> Vec<String> {
    let mut words: Vec<String> = picture
        .split('<')
        .skip(1)
        .filter(|part| !part.starts_with("style"))
        .filter_map(|part| part.split_once('>'))
        .flat_map(|(_, text)| text.split_whitespace())
        .filter(|word| word.chars().any(char::is_alphabetic))
        .filter(|word| !(word.len() == 10 && word.chars().all(|c| c.is_ascii_hexdigit())))
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit() || "$(~".contains(c)))
        // What may still be left is not said at every moment, and how far the run is at this one depends on the machine.
        .filter(|word| !["about", "left"].contains(word))
        .map(str::to_owned)
        .collect();
    words.sort();
    words.dedup();
    words
}
