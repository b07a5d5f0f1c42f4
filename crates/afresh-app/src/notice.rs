//! What a library function wants the user to know, without printing it.

/// One message for people; the command prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// May have several lines. Names in it may come from anywhere: the printer escapes them.
    pub text: String,
}

impl Notice {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// `note: …`
    pub fn note(text: impl std::fmt::Display) -> Self {
        Self::new(format!("note: {text}"))
    }

    /// `warning: …`
    pub fn warning(text: impl std::fmt::Display) -> Self {
        Self::new(format!("warning: {text}"))
    }
}
