//! The user's own proxy: if there is one, it may be the only way out, so it is used.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::allowlist::{self, HostName, ProxyTarget};

/// The configured proxies, and the hosts that bypass them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpstreamProxy {
    encrypted: Option<UpstreamServer>,
    plain: Option<UpstreamServer>,
    /// Domain suffixes and addresses.
    direct: Vec<String>,
    always_direct: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UpstreamServer {
    pub(crate) at: ProxyTarget,
    /// The value of the `Proxy-Authorization` header.
    pub(crate) authorization: Option<String>,
}

/// A proxy setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the proxy of {variable} {why}")]
pub struct UpstreamError {
    pub variable: String,
    pub why: &'static str,
}

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestPurpose {
    Tunnel,
    Plain,
}

impl UpstreamProxy {
    /// As curl reads them: lower case wins, and `ALL_PROXY` is the fallback.
    pub fn from_variables(variables: &BTreeMap<String, String>) -> Result<Self, UpstreamError> {
        let value = |name: &str| {
            [name.to_ascii_lowercase(), name.to_owned()].into_iter().find_map(|name| {
                let value = variables.get(&name).filter(|value| !value.is_empty())?;
                Some((name, value.clone()))
            })
        };
        let server = |name: &str| match value(name).or_else(|| value("ALL_PROXY")) {
            Some((variable, url)) => UpstreamServer::from_url(&url)
                .map(Some)
                .map_err(|why| UpstreamError { variable, why }),
            None => Ok(None),
        };
        let direct = value("NO_PROXY").map(|(_, list)| list).unwrap_or_default();
        let direct: Vec<String> =
            direct.split(',').map(|part| part.trim().to_ascii_lowercase()).collect();
        Ok(Self {
            encrypted: server("HTTPS_PROXY")?,
            plain: server("HTTP_PROXY")?,
            always_direct: direct.iter().any(|part| part == "*"),
            direct: direct.into_iter().filter(|part| !part.is_empty()).collect(),
        })
    }

    /// The proxy for this target; none for a direct connection.
    pub(crate) fn for_target(
        &self,
        target: &ProxyTarget,
        purpose: RequestPurpose,
    ) -> Option<&UpstreamServer> {
        let local = match &target.host {
            HostName::Address(address) => address.is_loopback(),
            HostName::Dns(name) => name == "localhost",
        };
        let direct = local || self.always_direct || self.direct.iter().any(|it| covers(it, target));
        let server = match purpose {
            RequestPurpose::Tunnel if target.port == 80 => {
                self.plain.as_ref().or(self.encrypted.as_ref())
            }
            RequestPurpose::Tunnel => self.encrypted.as_ref().or(self.plain.as_ref()),
            RequestPurpose::Plain => self.plain.as_ref(),
        };
        server.filter(|_| !direct)
    }
}

/// `example.com` and `.example.com` cover both the name and all below it; an address covers itself.
fn covers(part: &str, target: &ProxyTarget) -> bool {
    let (part, port) = match part.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => (host, port.parse::<u16>().ok()),
        _ => (part, None),
    };
    let host = match &target.host {
        HostName::Dns(name) => {
            let end = part.trim_start_matches("*.").trim_start_matches('.');
            name == end || name.strip_suffix(end).is_some_and(|rest| rest.ends_with('.'))
        }
        HostName::Address(address) => part.parse::<IpAddr>().is_ok_and(|own| own == *address),
    };
    host && port.is_none_or(|port| port == target.port)
}

impl UpstreamServer {
    /// `http://name:password@host:port`; the scheme may be missing.
    fn from_url(url: &str) -> Result<Self, &'static str> {
        let rest = match url.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some(_) => return Err("is not an http:// URL; other kinds are not supported"),
            None => url,
        };
        let rest = rest.split('/').next().unwrap_or_default();
        let (login, host) = match rest.rsplit_once('@') {
            Some((login, host)) => (Some(login), host),
            None => (None, rest),
        };
        let no_host = |_| "has no valid host and port";
        let (host, port) = allowlist::split_port(host).map_err(no_host)?;
        let at = ProxyTarget {
            host: allowlist::parse_host_name(host).map_err(no_host)?,
            port: port.unwrap_or(80),
        };
        let authorization =
            login.map(|login| format!("Basic {}", encode_base64(&percent_decode(login))));
        Ok(Self { at, authorization })
    }
}

/// Decodes `%40` and the like.
fn percent_decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let hex = others.get(..2).filter(|_| *first == b'%');
        let hex = hex.and_then(|two| std::str::from_utf8(two).ok());
        if let Some(byte) = hex.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            bytes.push(byte);
            rest = &others[2..];
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    bytes
}

fn encode_base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for sign in 0..4 {
            let index = (bits >> (18 - 6 * sign)) & 63;
            let known = usize::try_from(sign).is_ok_and(|sign| sign <= three.len());
            text.push(if known { char::from(SIGNS[index as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream(pairs: &[(&str, &str)]) -> Result<UpstreamProxy, UpstreamError> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        UpstreamProxy::from_variables(&pairs.collect())
    }

    fn through(upstream: &UpstreamProxy, target: &str) -> Option<String> {
        let target = target.parse().expect("a target");
        upstream.for_target(&target, RequestPurpose::Tunnel).map(|server| server.at.to_string())
    }

    #[test]
    fn the_users_proxy_is_used_except_for_bypassed_hosts() {
        let found = upstream(&[
            ("HTTPS_PROXY", "http://me:p%40ss@proxy.test:3128/"),
            ("NO_PROXY", "localhost, .corp.test,10.1.2.3"),
        ])
        .expect("read");
        assert_eq!(through(&found, "api.test:443").as_deref(), Some("proxy.test:3128"));
        for direct in ["a.corp.test:443", "corp.test:443", "10.1.2.3:443", "127.0.0.1:443"] {
            assert_eq!(through(&found, direct), None, "{direct}");
        }
        let server = found.encrypted.expect("one");
        assert_eq!(server.authorization.as_deref(), Some("Basic bWU6cEBzcw=="));
        assert_eq!(through(&upstream(&[]).expect("none"), "api.test:443"), None);
        let all = upstream(&[("all_proxy", "proxy.test:1"), ("no_proxy", "*")]).expect("read");
        assert_eq!(through(&all, "api.test:443"), None);
    }

    #[test]
    fn an_unusable_proxy_is_reported_with_its_variable() {
        let problem =
            upstream(&[("https_proxy", "socks5://proxy.test:1080")]).expect_err("refused");
        assert_eq!(problem.variable, "https_proxy");
    }

    #[test]
    fn base64_is_encoded_as_specified() {
        let texts = [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("a:b", "YTpi")];
        for (text, expected) in texts {
            assert_eq!(encode_base64(text.as_bytes()), expected);
        }
    }
}
