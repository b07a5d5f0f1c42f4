//! Portable proof: a receipt as a document that others can check without the journal.
//!
//! Each merge gets a git note. A note has one document per line: an in-toto statement, or a DSSE envelope around one if
//! it is signed. All of it is pure: reading notes and running the programs that sign is left to the caller.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`statement`] | a receipt as an in-toto statement |
//! | [`envelope`] | the DSSE envelope of a signed statement |
//! | [`note`] | the lines of a note, read from hostile bytes |
//! | [`history`] | whether every commit of a branch has a receipt, and which branch of history is meant |
//! | [`patch_text`] | receipts as text, for a patch |
//! | [`base64`] | base64, as envelopes use it |

pub mod base64;
pub mod envelope;
pub mod history;
pub mod note;
pub mod patch_text;
pub mod statement;

pub use envelope::{Envelope, EnvelopeSignature, PAYLOAD_TYPE};
pub use note::{MAX_NOTE_BYTES, NoteLine, add_line, parse_note};
pub use statement::{MergeReceipt, ProofTools, ReceiptPredicate, Statement};
