//! The DSSE envelope of a signed statement.
//!
//! What is signed is not the text of the payload but its pre-authentication encoding, which includes the type: a
//! signature for one kind of document is none for another.

use serde::{Deserialize, Serialize};

use crate::base64;

/// The type of an in-toto statement inside an envelope.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// How many signatures of an envelope are looked at.
pub const MAX_SIGNATURES: usize = 8;

/// A payload and its signatures, as JSON has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    pub payload_type: String,
    /// In base64.
    pub payload: String,
    pub signatures: Vec<EnvelopeSignature>,
}

/// One signature; `sig` is the armored signature of ssh-keygen, gpg or gpgsm in base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvelopeSignature {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyid: Option<String>,
    pub sig: String,
}

impl Envelope {
    /// The envelope of a statement with one signature of [`signed_bytes`].
    pub fn new(payload: &[u8], keyid: Option<String>, signature: &[u8]) -> Self {
        Self {
            payload_type: PAYLOAD_TYPE.to_owned(),
            payload: base64::encode(payload),
            signatures: vec![EnvelopeSignature { keyid, sig: base64::encode(signature) }],
        }
    }

    /// One line of JSON.
    pub fn render(&self) -> String {
        serde_json::to_string(self).expect("an envelope is JSON")
    }
}

/// What a signature is made of: the pre-authentication encoding of DSSE.
pub fn signed_bytes(payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-06: lengths are those of the bytes, so that no part can be moved into another.
    #[test]
    fn type_and_lengths_are_signed_too() {
        let expected = "DSSEv1 28 application/vnd.in-toto+json 7 {\"ä\":1}".as_bytes();
        assert_eq!(signed_bytes("{\"ä\":1}".as_bytes())[..38], expected[..38]);
        assert_eq!(signed_bytes(b"{}"), b"DSSEv1 28 application/vnd.in-toto+json 2 {}");
    }
}
