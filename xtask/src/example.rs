//! `cargo xtask example`: builds afresh and runs the example plan in a scratch repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Builds the program, makes the scratch repository, runs the plan, and says what to look at.
pub(crate) fn run(_arguments: &[String]) -> Result<()> {
    let afresh = crate::bench::build()?;
    let root = crate::bench::workspace();
    let scratch = std::env::temp_dir().join(format!("afresh-example-{}", std::process::id()));
    let repository = scratch.join("greeting");
    fs::create_dir_all(repository.join(".afresh"))?;
    let source = root.join("examples/greeting");
    fs::copy(source.join("greeting.plan.toml"), repository.join("greeting.plan.toml"))?;
    fs::write(repository.join(".afresh/config.toml"), config(&source.join("worker.sh")))?;
    let status = Command::new(&afresh)
        .args(["run", "--init-git", "greeting.plan.toml"])
        .current_dir(&repository)
        .env("AFRESH_CACHE", scratch.join("cache"))
        .status()
        .context("cannot start afresh")?;
    if !status.success() {
        bail!("the example ended with {status}; it is in {}", repository.display());
    }
    tell(&repository);
    Ok(())
}

fn config(worker: &Path) -> String {
    format!(
        "[run]\nagent = \"worker\"\n\n[agents.worker]\nkind = \"command\"\ncommand = [\"sh\", {}]\n",
        toml_text(worker)
    )
}

/// A path as a TOML text.
fn toml_text(path: &Path) -> String {
    format!("{:?}", path.to_string_lossy())
}

#[expect(clippy::print_stdout, reason = "a chore talks to the person who runs it")]
fn tell(repository: &Path) {
    println!("\nThe finished work is in {}:", repository.display());
    println!("  git -C {0} log --graph --oneline afresh/greeting-1", repository.display());
    println!("  git -C {0} show afresh/greeting-1:greet.sh", repository.display());
}
