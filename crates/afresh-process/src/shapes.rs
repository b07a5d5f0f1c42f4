//! How keys of well-known services look.

/// One kind of key: how it begins, and what follows.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) begin: &'static str,
    pub(crate) body: Body,
    /// How many characters follow at least.
    pub(crate) least: usize,
}

/// The characters of which a key is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// Letters and digits.
    Plain,
    /// Also `_` and `-`.
    Dashed,
    /// Lines of base64, also where line breaks are written as in JSON.
    Lines,
}

impl Body {
    pub(crate) fn has(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric()
            || match self {
                Self::Plain => false,
                Self::Dashed => matches!(byte, b'_' | b'-'),
                Self::Lines => matches!(byte, b'+' | b'/' | b'=' | b'\n' | b'\r' | b'\\' | b' '),
            }
    }

    /// How many bytes at the beginning are of it.
    pub(crate) fn length(self, bytes: &[u8]) -> usize {
        bytes.iter().take_while(|byte| self.has(**byte)).count()
    }

    /// Names have dashes too, but hardly a number in so long a word.
    pub(crate) fn needs_digit(self) -> bool {
        self != Self::Lines
    }
}

const fn shape(name: &'static str, begin: &'static str, body: Body, least: usize) -> Shape {
    Shape { name, begin, body, least }
}

pub(crate) const SHAPES: &[Shape] = &[
    shape("API key", "sk-", Body::Dashed, 20),
    shape("Google API key", "AIza", Body::Dashed, 30),
    shape("Google access token", "ya29.", Body::Dashed, 40),
    shape("GitHub token", "ghp_", Body::Plain, 30),
    shape("GitHub token", "gho_", Body::Plain, 30),
    shape("GitHub token", "ghs_", Body::Plain, 30),
    shape("GitHub token", "ghu_", Body::Plain, 30),
    shape("GitHub token", "ghr_", Body::Plain, 30),
    shape("GitHub token", "github_pat_", Body::Dashed, 30),
    shape("GitLab token", "glpat-", Body::Dashed, 16),
    shape("AWS access key", "AKIA", Body::Plain, 16),
    shape("AWS access key", "ASIA", Body::Plain, 16),
    shape("Slack token", "xoxb-", Body::Dashed, 20),
    shape("Slack token", "xoxp-", Body::Dashed, 20),
    shape("Slack token", "xoxa-", Body::Dashed, 20),
    shape("Slack token", "xapp-", Body::Dashed, 20),
    shape("npm token", "npm_", Body::Plain, 36),
    shape("PyPI token", "pypi-", Body::Dashed, 50),
    shape("crates.io token", "cio", Body::Plain, 32),
    shape("Hugging Face token", "hf_", Body::Plain, 30),
    shape("Groq key", "gsk_", Body::Plain, 40),
    shape("xAI key", "xai-", Body::Plain, 40),
    shape("Perplexity key", "pplx-", Body::Plain, 40),
    shape("Replicate token", "r8_", Body::Plain, 30),
    shape("DigitalOcean token", "dop_v1_", Body::Plain, 60),
    shape("Shopify token", "shpat_", Body::Plain, 30),
    shape("Stripe key", "sk_live_", Body::Plain, 20),
    shape("Stripe key", "rk_live_", Body::Plain, 20),
    shape("private key", "-----BEGIN PRIVATE KEY-----", Body::Lines, 40),
    shape("private key", "-----BEGIN RSA PRIVATE KEY-----", Body::Lines, 40),
    shape("private key", "-----BEGIN EC PRIVATE KEY-----", Body::Lines, 40),
    shape("private key", "-----BEGIN DSA PRIVATE KEY-----", Body::Lines, 40),
    shape("private key", "-----BEGIN OPENSSH PRIVATE KEY-----", Body::Lines, 40),
    shape("private key", "-----BEGIN ENCRYPTED PRIVATE KEY-----", Body::Lines, 40),
];
