//! The program behind a wrapper.
//!
//! npm's `codex` is a node script that starts the real program as a child: a signal that ends the script
//! leaves the program running, and every worker would cost one node process more.

use std::path::{Path, PathBuf};

/// The real program; none where there is no known wrapper, or nothing behind it.
pub(super) fn behind(found: &Path) -> Option<PathBuf> {
    let script = found.canonicalize().ok()?;
    let package = script.parent()?.parent()?;
    if !script.ends_with("@openai/codex/bin/codex.js") {
        return None;
    }
    let platform = format!("codex-{}-{}", os(), arch());
    // Next to the package or inside of it, depending on npm.
    let places = [package.parent()?.join(&platform), {
        package.join("node_modules/@openai").join(&platform)
    }];
    places.iter().find_map(|place| vendored(&place.join("vendor")))
}

/// `vendor/TARGET/bin/codex`, for the only target that exists.
fn vendored(vendor: &Path) -> Option<PathBuf> {
    let targets = std::fs::read_dir(vendor).ok()?.flatten();
    let mut programs = targets.map(|target| target.path().join("bin/codex"));
    programs.find(|program| program.is_file())
}

/// Node's names of operating systems and architectures.
fn os() -> &'static str {
    if std::env::consts::OS == "macos" { "darwin" } else { std::env::consts::OS }
}

fn arch() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// AG-01: a script in front of a program is not what is started.
    #[test]
    fn the_program_behind_npms_codex_is_found() {
        let directory = tempfile::tempdir().expect("a directory");
        let modules = directory.path().join("node_modules");
        let script = modules.join("@openai/codex/bin/codex.js");
        let link = modules.join(".bin/codex");
        for path in [&script, &link] {
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        }
        fs::write(&script, "#!/usr/bin/env node\n").expect("written");
        symlink("../@openai/codex/bin/codex.js", &link).expect("a link");
        assert_eq!(behind(&link), None, "nothing is behind it");
        let platform = format!("@openai/codex-{}-{}/vendor/some-target/bin", os(), arch());
        fs::create_dir_all(modules.join(&platform)).expect("directories");
        let real = modules.join(&platform).join("codex");
        fs::write(&real, "").expect("written");
        let real = real.canonicalize().expect("there");
        assert_eq!(behind(&link), Some(real));
        assert_eq!(behind(Path::new("/bin/sh")), None);
    }
}
