//! The allowlist: hosts that may be reached, in the user's notation: `crates.io`,
//! `registry.npmjs.org:443`, `*.example.com`, `127.0.0.1:11434`, `[::1]:8080`.

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The ports of an entry without a port.
const USUAL_PORTS: [u16; 2] = [443, 80];
/// The limit of DNS.
const MAX_NAME_LEN: usize = 253;

/// The host and port that a program asks for. Names are in lower case and contain only letters,
/// digits, `-`, `_` and dots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProxyTarget {
    pub host: HostName,
    pub port: u16,
}

/// A host by name or by address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostName {
    Dns(String),
    Address(IpAddr),
}

/// One entry of the allowlist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPattern {
    who: HostMatcher,
    /// None: the usual ones.
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum HostMatcher {
    One(HostName),
    /// Every name below this one, without the name itself.
    Below(String),
}

/// The hosts that may be reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostAllowlist(BTreeSet<HostPattern>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a valid host: {why}")]
pub struct HostPatternError {
    pub text: String,
    pub why: &'static str,
}

/// How a target matches the allowlist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AllowlistMatch {
    /// By exactly this address.
    Address,
    /// By exactly this name.
    Name,
    /// By a wildcard: the owner of the domain decides which hosts that includes.
    End,
}

impl HostAllowlist {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &HostPattern> {
        self.0.iter()
    }

    pub(crate) fn listed(&self, target: &ProxyTarget) -> Option<AllowlistMatch> {
        let found = self.0.iter().filter_map(|host| host.lists(target));
        // An exact match is trusted more than a wildcard.
        found.min_by_key(|listed| *listed == AllowlistMatch::End)
    }

    /// Whether this address and port are on the list themselves, as a number or as `localhost`.
    pub(crate) fn names_address(&self, address: IpAddr, port: u16) -> bool {
        let by_name =
            address.is_loopback() && self.names(HostName::Dns("localhost".to_owned()), port);
        by_name || self.names(HostName::Address(address), port)
    }

    fn names(&self, host: HostName, port: u16) -> bool {
        matches!(
            self.listed(&ProxyTarget { host, port }),
            Some(AllowlistMatch::Address | AllowlistMatch::Name)
        )
    }

    /// Ports of this machine that are on the list.
    pub fn local_ports(&self) -> Vec<u16> {
        let local = self.0.iter().filter(|host| match &host.who {
            HostMatcher::One(HostName::Address(address)) => address.is_loopback(),
            HostMatcher::One(HostName::Dns(name)) => name == "localhost",
            HostMatcher::Below(_) => false,
        });
        let ports: BTreeSet<u16> = local.filter_map(|host| host.port).collect();
        ports.into_iter().collect()
    }
}

impl FromIterator<HostPattern> for HostAllowlist {
    fn from_iter<I: IntoIterator<Item = HostPattern>>(hosts: I) -> Self {
        Self(hosts.into_iter().collect())
    }
}

impl HostPattern {
    fn lists(&self, target: &ProxyTarget) -> Option<AllowlistMatch> {
        let port = match self.port {
            Some(port) => port == target.port,
            None => USUAL_PORTS.contains(&target.port),
        };
        let listed = match (&self.who, &target.host) {
            (HostMatcher::One(HostName::Address(own)), HostName::Address(asked))
                if own == asked =>
            {
                AllowlistMatch::Address
            }
            (HostMatcher::One(HostName::Dns(own)), HostName::Dns(asked)) if own == asked => {
                AllowlistMatch::Name
            }
            (HostMatcher::Below(end), HostName::Dns(asked)) if is_below(asked, end) => {
                AllowlistMatch::End
            }
            _ => return None,
        };
        port.then_some(listed)
    }

    /// The host of a URL such as `https://example.com:8443/v1`, with the URL's port.
    pub fn from_url(url: &str) -> Option<Self> {
        let (scheme, rest) = url.trim().split_once("://")?;
        let usual = match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => 80,
            "https" | "wss" => 443,
            _ => return None,
        };
        let authority = rest.split(['/', '?', '#']).next()?;
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let HostPattern { who, port } = authority.parse().ok()?;
        matches!(who, HostMatcher::One(_))
            .then_some(HostPattern { who, port: Some(port.unwrap_or(usual)) })
    }
}

fn is_below(name: &str, end: &str) -> bool {
    name.strip_suffix(end).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}

impl FromStr for HostPattern {
    type Err = HostPatternError;

    fn from_str(text: &str) -> Result<Self, HostPatternError> {
        let bad = |why| HostPatternError { text: text.chars().take(100).collect(), why };
        let (host, port) = split_port(text).map_err(bad)?;
        let who = match host.strip_prefix("*.") {
            Some(end) => match parse_host_name(end).map_err(bad)? {
                HostName::Dns(end) => HostMatcher::Below(end),
                HostName::Address(_) => return Err(bad("a wildcard needs a name, not an address")),
            },
            None if host.contains('*') => {
                return Err(bad("a wildcard must precede a name: *.example.com"));
            }
            None => HostMatcher::One(parse_host_name(host).map_err(bad)?),
        };
        Ok(Self { who, port })
    }
}

impl FromStr for ProxyTarget {
    type Err = &'static str;

    /// `host:port`; both are needed.
    fn from_str(text: &str) -> Result<Self, &'static str> {
        let (host, port) = split_port(text)?;
        Ok(Self { host: parse_host_name(host)?, port: port.ok_or("the port is missing")? })
    }
}

/// `host`, `host:port`, `[v6]`, `[v6]:port`.
pub(crate) fn split_port(text: &str) -> Result<(&str, Option<u16>), &'static str> {
    let (host, port) = if text.starts_with('[') {
        let end = text.find(']').ok_or("a bracket is not closed")?;
        let (host, rest) = text.split_at(end + 1);
        match rest.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if rest.is_empty() => (host, None),
            None => return Err("there is text after the bracket"),
        }
    } else {
        text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)))
    };
    let port = port.map(|port| match port.parse() {
        // `parse` would accept a sign as well.
        Ok(number) if number > 0 && port.starts_with(|first: char| first.is_ascii_digit()) => {
            Ok(number)
        }
        _ => Err("its port is not a number from 1 to 65535"),
    });
    Ok((host, port.transpose()?))
}

/// A name or an address, normalised.
pub(crate) fn parse_host_name(text: &str) -> Result<HostName, &'static str> {
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let address = inner.parse().map_err(|_| "the text in brackets is not an address")?;
        return Ok(HostName::Address(IpAddr::V6(address).to_canonical()));
    }
    if let Ok(address) = text.parse::<IpAddr>() {
        return Ok(HostName::Address(address.to_canonical()));
    }
    let text = text.strip_suffix('.').unwrap_or(text);
    if text.is_empty() || text.len() > MAX_NAME_LEN {
        return Err("a name has 1 to 253 characters");
    }
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
        return Err("a name consists of letters, digits, - and dots");
    }
    if text.split('.').any(str::is_empty) {
        return Err("it contains two dots in a row");
    }
    Ok(HostName::Dns(text.to_ascii_lowercase()))
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dns(name) => f.write_str(name),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Self::Address(address) => write!(f, "{address}"),
        }
    }
}

impl fmt::Display for ProxyTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.who {
            HostMatcher::One(name) => write!(f, "{name}")?,
            HostMatcher::Below(end) => write!(f, "*.{end}")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(hosts: &str) -> HostAllowlist {
        hosts.split(' ').map(|host| host.parse().expect("a host")).collect()
    }

    fn asked(target: &str) -> ProxyTarget {
        target.parse().expect("a target")
    }

    /// R5: a host is reached by its own name and ports, in any spelling, and no other host is.
    #[test]
    fn only_hosts_on_the_list_match() {
        let hosts = list("crates.io *.example.com api.test:8443 127.0.0.1:11434 [::1]:9");
        for yes in ["crates.io:443", "CRATES.io.:80", "a.example.com:443", "a.b.example.com:443"] {
            assert!(hosts.listed(&asked(yes)).is_some(), "{yes}");
        }
        for yes in ["api.test:8443", "127.0.0.1:11434", "[::1]:9", "[::ffff:127.0.0.1]:11434"] {
            assert!(hosts.listed(&asked(yes)).is_some(), "{yes}");
        }
        for no in ["crates.io:22", "acrates.io:443", "crates.io.evil.test:443", "example.com:443"] {
            assert_eq!(hosts.listed(&asked(no)), None, "{no}");
        }
        for no in ["evilexample.com:443", "api.test:443", "127.0.0.1:80", "2130706433:11434"] {
            assert_eq!(hosts.listed(&asked(no)), None, "{no}");
        }
        assert_eq!(hosts.local_ports(), [9, 11434]);
    }

    #[test]
    fn invalid_hosts_are_reported() {
        let bad = [
            "",
            "*",
            "a*.b",
            "*.1.2.3.4",
            "a:0",
            "a:99999",
            "a:+1",
            "a b",
            "a\r\nb",
            "[::1",
            "a..b",
        ];
        for bad in bad.iter().map(|bad| (*bad).to_owned()).chain(["a".repeat(300)]) {
            assert!(bad.parse::<HostPattern>().is_err(), "{bad:?}");
        }
        assert!("a".parse::<ProxyTarget>().is_err());
    }

    #[test]
    fn the_host_of_a_url_has_a_port() {
        let of = |url: &str| HostPattern::from_url(url).map(|host| host.to_string());
        assert_eq!(of("https://Example.com/v1").as_deref(), Some("example.com:443"));
        assert_eq!(of("http://me:pw@127.0.0.1:8080").as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(of("http://[::1]:8080/x").as_deref(), Some("[::1]:8080"));
        assert_eq!(of("ftp://example.com"), None);
        assert_eq!(of("https://*.example.com"), None);
    }
}
