//! Dangerous changes of a worker to its own `.git`: git would run a program, or use another
//! repository.
//!
//! They have no effect, because we never run git with it and reset it for the next attempt. They
//! are reported because they may be an attack.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::harvest::worker_head::read_text;
use crate::workspace::clone::alternates;
use crate::workspace::pool::{WorkspaceId, WorkspacePool};

const MAX_CONFIG_BYTES: u64 = 256 * 1024;
/// More findings than this add nothing.
const MAX_FINDINGS: usize = 10;

/// Settings that make git run a program, or read more settings from elsewhere: the section, and the
/// end of the name in it. An empty one stands for every name.
const DANGEROUS: &[(&str, &str)] = &[
    ("core", "fsmonitor"),
    ("core", "hookspath"),
    ("core", "sshcommand"),
    ("core", "pager"),
    ("core", "editor"),
    ("core", "askpass"),
    ("core", "gitproxy"),
    ("core", "worktree"),
    ("core", "attributesfile"),
    ("core", "alternaterefscommand"),
    ("filter", "clean"),
    ("filter", "smudge"),
    ("filter", "process"),
    ("diff", "external"),
    ("diff", "command"),
    ("diff", "textconv"),
    ("merge", "driver"),
    ("credential", "helper"),
    ("gpg", "program"),
    ("remote", "uploadpack"),
    ("remote", "receivepack"),
    ("uploadpack", "packobjectshook"),
    ("url", "insteadof"),
    ("sequence", "editor"),
    ("include", ""),
    ("includeif", ""),
    ("pager", ""),
];

impl WorkspacePool {
    /// The dangerous changes to the `.git` of a workspace, a few words each.
    pub fn find_tampering(&self, id: WorkspaceId) -> Vec<String> {
        let git = self.tree(id).join(".git");
        let mut found = findings(&git, &alternates(&self.repository().objects()));
        found.truncate(MAX_FINDINGS);
        found
    }
}

fn findings(git: &Path, borrowed: &[u8]) -> Vec<String> {
    match git.symlink_metadata() {
        Ok(is) if is.is_dir() => {}
        Ok(is) if is.is_symlink() => return vec!["its .git is a symlink".to_owned()],
        Ok(_) => return vec!["its .git is a file".to_owned()],
        // Deleting it harms nothing.
        Err(_) => return Vec::new(),
    }
    let mut found = Vec::new();
    for name in ["config", "config.worktree"] {
        let text = read_text(&git.join(name), MAX_CONFIG_BYTES);
        let set = text.as_deref().map(dangerous).unwrap_or_default();
        found.extend(set.into_iter().map(|key| format!("{key} is set in its .git/{name}")));
        if text.is_none() && git.join(name).symlink_metadata().is_ok() {
            found.push(format!("its .git/{name} is not a regular file"));
        }
    }
    if git.join("commondir").symlink_metadata().is_ok() {
        found.push("its .git has a commondir".to_owned());
    }
    let now = read_text(&git.join("objects/info/alternates"), MAX_CONFIG_BYTES);
    if now.is_some_and(|now| now.as_bytes() != borrowed) {
        found.push("it uses other alternates".to_owned());
    }
    if git.join("hooks").is_symlink() {
        found.push("the hooks of its .git are a symlink".to_owned());
        return found;
    }
    let hooks = fs::read_dir(git.join("hooks")).into_iter().flatten().flatten();
    let names = hooks.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let live = names.filter(|name| !name.ends_with(".sample")).take(MAX_FINDINGS);
    found.extend(live.map(|name| format!("a hook {name} in its .git")));
    found
}

/// The dangerous settings in a configuration, as `section.name`.
fn dangerous(config: &str) -> BTreeSet<String> {
    let mut section = String::new();
    let mut found = BTreeSet::new();
    for line in config.lines().map(str::trim) {
        let mut line = line;
        if let Some((head, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let name = head.split([' ', '.', '\t', '"']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            // A setting may be on the same line as its section.
            line = rest.trim();
        }
        let name = line.split([' ', '\t', '=']).next().unwrap_or_default().to_ascii_lowercase();
        let is_setting = !name.is_empty() && !name.starts_with(['#', ';']);
        let known =
            |(of, wanted): &(&str, &str)| *of == section && (wanted.is_empty() || name == *wanted);
        if is_setting && DANGEROUS.iter().any(known) {
            found.insert(format!("{section}.{name}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B31: dangerous settings are found in every spelling.
    #[test]
    fn settings_that_run_programs_are_found() {
        let config = "[core]\n\tbare = false\n\tFsMonitor=/tmp/x\n[core] hooksPath = y\n\
                      [filter \"lfs\"]\n  clean = x\n[filter.old]\nsmudge\n[include]\npath = z\n\
                      [user]\nname = fsmonitor\n# [core]\n;hookspath = 1\n";
        let found: Vec<String> = dangerous(config).into_iter().collect();
        let expected =
            ["core.fsmonitor", "core.hookspath", "filter.clean", "filter.smudge", "include.path"];
        assert_eq!(found, expected);
        assert!(dangerous("[user]\n\tname = a\n[color]\n\tui = auto\n").is_empty());
    }

    /// B31: a `.git` that is not a directory is reported, and never read.
    #[test]
    fn a_git_directory_that_leads_elsewhere_is_found() {
        let directory = tempfile::tempdir().expect("a directory");
        let git = directory.path().join(".git");
        assert!(findings(&git, b"").is_empty());
        fs::write(&git, "gitdir: /elsewhere\n").expect("written");
        assert_eq!(findings(&git, b""), ["its .git is a file"]);
        fs::remove_file(&git).expect("removed");
        std::os::unix::fs::symlink("/etc", &git).expect("a symlink");
        assert_eq!(findings(&git, b""), ["its .git is a symlink"]);
        fs::remove_file(&git).expect("removed");
        fs::create_dir_all(git.join("hooks")).expect("directories");
        fs::create_dir_all(git.join("objects/info")).expect("directories");
        for (name, text) in [
            ("commondir", "/elsewhere"),
            ("hooks/post-commit", "x"),
            ("hooks/x.sample", "x"),
            ("objects/info/alternates", "other"),
        ] {
            fs::write(git.join(name), text).expect("written");
        }
        std::os::unix::fs::symlink("/etc/passwd", git.join("config")).expect("a symlink");
        let found = findings(&git, b"ours").join(", ");
        for part in
            ["config is not a regular file", "commondir", "other alternates", "hook post-commit"]
        {
            assert!(found.contains(part), "no {part} in {found}");
        }
        assert!(!found.contains("sample"));
    }
}
