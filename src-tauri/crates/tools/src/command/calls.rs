//! Calls of the system that go around folders and networks, refused by a filter. Called by the thread that starts a
//! command, after it was kept inside in other ways.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// Refused altogether: the keys that the system keeps for a session, and a way to make sockets that no filter sees.
const REFUSED: [i64; 4] =
    [libc::SYS_keyctl, libc::SYS_add_key, libc::SYS_request_key, libc::SYS_io_uring_setup];

/// Kinds of sockets that are made for programs of this computer, and for a network.
const LOCAL: [i32; 1] = [libc::AF_UNIX];
const NETWORK: [i32; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// On some systems a call has a second number.
#[cfg(target_arch = "x86_64")]
const OTHER_NUMBERS: i64 = 0x4000_0000;

/// Refuses them to this thread and everything it starts; sockets of other kinds, too.
pub(super) fn close(may_network: bool) -> io::Result<()> {
    let kinds: &[i32] = if may_network { &NETWORK } else { &LOCAL };
    let is_other = |kind: &i32| {
        let kind = u64::from(kind.unsigned_abs());
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, kind)
    };
    let others: Result<Vec<_>, _> = kinds.iter().map(is_other).collect();
    let of_other_kind = SeccompRule::new(others.map_err(io::Error::other)?);
    let socket = vec![of_other_kind.map_err(io::Error::other)?];
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, socket);
    #[cfg(target_arch = "x86_64")]
    for (call, rule) in rules.clone() {
        rules.insert(call | OTHER_NUMBERS, rule);
    }
    let arch: TargetArch = ARCH.try_into().map_err(io::Error::other)?;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch);
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(io::Error::other)?;
    apply_filter(&program).map_err(io::Error::other)
}
