//! Commands that show runs: here, in full screen, in a browser, to other programs, or played again.

pub(crate) mod logs;
pub(crate) mod mcp;
pub(crate) mod replay;
pub(crate) mod runs;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod statusline;
pub(crate) mod watch;
