//! Making a signature.

use afresh_git::SigningConfig;

use super::tools::{SigningTools, Workbench};
use super::{NAMESPACE, gnupg};

/// Signs with the key that the user's git is configured for.
#[derive(Debug, Clone)]
pub struct NoteSigner {
    tools: SigningTools,
    key: SigningKey,
    program: String,
}

/// The key, and which kind of program uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SigningKey {
    OpenPgp(String),
    X509(String),
    Ssh(SshKey),
}

/// How a key of ssh is named.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SshKey {
    File(String),
    /// The public key itself; the private one is with the agent.
    Literal(String),
    /// What this command prints first is the public key.
    Command(String),
}

impl NoteSigner {
    /// None if no key is configured; an error if git itself could not sign with this configuration.
    pub fn new(config: &SigningConfig, tools: SigningTools) -> Result<Option<Self>, String> {
        if !config.names_a_key() {
            return Ok(None);
        }
        let program = |chosen: &Option<String>, usual: &str| {
            chosen.clone().unwrap_or_else(|| usual.to_owned())
        };
        let key = config.key.clone();
        let named = || key.clone().ok_or("user.signingKey is not set");
        let (key, program) = match config.format.as_deref() {
            None | Some("openpgp") => {
                (SigningKey::OpenPgp(named()?), program(&config.openpgp_program, "gpg"))
            }
            Some("x509") => (SigningKey::X509(named()?), program(&config.x509_program, "gpgsm")),
            Some("ssh") => {
                let key = key.as_deref().map(parse_ssh_key);
                let by_command = || config.default_key_command.clone().map(SshKey::Command);
                let key = key.or_else(by_command).ok_or("user.signingKey is not set")?;
                (SigningKey::Ssh(key), program(&config.ssh_program, "ssh-keygen"))
            }
            Some(other) => return Err(format!("gpg.format is {other:?}, which git does not know")),
        };
        Ok(Some(Self { tools, key, program }))
    }

    /// An armored signature of these bytes.
    pub fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let bench = self.tools.bench()?;
        bench.write("document", bytes)?;
        match &self.key {
            SigningKey::OpenPgp(key) => self.sign_with_gnupg(&bench, key, &[]),
            // A list of revocations would have to be fetched.
            SigningKey::X509(key) => self.sign_with_gnupg(&bench, key, &["--disable-crl-checks"]),
            SigningKey::Ssh(key) => self.sign_with_ssh(&bench, key),
        }
    }

    fn sign_with_gnupg(
        &self,
        bench: &Workbench<'_>,
        key: &str,
        options: &[&str],
    ) -> Result<Vec<u8>, String> {
        let (document, signature) = (bench.path("document"), bench.path("signature"));
        let (document, signature) = (document.to_string_lossy(), signature.to_string_lossy());
        let quiet = ["--batch", "--no-tty", "--pinentry-mode", "error", "--status-fd=2"];
        let output = ["--output", &signature, "-bsau", key, "--", &document];
        let argv = [&[self.program.as_str()][..], &quiet, options, &output].concat();
        let answer = bench.run(&argv, None)?;
        match bench.read("signature") {
            Some(armored) if answer.succeeded && gnupg::has_signed(&answer.stderr) => Ok(armored),
            _ => Err(failed(&self.program, &answer.complaint())),
        }
    }

    /// The same call as git's own, so that programs that replace ssh-keygen understand it.
    fn sign_with_ssh(&self, bench: &Workbench<'_>, key: &SshKey) -> Result<Vec<u8>, String> {
        let (file, literal) = match key {
            SshKey::File(file) => (file.clone(), None),
            SshKey::Literal(key) => (String::new(), Some(key.clone())),
            SshKey::Command(command) => (String::new(), Some(ask_for_key(bench, command)?)),
        };
        let (file, agent) = match literal {
            None => (file, &[][..]),
            Some(key) => {
                let file = bench.write("key.pub", format!("{key}\n").as_bytes())?;
                (file.to_string_lossy().into_owned(), &["-U"][..])
            }
        };
        let document = bench.path("document");
        let document = document.to_string_lossy();
        let verb = [self.program.as_str(), "-Y", "sign", "-n", NAMESPACE, "-f", &file];
        let answer = bench.run(&[&verb[..], agent, &[&document]].concat(), None)?;
        match bench.read("document.sig") {
            Some(armored) if answer.succeeded => Ok(armored),
            _ => Err(failed(&self.program, &answer.complaint())),
        }
    }
}

/// `key::` or a public key itself; anything else is a file.
fn parse_ssh_key(text: &str) -> SshKey {
    match text.strip_prefix("key::") {
        Some(key) => SshKey::Literal(key.to_owned()),
        None if text.starts_with("ssh-") => SshKey::Literal(text.to_owned()),
        None => SshKey::File(text.to_owned()),
    }
}

fn ask_for_key(bench: &Workbench<'_>, command: &str) -> Result<String, String> {
    let answer = bench.run(&["/bin/sh", "-c", command], None)?;
    let first = answer.stdout.lines().next().unwrap_or_default();
    match parse_ssh_key(first) {
        SshKey::Literal(key) if answer.succeeded => Ok(key),
        _ => Err(failed("gpg.ssh.defaultKeyCommand", &answer.complaint())),
    }
}

fn failed(program: &str, complaint: &str) -> String {
    match complaint {
        "" => format!("{program} made no signature"),
        complaint => format!("{program} made no signature: {complaint}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_ssh_are_named_as_git_names_them() {
        let literal = |text: &str| SshKey::Literal(text.to_owned());
        assert_eq!(
            parse_ssh_key("key::ecdsa-sha2-nistp256 AAAA"),
            literal("ecdsa-sha2-nistp256 AAAA")
        );
        assert_eq!(parse_ssh_key("ssh-ed25519 AAAA me"), literal("ssh-ed25519 AAAA me"));
        assert_eq!(
            parse_ssh_key("/home/me/.ssh/id.pub"),
            SshKey::File("/home/me/.ssh/id.pub".to_owned())
        );
    }
}
