//! Receipts as git notes: written with the merge, signed with the user's key, read and verified by anybody.
//!
//! What a receipt says and when it covers a commit is in `afresh-proof`, which is pure. This crate brings in the
//! repository and the programs that sign. It needs no journal: a clone with the notes is enough.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`mod@write`] | a receipt as a line of a note, and the update of the notes ref that adds it |
//! | [`signing`] | signing with ssh-keygen, gpg and gpgsm as git does, and verifying |
//! | [`read`] | the notes of a run, as they are |
//! | [`verify`] | whether receipts cover the commits of a branch |

pub mod read;
pub mod signing;
pub mod verify;
pub mod write;
