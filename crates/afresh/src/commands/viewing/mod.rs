//! Commands that show runs in a browser, play them again, or serve them to other programs.

pub(crate) mod mcp;
pub(crate) mod replay;
pub(crate) mod serve;
