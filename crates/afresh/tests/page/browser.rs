//! Drives Chromium, for the stories.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

const DESKTOP: (u32, u32) = (1280, 900);
/// A small phone of today.
pub(crate) const PHONE: (u32, u32) = (390, 844);

/// How long a browser may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// Chromium with one page. A story ends with [`Browser::finish`], which fails if the page reported an error.
#[derive(Debug)]
pub(crate) struct Browser {
    child: Child,
    /// None once it is to end.
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Removed after the browser has ended.
    _files: TempDir,
}

/// The directory of `.ci/page-tools`; none, and a line that says so, without it.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn page_tools() -> Option<PathBuf> {
    let tools = std::env::var_os("AFRESH_TEST_PAGE_TOOLS").map(PathBuf::from);
    if tools.is_none() {
        eprintln!("SKIPPED: AFRESH_TEST_PAGE_TOOLS names no directory; `.ci/page-tools` makes one");
    }
    tools
}

impl Browser {
    /// None, and a line that says so, if there is none.
    pub(crate) fn start() -> Option<Self> {
        Self::start_sized(DESKTOP)
    }

    pub(crate) fn start_sized((width, height): (u32, u32)) -> Option<Self> {
        let tools = page_tools()?;
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/driver.mjs");
        let viewport = json!({"width": width, "height": height}).to_string();
        let mut node = Command::new("node");
        // Profiles of the browser, and whatever else it leaves.
        let files = tempfile::tempdir().expect("a directory");
        node.arg(driver).arg(tools).arg(viewport).env("TMPDIR", files.path());
        node.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = node.spawn().expect("node starts");
        let commands = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Some(Self { child, commands, answers, _files: files })
    }

    #[track_caller]
    fn tell(&mut self, command: &Value) -> Value {
        let commands = self.commands.as_mut().expect("it is open until it is dropped");
        writeln!(commands, "{command}").expect("the driver reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the driver answers");
        let mut answer: Value = serde_json::from_str(&line).expect("an answer");
        if let Some(failure) = answer["failure"].as_str() {
            panic!("{command}: {failure}");
        }
        answer["value"].take()
    }

    #[track_caller]
    pub(crate) fn open(&mut self, url: &str) {
        self.tell(&json!({"command": "open", "url": url}));
    }

    /// Goes to another address of the page without loading it again.
    #[track_caller]
    pub(crate) fn go_to(&mut self, place: &str) {
        self.evaluate(&format!("location.hash = {}", json!(place)));
    }

    /// Waits until this text can be seen in what the selector finds.
    #[track_caller]
    pub(crate) fn see(&mut self, selector: &str, text: &str) {
        self.tell(&json!({"command": "see", "selector": selector, "text": text}));
    }

    /// Waits until nothing has this text any more.
    #[track_caller]
    pub(crate) fn gone(&mut self, selector: &str, text: &str) {
        self.tell(&json!({"command": "gone", "selector": selector, "text": text}));
    }

    #[track_caller]
    pub(crate) fn click(&mut self, selector: &str, text: &str) {
        self.tell(&json!({"command": "click", "selector": selector, "text": text}));
    }

    #[track_caller]
    pub(crate) fn fill(&mut self, selector: &str, text: &str) {
        self.tell(&json!({"command": "fill", "selector": selector, "text": text}));
    }

    #[track_caller]
    pub(crate) fn press(&mut self, key: &str) {
        self.tell(&json!({"command": "press", "key": key}));
    }

    #[track_caller]
    pub(crate) fn evaluate(&mut self, script: &str) -> Value {
        self.tell(&json!({"command": "evaluate", "script": script}))
    }

    /// Waits until the script returns something true.
    #[track_caller]
    pub(crate) fn until(&mut self, script: &str) {
        self.tell(&json!({"command": "until", "script": script}));
    }

    pub(crate) fn dark(&mut self) {
        self.tell(&json!({"command": "dark"}));
    }

    /// Keeps a picture in `AFRESH_TEST_PICTURES`, for people who want to look at it.
    #[track_caller]
    pub(crate) fn picture(&mut self, name: &str) {
        if let Some(directory) = std::env::var_os("AFRESH_TEST_PICTURES") {
            let path = Path::new(&directory).join(format!("{name}.png"));
            self.tell(&json!({"command": "picture", "path": path, "whole": false}));
        }
    }

    /// Nothing can be scrolled sideways, except inside what is meant to.
    #[track_caller]
    pub(crate) fn expect_no_horizontal_scroll(&mut self, page: &str) {
        let widths = self.evaluate("[document.documentElement.scrollWidth, innerWidth]");
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "{page}: {widths}");
    }

    /// Errors so far, which the story expects.
    #[track_caller]
    pub(crate) fn take_errors(&mut self) -> Vec<String> {
        let errors = self.tell(&json!({"command": "errors"}));
        serde_json::from_value(errors).expect("texts")
    }

    /// Fails if the page reported an error.
    #[track_caller]
    pub(crate) fn finish(mut self) {
        let errors = self.take_errors();
        assert!(errors.is_empty(), "the page's console: {errors:#?}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Without commands the driver closes its browser and ends.
        drop(self.commands.take());
        let end = Instant::now() + PATIENCE;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
