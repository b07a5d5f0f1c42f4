//! Delegates controllers of cgroup version 2 to the cgroups that we make.
//!
//! A cgroup that contains processes cannot delegate controllers (except the root). So if we are
//! alone in our own cgroup, as in a scope or a container made for us, we move into a child of it.

use std::fs;
use std::io;
use std::path::Path;

use crate::containment::cgroup_mounts::{ASIDE, CgroupMounts};

/// Enables `controllers` in cgroups below our own, for this process and all that it starts later.
/// The driver calls it once, before it has children. If that is not possible, nothing changes.
pub fn delegate_controllers(controllers: &[&str]) {
    let Ok(own) = CgroupMounts::read().and_then(|places| places.unified()) else { return };
    let offered =
        |controller: &&&str| lists_controller(&own.join("cgroup.controllers"), controller);
    let missing =
        |controller: &&&str| !lists_controller(&own.join("cgroup.subtree_control"), controller);
    let wanted: Vec<&str> = controllers.iter().filter(offered).filter(missing).copied().collect();
    if !wanted.is_empty() && enable(&own, &wanted).is_err() && is_alone(&own) {
        // After a failure everything is as it was.
        let _ = move_self_aside(&own, &wanted);
    }
}

/// Whether a file of controllers lists this one.
pub(crate) fn lists_controller(file: &Path, controller: &str) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_ascii_whitespace().any(|listed| listed == controller)
}

fn enable(own: &Path, controllers: &[&str]) -> io::Result<()> {
    let enables: Vec<String> = controllers.iter().map(|it| format!("+{it}")).collect();
    fs::write(own.join("cgroup.subtree_control"), enables.join(" "))
}

fn is_alone(own: &Path) -> bool {
    fs::read_to_string(own.join("cgroup.procs"))
        .is_ok_and(|text| text.trim() == std::process::id().to_string())
}

fn move_self_aside(own: &Path, controllers: &[&str]) -> io::Result<()> {
    let aside = own.join(ASIDE);
    match fs::create_dir(&aside) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    crate::containment::cgroup::enter(&aside)?;
    enable(own, controllers).or_else(|_| {
        crate::containment::cgroup::enter(own)?;
        fs::remove_dir(&aside)
    })
}
