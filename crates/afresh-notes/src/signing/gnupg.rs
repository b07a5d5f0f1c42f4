//! The status lines of gpg and gpgsm, `[GNUPG:] KEYWORD …`.

use afresh_proof::history::SignatureState;

const PREFIX: &str = "[GNUPG:] ";

/// How much a key is trusted, the least first, as git orders it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyTrust {
    Undefined,
    Never,
    Marginal,
    Fully,
    Ultimate,
}

impl KeyTrust {
    /// A value of `gpg.minTrustLevel`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "undefined" => Self::Undefined,
            "never" => Self::Never,
            "marginal" => Self::Marginal,
            "fully" => Self::Fully,
            "ultimate" => Self::Ultimate,
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Never => "never",
            Self::Marginal => "marginal",
            Self::Fully => "fully",
            Self::Ultimate => "ultimate",
        }
    }
}

/// Whether a signature was made.
pub(super) fn has_signed(status: &str) -> bool {
    keywords(status).any(|(keyword, _)| keyword == "SIG_CREATED")
}

/// Whether the program came as far as looking at a signature, or at bytes that are none.
pub(super) fn has_result(status: &str) -> bool {
    keywords(status).next().is_some()
}

/// What the status of a verification says. `least` is the trust that a key needs.
pub(super) fn judge(status: &str, least: KeyTrust) -> SignatureState {
    let results: Vec<(&str, &str)> = keywords(status)
        .filter(|(keyword, _)| {
            matches!(
                *keyword,
                "GOODSIG" | "BADSIG" | "ERRSIG" | "EXPSIG" | "EXPKEYSIG" | "REVKEYSIG"
            )
        })
        .collect();
    // One signature, one result: with several, text could be counted for a signature that is not about it.
    let [(keyword, rest)] = results[..] else {
        let why = format!("gpg reported {} signatures instead of one", results.len());
        return SignatureState::Bad { why };
    };
    let (key, signer) = rest.split_once(' ').unwrap_or((rest, ""));
    let fingerprint = keywords(status).find(|(keyword, _)| *keyword == "VALIDSIG");
    let fingerprint = fingerprint.and_then(|(_, rest)| rest.split(' ').next());
    let key = fingerprint.unwrap_or(key).to_owned();
    match keyword {
        "GOODSIG" => {}
        "BADSIG" => {
            return SignatureState::Bad { why: format!("it was not made for this text ({key})") };
        }
        "ERRSIG" => {
            let why = "its public key is missing here, or its algorithm is unknown".to_owned();
            return SignatureState::UnknownKey { key, why };
        }
        "EXPSIG" => return unknown(key, "the signature has expired"),
        "EXPKEYSIG" => return unknown(key, "its key has expired"),
        _ => return SignatureState::Bad { why: format!("its key was revoked ({key})") },
    }
    let trust =
        keywords(status).find_map(|(keyword, _)| KeyTrust::parse(keyword.strip_prefix("TRUST_")?));
    match trust.unwrap_or(KeyTrust::Undefined) {
        trust if trust >= least => SignatureState::Trusted { key, signer: signer.to_owned() },
        trust => {
            let why = format!("trust in it is {}, and {} is needed", trust.word(), least.word());
            SignatureState::UnknownKey { key, why }
        }
    }
}

fn unknown(key: String, why: &str) -> SignatureState {
    SignatureState::UnknownKey { key, why: why.to_owned() }
}

fn keywords(status: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = status.lines().filter_map(|line| line.strip_prefix(PREFIX));
    lines.map(|line| line.split_once(' ').unwrap_or((line, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 0123 Me <me@x>\n[GNUPG:] VALIDSIG ABCD 2026\n";

    fn with_trust(trust: &str) -> SignatureState {
        judge(&format!("{GOOD}[GNUPG:] TRUST_{trust} 0 pgp\n"), KeyTrust::Marginal)
    }

    /// TR-06: a good signature counts as far as its key is trusted.
    #[test]
    fn a_good_signature_is_as_good_as_its_key() {
        let trusted =
            SignatureState::Trusted { key: "ABCD".to_owned(), signer: "Me <me@x>".to_owned() };
        assert_eq!(with_trust("ULTIMATE"), trusted);
        assert_eq!(with_trust("MARGINAL"), trusted);
        assert!(matches!(with_trust("NEVER"), SignatureState::UnknownKey { .. }));
        assert!(matches!(with_trust("UNDEFINED"), SignatureState::UnknownKey { .. }));
        assert!(matches!(judge(GOOD, KeyTrust::Marginal), SignatureState::UnknownKey { .. }));
        assert!(matches!(judge(GOOD, KeyTrust::Undefined), SignatureState::Trusted { .. }));
    }

    /// TR-06: a program that gave up before it looked says nothing about the signature.
    #[test]
    fn a_program_that_gave_up_has_no_result() {
        assert!(has_result(GOOD) && has_result("[GNUPG:] NODATA 1\n"));
        assert!(!has_result("") && !has_result("gpg: Fatal: can't create directory\n"));
    }

    /// TR-06: everything else counts less, and a second signature in one block hides nothing.
    #[test]
    fn other_results_are_not_trusted() {
        let state = |text: &str| judge(text, KeyTrust::Undefined);
        assert!(matches!(state("[GNUPG:] BADSIG 01 Me\n"), SignatureState::Bad { .. }));
        assert!(matches!(state("[GNUPG:] REVKEYSIG 01 Me\n"), SignatureState::Bad { .. }));
        assert!(matches!(
            state("[GNUPG:] ERRSIG 01 1 2 00 3 9\n"),
            SignatureState::UnknownKey { .. }
        ));
        assert!(matches!(state("[GNUPG:] EXPKEYSIG 01 Me\n"), SignatureState::UnknownKey { .. }));
        assert!(matches!(state(""), SignatureState::Bad { .. }));
        assert!(matches!(state(&format!("{GOOD}{GOOD}")), SignatureState::Bad { .. }));
        assert!(matches!(state("GOODSIG 01 Me\n"), SignatureState::Bad { .. }));
    }
}
