//! System calls that Landlock does not cover: all other kinds of connections if the network is off
//! or limited to some ports, and ways into other processes or around the rules.

use std::io;

use crate::spec::SandboxSpec;

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(crate) fn restrict(_room: &SandboxSpec) -> io::Result<()> {
    Err(io::Error::other("seccomp filters are not supported on this architecture"))
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn restrict(spec: &SandboxSpec) -> io::Result<()> {
    let filter = filter::build_filter(spec).map_err(io::Error::other)?;
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

    use crate::spec::{SandboxNetwork, SandboxSpec};

    /// Calls into other processes, into the kernel, and around a filter like this one.
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

    pub(super) fn build_filter(spec: &SandboxSpec) -> Result<BpfProgram, BackendError> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            REFUSED.iter().map(|call| (*call, Vec::new())).collect();
        let mut sockets = match &spec.network {
            SandboxNetwork::On => Vec::new(),
            SandboxNetwork::Off => vec![all(&[is_not(0, libc::AF_UNIX)?])?],
            SandboxNetwork::Ports(_) => {
                rules.extend(no_fast_open()?);
                all_but_tcp()?
            }
        };
        // A program can still talk to itself and to its children through socket pairs.
        if !spec.sockets {
            sockets.push(all(&[is(0, libc::AF_UNIX)?])?);
        }
        if !sockets.is_empty() {
            rules.insert(libc::SYS_socket, sockets);
        }
        let refuse = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, target())?;
        filter.try_into()
    }

    /// Landlock covers TCP; everything else that leaves the machine is refused: DNS uses datagrams,
    /// which can go anywhere.
    fn all_but_tcp() -> Result<Vec<SeccompRule>, BackendError> {
        let not_local = || is_not(0, libc::AF_UNIX);
        let other_families = [not_local()?, is_not(0, libc::AF_INET)?, is_not(0, libc::AF_INET6)?];
        // Newer protocols (multipath TCP) are streams too, and Landlock does not know them.
        let other_protocols = [not_local()?, is_not(2, 0)?, is_not(2, libc::IPPROTO_TCP)?];
        let mut rules = vec![all(&other_families)?, all(&other_protocols)?];
        for kind in (0..=KINDS).filter(|kind| *kind != number(libc::SOCK_STREAM)) {
            let flags_aside = SeccompCmpOp::MaskedEq(KINDS);
            let kind = SeccompCondition::new(1, SeccompCmpArgLen::Dword, flags_aside, kind)?;
            rules.push(all(&[not_local()?, kind])?);
        }
        Ok(rules)
    }

    /// The bits of a socket's type that are not flags.
    const KINDS: u64 = 0xf;

    /// TCP fast open connects while sending, which Landlock does not see.
    fn no_fast_open() -> Result<Vec<(i64, Vec<SeccompRule>)>, BackendError> {
        let calls = [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)];
        let refused = |(call, flags): (i64, u8)| {
            let bit = number(libc::MSG_FASTOPEN);
            let set = SeccompCmpOp::MaskedEq(bit);
            let set = SeccompCondition::new(flags, SeccompCmpArgLen::Dword, set, bit)?;
            Ok((call, vec![all(&[set])?]))
        };
        calls.into_iter().map(refused).collect()
    }

    fn is(argument: u8, value: i32) -> Result<SeccompCondition, BackendError> {
        let length = SeccompCmpArgLen::Dword;
        SeccompCondition::new(argument, length, SeccompCmpOp::Eq, number(value))
    }

    fn is_not(argument: u8, value: i32) -> Result<SeccompCondition, BackendError> {
        let length = SeccompCmpArgLen::Dword;
        SeccompCondition::new(argument, length, SeccompCmpOp::Ne, number(value))
    }

    fn all(conditions: &[SeccompCondition]) -> Result<SeccompRule, BackendError> {
        SeccompRule::new(conditions.to_vec())
    }

    fn number(value: i32) -> u64 {
        u64::try_from(value).unwrap_or_default()
    }

    fn target() -> TargetArch {
        if cfg!(target_arch = "x86_64") { TargetArch::x86_64 } else { TargetArch::aarch64 }
    }
}
