//! Which addresses a host name may resolve to: an allowed name must not lead to services of this
//! machine or of its network.

use std::net::{IpAddr, Ipv6Addr};

use crate::allowlist::{AllowlistMatch, HostAllowlist, ProxyTarget};

/// How far away an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AddressScope {
    /// This machine, its link (where clouds serve credentials), a broadcast address, or none.
    Here,
    /// The network that it is in.
    Private,
    Public,
}

/// Whether this target, with this match in the allowlist, may be reached at this address.
pub(crate) fn is_allowed(
    hosts: &HostAllowlist,
    target: &ProxyTarget,
    listed: AllowlistMatch,
    address: IpAddr,
) -> bool {
    let address = address.to_canonical();
    match (address_scope(address), listed) {
        (AddressScope::Public, _)
        | (AddressScope::Private, AllowlistMatch::Name)
        | (_, AllowlistMatch::Address) => true,
        (AddressScope::Here | AddressScope::Private, _) => {
            hosts.names_address(address, target.port)
        }
    }
}

fn address_scope(address: IpAddr) -> AddressScope {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let here = v4.is_loopback() || v4.is_link_local() || a == 0 || a >= 224;
            let shared = a == 100 && (64..128).contains(&b);
            match () {
                () if here => AddressScope::Here,
                () if v4.is_private() || shared => AddressScope::Private,
                () => AddressScope::Public,
            }
        }
        IpAddr::V6(v6) => address_scope_v6(v6),
    }
}

fn address_scope_v6(address: Ipv6Addr) -> AddressScope {
    let [first, second, ..] = address.segments();
    let here = address.is_loopback() || address.is_unspecified() || address.is_multicast();
    let link_local = first & 0xffc0 == 0xfe80;
    // An IPv4 address inside of an IPv6 address is reached as the IPv4 address.
    let embedded = match first {
        0x64 if second == 0xff9b => Some(last_four(address)),
        0x2002 => {
            let octets = address.octets();
            Some([octets[2], octets[3], octets[4], octets[5]])
        }
        _ => None,
    };
    match embedded {
        Some(octets) => address_scope(IpAddr::from(octets)),
        None if here || link_local => AddressScope::Here,
        None if first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfec0 => AddressScope::Private,
        // `::1.2.3.4`, which is obsolete.
        None if first == 0 => AddressScope::Here,
        None => AddressScope::Public,
    }
}

fn last_four(address: Ipv6Addr) -> [u8; 4] {
    let octets = address.octets();
    [octets[12], octets[13], octets[14], octets[15]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(list: &str, target: &str, address: &str) -> bool {
        let hosts: HostAllowlist =
            list.split(' ').map(|host| host.parse().expect("a host")).collect();
        let target: ProxyTarget = target.parse().expect("a target");
        let listed = hosts.listed(&target).expect("it is listed");
        is_allowed(&hosts, &target, listed, address.parse().expect("an address"))
    }

    /// R5: a name leads neither to this machine nor to the address where clouds serve credentials.
    #[test]
    fn a_name_does_not_resolve_to_this_machine() {
        let local =
            ["127.0.0.1", "127.9.9.9", "::1", "169.254.169.254", "fe80::1", "0.0.0.0", "::"];
        let hidden = ["::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "224.0.0.1", "::2"];
        for address in local.into_iter().chain(hidden) {
            assert!(!allowed("a.test", "a.test:443", address), "{address}");
            assert!(!allowed("*.test", "a.test:443", address), "{address}");
        }
        assert!(allowed("a.test", "a.test:443", "1.1.1.1"));
        assert!(allowed("*.test", "a.test:443", "2606:4700::1111"));
    }

    /// R5: only a name that is on the list itself leads into the local network, not one below a
    /// wildcard.
    #[test]
    fn a_private_address_needs_an_exact_name() {
        for address in ["10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "fd00::1"] {
            assert!(allowed("a.test", "a.test:443", address), "{address}");
            assert!(!allowed("*.test", "a.test:443", address), "{address}");
        }
    }

    /// An address, or this machine, can be allowed explicitly.
    #[test]
    fn an_explicitly_allowed_address_is_reached() {
        assert!(allowed("127.0.0.1:80", "127.0.0.1:80", "127.0.0.1"));
        assert!(allowed("169.254.169.254", "169.254.169.254:80", "169.254.169.254"));
        assert!(allowed("localhost:99", "localhost:99", "::1"));
        assert!(allowed("a.test:99 127.0.0.1:99", "a.test:99", "127.0.0.1"));
        assert!(!allowed("a.test:99 127.0.0.1:98", "a.test:99", "127.0.0.1"));
    }
}
