//! The answers of ssh-keygen.

/// A signature that matches its text: by whom, if that was asked, and with which key.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GoodSignature {
    pub(super) signer: Option<String>,
    pub(super) key: String,
}

/// Reads `Good "git" signature for WHO with TYPE key FINGERPRINT`, or the same without `for WHO`.
pub(super) fn parse_good(output: &str) -> Option<GoodSignature> {
    let rest = output.lines().find_map(|line| line.strip_prefix("Good \"git\" signature "))?;
    // The name of a signer may contain anything; what comes last is not its part.
    let (before, key) = rest.rsplit_once(" key ")?;
    let (before, _kind) = before.rsplit_once("with ")?;
    let signer = before.strip_prefix("for ").map(|name| name.trim_end().to_owned());
    Some(GoodSignature { signer, key: key.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_signatures_are_recognised() {
        let known =
            parse_good("Good \"git\" signature for a with b key c@x with ED25519 key SHA256:k\n");
        let expected = GoodSignature {
            signer: Some("a with b key c@x".to_owned()),
            key: "SHA256:k".to_owned(),
        };
        assert_eq!(known, Some(expected));
        let anonymous = parse_good("Good \"git\" signature with RSA key SHA256:k\n").unwrap();
        assert_eq!(anonymous.signer, None);
        assert_eq!(parse_good("Signature verification failed\n"), None);
        assert_eq!(parse_good("Good \"file\" signature with RSA key SHA256:k\n"), None);
    }
}
