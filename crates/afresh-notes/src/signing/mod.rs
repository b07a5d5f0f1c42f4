//! Signing as the user's git does: with ssh-keygen, gpg or gpgsm, and with the key that git is configured for.
//!
//! The programs run under a supervisor, with a time limit, without a terminal and without anything that could ask for a
//! passphrase: a run must never wait for a person who is not there.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`tools`] | running one of the programs |
//! | [`signer`] | making a signature |
//! | [`verifier`] | what a signature is worth |
//! | `ssh` | the answers of ssh-keygen |
//! | `gnupg` | the status lines of gpg and gpgsm |

mod gnupg;
pub mod signer;
mod ssh;
pub mod tools;
pub mod verifier;

/// Signatures are made for what git signs: a list of allowed signers that is limited to git applies. What is signed
/// starts with `DSSEv1`, so that no commit, tag or push certificate can be mistaken for it.
const NAMESPACE: &str = "git";
