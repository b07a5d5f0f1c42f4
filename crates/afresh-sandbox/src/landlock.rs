//! A sandbox as rules for the kernel's Landlock.
//!
//! Landlock knows only what is allowed. So hidden paths are left out, and everything beside them is
//! allowed by name: the siblings on the way down to each hidden path.

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{abi, restrict};
#[cfg(target_os = "linux")]
pub(crate) use linux::{abi, restrict};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::io;

    use crate::spec::SandboxSpec;

    pub(crate) fn abi() -> Result<i32, String> {
        Err("this system has none".to_owned())
    }

    pub(crate) fn restrict(_room: &Room) -> io::Result<()> {
        Err(io::Error::other("this system has no Landlock"))
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
        PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
    };

    use crate::spec::{PathAccess, SandboxNetwork, SandboxSpec};

    /// The newest version that we use. Older kernels offer less: files at least, or nothing.
    const KNOWN: ABI = ABI::V6;
    /// Devices that every program may write.
    const DEVICES: &[&str] =
        &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

    /// The version that the kernel supports: rules are made and thrown away.
    pub(crate) fn abi() -> Result<i32, String> {
        let versions = [ABI::V6, ABI::V5, ABI::V4, ABI::V3, ABI::V2, ABI::V1];
        let mut why = String::new();
        for abi in versions {
            match trial(abi) {
                Ok(()) => return Ok(abi as i32),
                Err(error) => why = error.to_string(),
            }
        }
        Err(format!("this kernel has none, or it is turned off ({why})"))
    }

    fn trial(abi: ABI) -> Result<(), landlock::RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(abi))?;
        let ruleset =
            if abi >= ABI::V4 { ruleset.handle_access(AccessNet::from_all(abi))? } else { ruleset };
        let ruleset = if abi >= ABI::V6 { ruleset.scope(Scope::from_all(abi))? } else { ruleset };
        ruleset.create().map(drop)
    }

    /// Restricts this process and all its descendants.
    pub(crate) fn restrict(spec: &SandboxSpec) -> io::Result<()> {
        let made = rules(spec).map_err(io::Error::other)?;
        let status = made.restrict_self().map_err(io::Error::other)?;
        if status.ruleset == RulesetStatus::NotEnforced {
            return Err(io::Error::other("Landlock is turned off"));
        }
        Ok(())
    }

    fn rules(spec: &SandboxSpec) -> Result<RulesetCreated, landlock::RulesetError> {
        let all = AccessFs::from_all(KNOWN);
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .scope(Scope::Signal)?
            .scope(Scope::AbstractUnixSocket)?;
        let ports = match &spec.network {
            SandboxNetwork::Off => {
                ruleset = ruleset.handle_access(AccessNet::from_all(KNOWN))?;
                Vec::new()
            }
            // Programs may listen: only they themselves can connect.
            SandboxNetwork::Ports(ports) => {
                ruleset = ruleset.handle_access(AccessNet::ConnectTcp)?;
                ports.local.iter().copied().chain([ports.proxy]).collect()
            }
            SandboxNetwork::On => Vec::new(),
        };
        let read = AccessFs::from_read(KNOWN);
        let mut made = ruleset.create()?;
        for port in ports {
            made = made.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
        }
        let rules = spec.path_rules();
        for path in beside(&rules, Path::new("/"), &fs_children) {
            made = allow(made, &path, read)?;
        }
        for (path, access) in &rules {
            match access {
                PathAccess::Hide | PathAccess::Empty => {}
                PathAccess::Read => made = allow(made, path, read)?,
                PathAccess::Write => made = allow(made, path, all)?,
            }
        }
        for device in DEVICES {
            made = allow(made, Path::new(device), all)?;
        }
        allow(made, &spec.temp, all)
    }

    /// Missing paths need no rules. Rights of directories do not apply to files.
    fn allow(
        made: RulesetCreated,
        path: &Path,
        access: BitFlags<AccessFs>,
    ) -> Result<RulesetCreated, landlock::RulesetError> {
        let Ok(opened) = PathFd::new(path) else { return Ok(made) };
        let access = if path.is_dir() { access } else { access & AccessFs::from_file(KNOWN) };
        made.add_rule(PathBeneath::new(opened, access))
    }

    fn fs_children(directory: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }

    /// All readable paths: everything but what is hidden, in as few paths as possible.
    fn beside(
        rules: &[(PathBuf, PathAccess)],
        top: &Path,
        children: &dyn Fn(&Path) -> Vec<PathBuf>,
    ) -> Vec<PathBuf> {
        let hidden: BTreeSet<&Path> = rules
            .iter()
            .filter(|(_, access)| matches!(access, PathAccess::Hide | PathAccess::Empty))
            .map(|(path, _)| path.as_path())
            .collect();
        let mut allowed = Vec::new();
        let mut open = vec![top.to_owned()];
        while let Some(path) = open.pop() {
            if hidden.contains(path.as_path()) {
                continue;
            }
            if hidden.iter().any(|inner| inner.starts_with(&path)) {
                open.extend(children(&path));
            } else {
                allowed.push(path);
            }
        }
        allowed.sort();
        allowed
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// R5: nothing hidden is allowed, and everything beside it is.
        #[test]
        fn everything_but_hidden_paths_is_allowed() {
            let children = |path: &Path| -> Vec<PathBuf> {
                match path.to_str() {
                    Some("/") => vec!["/home".into(), "/usr".into()],
                    Some("/home") => vec!["/home/me".into(), "/home/you".into()],
                    other => panic!("{other:?} is looked into"),
                }
            };
            let rules = [
                (PathBuf::from("/home/me"), PathAccess::Hide),
                (PathBuf::from("/home/me/.cargo"), PathAccess::Read),
            ];
            let allowed = beside(&rules, Path::new("/"), &children);
            assert_eq!(allowed, [Path::new("/home/you"), Path::new("/usr")]);
            assert_eq!(beside(&[], Path::new("/"), &children), [Path::new("/")]);
        }
    }
}
