//! What Landlock does not cover, refused by the kernel call by call: every other kind of connection
//! where there is to be no network, and ways into other processes and around the rules.

use std::io;

use crate::room::Network;

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(crate) fn restrict(_network: Network) -> io::Result<()> {
    Err(io::Error::other("seccomp filters are not known for this machine"))
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn restrict(network: Network) -> io::Result<()> {
    let filter = filter::of(network).map_err(io::Error::other)?;
    seccompiler::apply_filter(&filter).map_err(io::Error::other)
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod filter {
    use std::collections::BTreeMap;

    use nix::libc;
    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
        SeccompFilter, SeccompRule, TargetArch,
    };

    use crate::room::Network;

    /// Into other processes, into the kernel, and around a filter like this one.
    const REFUSED: &[i64] = &[
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_getfd,
        libc::SYS_io_uring_setup,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_move_mount,
        libc::SYS_open_tree,
        libc::SYS_fsopen,
        libc::SYS_setns,
        libc::SYS_kexec_load,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_reboot,
        libc::SYS_settimeofday,
        libc::SYS_clock_settime,
        libc::SYS_open_by_handle_at,
    ];

    pub(super) fn of(network: Network) -> Result<BpfProgram, BackendError> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            REFUSED.iter().map(|call| (*call, Vec::new())).collect();
        if network == Network::Off {
            // A program still talks to itself and to its children.
            let others = SeccompCondition::new(
                0,
                SeccompCmpArgLen::Dword,
                SeccompCmpOp::Ne,
                u64::try_from(libc::AF_UNIX).unwrap_or_default(),
            )?;
            rules.insert(libc::SYS_socket, vec![SeccompRule::new(vec![others])?]);
        }
        let refuse = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, target())?;
        filter.try_into()
    }

    fn target() -> TargetArch {
        if cfg!(target_arch = "x86_64") { TargetArch::x86_64 } else { TargetArch::aarch64 }
    }
}
