//! What keys of well-known services look like.

/// One kind of key: a fixed prefix, and characters after it.
#[derive(Debug)]
pub(crate) struct KeyPattern {
    pub(crate) name: &'static str,
    pub(crate) prefix: &'static str,
    pub(crate) charset: KeyCharset,
    /// How many characters follow the prefix at least.
    pub(crate) min_len: usize,
}

/// The characters that follow the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyCharset {
    Alphanumeric,
    /// Letters, digits, `_` and `-`.
    AlphanumericDashed,
    /// Lines of base64, also with line breaks escaped as in JSON.
    Base64Lines,
}

impl KeyCharset {
    pub(crate) fn contains(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric()
            || match self {
                Self::Alphanumeric => false,
                Self::AlphanumericDashed => matches!(byte, b'_' | b'-'),
                Self::Base64Lines => {
                    matches!(byte, b'+' | b'/' | b'=' | b'\n' | b'\r' | b'\\' | b' ')
                }
            }
    }

    /// How many bytes at the beginning are in this set.
    pub(crate) fn prefix_len(self, bytes: &[u8]) -> usize {
        bytes.iter().take_while(|byte| self.contains(**byte)).count()
    }

    /// Identifiers have dashes too, but rarely a digit in so long a word.
    pub(crate) fn needs_digit(self) -> bool {
        self != Self::Base64Lines
    }
}

const fn key(
    name: &'static str,
    prefix: &'static str,
    charset: KeyCharset,
    min_len: usize,
) -> KeyPattern {
    KeyPattern { name, prefix, charset, min_len }
}

pub(crate) const KEY_PATTERNS: &[KeyPattern] = &[
    key("API key", "sk-", KeyCharset::AlphanumericDashed, 20),
    key("Google API key", "AIza", KeyCharset::AlphanumericDashed, 30),
    key("Google access token", "ya29.", KeyCharset::AlphanumericDashed, 40),
    key("GitHub token", "ghp_", KeyCharset::Alphanumeric, 30),
    key("GitHub token", "gho_", KeyCharset::Alphanumeric, 30),
    key("GitHub token", "ghs_", KeyCharset::Alphanumeric, 30),
    key("GitHub token", "ghu_", KeyCharset::Alphanumeric, 30),
    key("GitHub token", "ghr_", KeyCharset::Alphanumeric, 30),
    key("GitHub token", "github_pat_", KeyCharset::AlphanumericDashed, 30),
    key("GitLab token", "glpat-", KeyCharset::AlphanumericDashed, 16),
    key("AWS access key", "AKIA", KeyCharset::Alphanumeric, 16),
    key("AWS access key", "ASIA", KeyCharset::Alphanumeric, 16),
    key("Slack token", "xoxb-", KeyCharset::AlphanumericDashed, 20),
    key("Slack token", "xoxp-", KeyCharset::AlphanumericDashed, 20),
    key("Slack token", "xoxa-", KeyCharset::AlphanumericDashed, 20),
    key("Slack token", "xapp-", KeyCharset::AlphanumericDashed, 20),
    key("npm token", "npm_", KeyCharset::Alphanumeric, 36),
    key("PyPI token", "pypi-", KeyCharset::AlphanumericDashed, 50),
    key("crates.io token", "cio", KeyCharset::Alphanumeric, 32),
    key("Hugging Face token", "hf_", KeyCharset::Alphanumeric, 30),
    key("Groq key", "gsk_", KeyCharset::Alphanumeric, 40),
    key("xAI key", "xai-", KeyCharset::Alphanumeric, 40),
    key("Perplexity key", "pplx-", KeyCharset::Alphanumeric, 40),
    key("Replicate token", "r8_", KeyCharset::Alphanumeric, 30),
    key("DigitalOcean token", "dop_v1_", KeyCharset::Alphanumeric, 60),
    key("Shopify token", "shpat_", KeyCharset::Alphanumeric, 30),
    key("Stripe key", "sk_live_", KeyCharset::Alphanumeric, 20),
    key("Stripe key", "rk_live_", KeyCharset::Alphanumeric, 20),
    key("private key", "-----BEGIN PRIVATE KEY-----", KeyCharset::Base64Lines, 40),
    key("private key", "-----BEGIN RSA PRIVATE KEY-----", KeyCharset::Base64Lines, 40),
    key("private key", "-----BEGIN EC PRIVATE KEY-----", KeyCharset::Base64Lines, 40),
    key("private key", "-----BEGIN DSA PRIVATE KEY-----", KeyCharset::Base64Lines, 40),
    key("private key", "-----BEGIN OPENSSH PRIVATE KEY-----", KeyCharset::Base64Lines, 40),
    key("private key", "-----BEGIN ENCRYPTED PRIVATE KEY-----", KeyCharset::Base64Lines, 40),
];
