//! Git objects: read through one `cat-file` process, written without git where that is safe.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `id` | the id of an object, as bytes |
//! | `cat_file` | reading objects through one long-running git process |
//! | `bulk` | reading much at once, up to a limit |
//! | `read` | questions about commits: ancestors, files, differences |
//! | `loose` | writing loose objects as git does |
//! | `commit` | making a commit of a tree |
//! | `tree` | tree objects |
//! | `index` | reading an index file |
//! | `build` | the trees of an index |
//! | `overlay` | a tree with some files replaced |
//! | `diff` | the difference of two trees: its entries, and as git prints it |
//! | `path_text` | paths as text, whatever bytes they hold |
//! | `merge` | merging trees where no file changed on both sides |

pub(crate) mod build;
pub(crate) mod bulk;
pub(crate) mod cat_file;
pub(crate) mod commit;
pub(crate) mod diff;
pub(crate) mod id;
pub(crate) mod index;
pub(crate) mod loose;
pub(crate) mod merge;
pub(crate) mod overlay;
pub(crate) mod path_text;
pub(crate) mod read;
pub(crate) mod tree;
