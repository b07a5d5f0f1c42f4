//! What a signature is worth: whether it is about a text, and whether the user's git trusts its key.

use std::path::Path;

use afresh_git::SigningConfig;
use afresh_proof::history::SignatureState;
use afresh_proof::statement::format_utc;

use super::gnupg::{self, KeyTrust};
use super::tools::{ProgramOutput, SigningTools, Workbench};
use super::{NAMESPACE, ssh};

/// No real armored signature is larger.
const MAX_SIGNATURE_BYTES: usize = 64 * 1024;

/// Verifies signatures with the keys and lists that the user's git is configured for, without a network.
#[derive(Debug, Clone)]
pub struct SignatureVerifier {
    tools: SigningTools,
    config: SigningConfig,
}

impl SignatureVerifier {
    pub fn new(config: SigningConfig, tools: SigningTools) -> Self {
        Self { tools, config }
    }

    /// The worth of an armored signature of these bytes; `at_seconds` is when it was made.
    pub fn verify(&self, bytes: &[u8], armored: &[u8], at_seconds: u64) -> SignatureState {
        if armored.len() > MAX_SIGNATURE_BYTES {
            return SignatureState::Bad { why: "it is too large for a signature".to_owned() };
        }
        let starts_with = |head: &str| armored.trim_ascii_start().starts_with(head.as_bytes());
        let judged = if starts_with("-----BEGIN SSH SIGNATURE-----") {
            self.verify_with_ssh(bytes, armored, at_seconds)
        } else if starts_with("-----BEGIN PGP SIGNATURE-----") {
            let program = self.config.openpgp_program.as_deref().unwrap_or("gpg");
            let offline = ["--no-auto-key-retrieve", "--disable-dirmngr"];
            self.verify_with_gnupg(bytes, armored, program, &offline)
        } else if starts_with("-----BEGIN SIGNED MESSAGE-----") {
            let program = self.config.x509_program.as_deref().unwrap_or("gpgsm");
            self.verify_with_gnupg(bytes, armored, program, &["--disable-crl-checks"])
        } else {
            return SignatureState::Bad { why: "it is not a signature that git knows".to_owned() };
        };
        // A program that is missing here says nothing about the signature.
        judged.unwrap_or_else(|why| SignatureState::UnknownKey { key: "unknown".to_owned(), why })
    }

    fn verify_with_ssh(
        &self,
        bytes: &[u8],
        armored: &[u8],
        at_seconds: u64,
    ) -> Result<SignatureState, String> {
        let bench = self.tools.bench()?;
        let document = bench.write("document", bytes)?;
        let signature = bench.write("signature", armored)?;
        let call = SshCall {
            bench: &bench,
            program: self.config.ssh_program.as_deref().unwrap_or("ssh-keygen"),
            document: &document,
            signature: &signature.to_string_lossy(),
            at: &format!("-Overify-time={}", format_ssh_time(at_seconds)),
        };
        let untrusted = match &self.config.allowed_signers {
            None => "gpg.ssh.allowedSignersFile is not set, so no key is trusted",
            Some(list) if !list.is_file() => {
                "the file that gpg.ssh.allowedSignersFile names is missing"
            }
            Some(list) => {
                if let Some(trusted) = self.find_trusted_signer(&call, list)? {
                    return Ok(trusted);
                }
                "its key is not among the allowed signers, or was not valid at that time"
            }
        };
        // Not trusted: a strange key, or no signature of this text at all?
        let plain = call.verify(&["check-novalidate"])?;
        Ok(match ssh::parse_good(&plain.stdout) {
            Some(good) => SignatureState::UnknownKey { key: good.key, why: untrusted.to_owned() },
            None => SignatureState::Bad { why: plain.complaint() },
        })
    }

    /// Tries every name that the list has for the key of the signature.
    fn find_trusted_signer(
        &self,
        call: &SshCall<'_>,
        list: &Path,
    ) -> Result<Option<SignatureState>, String> {
        let list = list.to_string_lossy();
        for principal in call.find_principals(&list)?.lines().filter(|it| !it.is_empty()) {
            let mut options = vec!["verify", "-f", &list, "-I", principal];
            let revoked = self.config.revocation_file.as_deref().map(Path::to_string_lossy);
            if let Some(revoked) = &revoked {
                options.extend(["-r", revoked]);
            }
            let answer = call.verify(&options)?;
            let found = ssh::parse_good(&answer.stdout).filter(|_| answer.succeeded);
            if let Some(found) = found {
                let signer = found.signer.unwrap_or_else(|| principal.to_owned());
                return Ok(Some(SignatureState::Trusted { key: found.key, signer }));
            }
        }
        Ok(None)
    }

    fn verify_with_gnupg(
        &self,
        bytes: &[u8],
        armored: &[u8],
        program: &str,
        offline: &[&str],
    ) -> Result<SignatureState, String> {
        let bench = self.tools.bench()?;
        let document = bench.write("document", bytes)?;
        let signature = bench.write("signature", armored)?;
        let (document, signature) = (document.to_string_lossy(), signature.to_string_lossy());
        let verb = [program, "--batch", "--no-tty", "--status-fd=1"];
        let files = ["--verify", &signature, &document];
        let verify = || bench.run(&[&verb[..], offline, &files].concat(), None);
        let mut answer = verify()?;
        if !gnupg::has_result(&answer.stdout) {
            // Two that start for the first time in a home both create the keyring there, and one gives up.
            answer = verify()?;
        }
        if !gnupg::has_result(&answer.stdout) {
            return Err(format!("{program} failed: {}", answer.complaint()));
        }
        let configured = self.config.min_trust.as_deref().and_then(KeyTrust::parse);
        Ok(gnupg::judge(&answer.stdout, configured.unwrap_or(KeyTrust::Marginal)))
    }
}

/// What the calls of ssh-keygen for one signature have in common.
struct SshCall<'a> {
    bench: &'a Workbench<'a>,
    program: &'a str,
    document: &'a Path,
    signature: &'a str,
    at: &'a str,
}

impl SshCall<'_> {
    fn verify(&self, options: &[&str]) -> Result<ProgramOutput, String> {
        let head = [self.program, "-Y"];
        let tail = ["-n", NAMESPACE, "-s", self.signature, self.at];
        self.bench.run(&[&head[..], options, &tail].concat(), Some(self.document))
    }

    /// The names that the list has for the key of the signature, one per line.
    fn find_principals(&self, allowed: &str) -> Result<String, String> {
        let verb = [self.program, "-Y", "find-principals", "-f", allowed];
        let of = ["-s", self.signature, self.at];
        let answer = self.bench.run(&[&verb[..], &of].concat(), None)?;
        Ok(if answer.succeeded { answer.stdout } else { String::new() })
    }
}

/// A time as every ssh-keygen reads it, `YYYYMMDDHHMMSS` in its own time zone, which is UTC here.
fn format_ssh_time(at_seconds: u64) -> String {
    format_utc(at_seconds).chars().filter(char::is_ascii_digit).collect()
}
