//! How long reading plans takes, in every format, and that it grows no faster than the plan.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use afresh_testkit::large_plan;
use anyhow::Result;

use super::{millis, verdict};
use crate::measured::{self, Measured};

const SMALL: usize = 1_000;
const LARGE: usize = 10_000;
const ROUNDS: usize = 3;
/// The limit of CPU time for the large plan: reading waits for nothing else.
const LIMIT: Duration = Duration::from_secs(2);
/// How much longer the large plan may take than the small one, which is ten times smaller: this allows for a search
/// in a sorted map and a busy machine, but not for a hundred times.
const RATIO: f64 = 16.0;
/// Exit codes for findings are accepted too.
const ANSWERS: &[i32] = &[0, 1];

/// The commands that read a plan.
const WAYS: &[(&str, &[&str])] = &[("lint", &["lint"]), ("show", &["show"])];
/// Everything that `show` prints; measured with the native format.
const PICTURES: &[(&str, &[&str])] = &[
    ("show --json", &["show", "--json"]),
    ("show --as tree", &["show", "--as", "tree"]),
    ("show --as mermaid", &["show", "--as", "mermaid"]),
    ("show --as dot", &["show", "--as", "dot"]),
    ("import", &["import"]),
];

/// The table, and whether everything in it is within the limits.
pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let mut text = format!(
        "reading: CPU time of {SMALL} and {LARGE} tasks, least of {ROUNDS}; limits: {} ms, {RATIO} times\n  \
         {:<12} {:<18} {:>9} {:>9} {:>6} {:>9} {:>9}\n",
        LIMIT.as_millis(),
        "format",
        "command",
        SMALL,
        LARGE,
        "ratio",
        "wall",
        "memory"
    );
    let mut within = true;
    for format in large_plan::FORMATS {
        let plans = Plans::write(format, scratch)?;
        let own = if *format == "native" { PICTURES } else { &[] };
        for (name, arguments) in WAYS.iter().chain(own) {
            let (line, fits) = plans.measure(afresh, name, arguments)?;
            writeln!(text, "  {format:<12} {line}")?;
            within &= fits;
        }
    }
    writeln!(text, "  {}", verdict(within))?;
    Ok((text, within))
}

/// The same plan in both sizes.
struct Plans {
    small: PathBuf,
    large: PathBuf,
}

impl Plans {
    fn write(format: &str, scratch: &Path) -> Result<Self> {
        let write = |tasks: usize| -> Result<PathBuf> {
            let root = scratch.join(format!("{format}-{tasks}"));
            for (path, text) in large_plan::files(format, tasks) {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap_or(&root))?;
                fs::write(path, text)?;
            }
            Ok(root)
        };
        Ok(Self { small: write(SMALL)?, large: write(LARGE)? })
    }

    fn measure(&self, afresh: &Path, name: &str, arguments: &[&str]) -> Result<(String, bool)> {
        let measure = |plan: &Path| -> Result<Measured> {
            let arguments = arguments.iter().map(OsStr::new);
            let program: Vec<&OsStr> = [afresh.as_os_str()]
                .into_iter()
                .chain(arguments)
                .chain([plan.as_os_str()])
                .collect();
            measured::best_of(ROUNDS, &program, ANSWERS)
        };
        let (small, large) = (measure(&self.small)?, measure(&self.large)?);
        let ratio = large.cpu.as_secs_f64() / small.cpu.as_secs_f64();
        let fits = large.cpu < LIMIT && ratio < RATIO;
        let mark = if fits { "" } else { "  ABOVE ITS LIMIT" };
        let line = format!(
            "{name:<18} {:>6.1} ms {:>6.1} ms {ratio:>6.1} {:>6.0} ms {:>5.0} MiB{mark}",
            millis(small.cpu),
            millis(large.cpu),
            millis(large.wall),
            mebibytes(large.peak_kib)
        );
        Ok((line, fits))
    }
}

fn mebibytes(kib: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "it is shown, not counted with")]
    let kib = kib as f64;
    kib / 1024.0
}
