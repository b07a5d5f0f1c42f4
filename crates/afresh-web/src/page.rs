//! The files of the page. They are part of the program, so that an installation has all of it.

/// One file, as it is served.
pub(crate) struct PageFile {
    pub(crate) path: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) content: &'static str,
}

macro_rules! page_files {
    ($($path:literal: $media_type:literal),* $(,)?) => {
        &[$(PageFile {
            path: concat!("/", $path),
            media_type: $media_type,
            content: include_str!(concat!("../page/", $path)),
        }),*]
    };
}

pub(crate) const FILES: &[PageFile] = page_files![
    "index.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
];

/// The file at this path; `/` is the page itself.
pub(crate) fn find(path: &str) -> Option<&'static PageFile> {
    let path = if path == "/" { "/index.html" } else { path };
    FILES.iter().find(|file| file.path == path)
}
