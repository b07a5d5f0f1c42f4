//! How the user's git signs, and whose signatures it trusts. Running the programs is left to the caller.

use std::path::PathBuf;

use crate::git::command::{CommandError, GitCommand};
use crate::git::repository::Repository;

/// Every setting that is read.
const SETTINGS: &str = "^(user\\.signingkey|gpg\\.(format|program|mintrustlevel|openpgp\\.program\
                        |x509\\.program|ssh\\.(program|defaultkeycommand|allowedsignersfile|revocationfile)))$";

/// The settings of git for signatures, as the user has them; paths are expanded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SigningConfig {
    /// `gpg.format`: `openpgp` (also if it is missing), `x509` or `ssh`.
    pub format: Option<String>,
    /// `user.signingKey`
    pub key: Option<String>,
    /// `gpg.ssh.defaultKeyCommand`
    pub default_key_command: Option<String>,
    pub openpgp_program: Option<String>,
    pub x509_program: Option<String>,
    pub ssh_program: Option<String>,
    /// `gpg.ssh.allowedSignersFile`
    pub allowed_signers: Option<PathBuf>,
    /// `gpg.ssh.revocationFile`
    pub revocation_file: Option<PathBuf>,
    /// `gpg.minTrustLevel`
    pub min_trust: Option<String>,
}

impl SigningConfig {
    /// Whether the user chose a key to sign with. Git itself would also try the name of the committer; nobody chose that.
    pub fn names_a_key(&self) -> bool {
        let is_ssh = self.format.as_deref() == Some("ssh");
        self.key.is_some() || (is_ssh && self.default_key_command.is_some())
    }

    fn set(&mut self, name: &str, value: &str) {
        let value = Some(value.to_owned()).filter(|value| !value.is_empty());
        match name {
            "gpg.format" => self.format = value,
            "user.signingkey" => self.key = value,
            "gpg.program" | "gpg.openpgp.program" => self.openpgp_program = value,
            "gpg.x509.program" => self.x509_program = value,
            "gpg.ssh.program" => self.ssh_program = value,
            "gpg.ssh.defaultkeycommand" => self.default_key_command = value,
            "gpg.ssh.allowedsignersfile" => self.allowed_signers = value.map(PathBuf::from),
            "gpg.ssh.revocationfile" => self.revocation_file = value.map(PathBuf::from),
            "gpg.mintrustlevel" => self.min_trust = value,
            _ => {}
        }
    }
}

impl Repository {
    /// The user's settings for signatures.
    pub fn signing_config(&self) -> Result<SigningConfig, CommandError> {
        let call = GitCommand::as_user(&self.program, "read the settings for signatures");
        let call = call.directory(&self.git_dir).env("GIT_DIR", &self.git_dir);
        // As paths, so that git expands `~/`; it leaves other values alone.
        let verb = ["config", "-z", "--type=path", "--get-regexp", SETTINGS];
        let answer = call.args(verb).run()?;
        // Exit 1: none is set.
        let answer = if answer.code() == Some(1) { answer } else { answer.success()? };
        let mut config = SigningConfig::default();
        for field in answer.fields() {
            let text = String::from_utf8_lossy(field);
            // The last value wins, as in git itself.
            if let Some((name, value)) = text.split_once('\n') {
                config.set(name, value);
            }
        }
        Ok(config)
    }
}
