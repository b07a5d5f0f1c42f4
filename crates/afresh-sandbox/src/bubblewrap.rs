//! A sandbox as arguments of `bwrap`.
//!
//! The whole file system is visible and read-only. Hidden and private directories are empty tmpfs
//! mounts. Processes outside are not visible.

use std::path::Path;

use crate::spec::{PathAccess, SandboxNetwork, SandboxSpec, path_text};

/// Sockets of services are ways out of any sandbox: with a container engine's socket, any program
/// becomes root.
const SERVICES: &str = "/run";
/// The path of the handoff socket inside the sandbox: `/dev` there is always private.
pub(crate) const HANDOFF_SOCKET: &str = "/dev/afresh-outside";
/// The files for resolving host names.
const RESOLVER_PATHS: &[&str] = &["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"];

pub(crate) fn command(spec: &SandboxSpec, program: &Path, us: &Path, cwd: &Path) -> Vec<String> {
    let mut made = vec![path_text(program)];
    let mut add = |parts: &[&str]| made.extend(parts.iter().map(|part| (*part).to_owned()));
    add(&["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
    // Without this, root could mount everything again.
    add(&["--cap-drop", "ALL"]);
    if spec.network != SandboxNetwork::On {
        add(&["--unshare-net"]);
    }
    add(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    if let Some(handoff) = &spec.handoff {
        add(&["--bind", &path_text(handoff), HANDOFF_SOCKET]);
    }
    if Path::new(SERVICES).is_dir() {
        add(&["--tmpfs", SERVICES]);
        for path in RESOLVER_PATHS.iter().filter(|path| Path::new(path).is_dir()) {
            add(&["--ro-bind", path, path]);
        }
    }
    if is_own_directory(Path::new("/tmp")) {
        add(&["--bind", &path_text(&spec.temp), "/tmp"]);
    }
    // Rarely used, and a tmpfs is set up much faster than a bind mount.
    if is_own_directory(Path::new("/var/tmp")) {
        add(&["--tmpfs", "/var/tmp"]);
    }
    // The exec stage must be visible wherever our executable is.
    let rules = spec.path_rules_with(us);
    for (path, access) in &rules {
        let path = path_text(path);
        match access {
            PathAccess::Hide | PathAccess::Empty if Path::new(&path).is_dir() => {
                add(&["--tmpfs", &path]);
            }
            PathAccess::Hide | PathAccess::Empty => add(&["--ro-bind", "/dev/null", &path]),
            PathAccess::Read => add(&["--ro-bind", &path, &path]),
            PathAccess::Write => add(&["--bind", &path, &path]),
        }
    }
    // Programs and interpreters are often found through links, which rules do not name.
    for link in spec.hidden_links(&rules) {
        add(&["--symlink", &path_text(&link.target), &path_text(&link.at)]);
    }
    // Hidden directories are made read-only; by now all mounts inside of them exist.
    for (path, access) in &rules {
        if *access == PathAccess::Hide && path.is_dir() {
            add(&["--remount-ro", &path_text(path)]);
        }
    }
    add(&["--chdir", &path_text(cwd), "--"]);
    made
}

/// A symlink leads to another path, which has its own rule.
fn is_own_directory(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessRlimits;
    use crate::ProxyPorts;

    fn spec(network: SandboxNetwork) -> SandboxSpec {
        SandboxSpec {
            writable: vec!["/usr/share".into()],
            hidden: vec!["/usr".into(), "/etc/passwd".into()],
            private: vec![],
            readable: vec![],
            temp: "/tmp".into(),
            network,
            handoff: None,
            sockets: false,
            limits: ProcessRlimits::default(),
        }
    }

    fn arguments(network: SandboxNetwork) -> String {
        command(&spec(network), Path::new("bwrap"), Path::new("/bin/sh"), Path::new("/")).join(" ")
    }

    /// R5: everything is read-only before anything is made writable, and inner paths come last.
    #[test]
    fn the_root_is_read_only_before_parts_are_writable() {
        let all = arguments(SandboxNetwork::On);
        let at = |part: &str| all.find(part).unwrap_or_else(|| panic!("no {part} in {all}"));
        assert!(at("--ro-bind / /") < at("--tmpfs /usr"));
        assert!(at("--tmpfs /usr") < at("--bind /usr/share /usr/share"));
        assert!(all.contains("--ro-bind /dev/null /etc/passwd"), "{all}");
        assert!(all.contains("--cap-drop ALL") && all.ends_with("--chdir / --"), "{all}");
    }

    #[test]
    fn a_sandbox_without_network_unshares_it() {
        assert!(arguments(SandboxNetwork::Off).contains("--unshare-net"));
        let ports = ProxyPorts { proxy: 3128, local: vec![] };
        assert!(arguments(SandboxNetwork::Ports(ports)).contains("--unshare-net"));
        assert!(!arguments(SandboxNetwork::On).contains("--unshare-net"));
    }
}
