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

const FILES: &[PageFile] = page_files![
    "index.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "api.js": "text/javascript; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "dom.js": "text/javascript; charset=utf-8",
    "format.js": "text/javascript; charset=utf-8",
    "live_run.js": "text/javascript; charset=utf-8",
    "pages/cost.js": "text/javascript; charset=utf-8",
    "pages/findings.js": "text/javascript; charset=utf-8",
    "pages/needs_you.js": "text/javascript; charset=utf-8",
    "pages/replay.js": "text/javascript; charset=utf-8",
    "pages/run.js": "text/javascript; charset=utf-8",
    "pages/runs.js": "text/javascript; charset=utf-8",
    "pages/task.js": "text/javascript; charset=utf-8",
    "pages/trace.js": "text/javascript; charset=utf-8",
    "parts/activity.js": "text/javascript; charset=utf-8",
    "parts/confirmation.js": "text/javascript; charset=utf-8",
    "parts/diff_view.js": "text/javascript; charset=utf-8",
    "parts/notices.js": "text/javascript; charset=utf-8",
    "parts/picture.js": "text/javascript; charset=utf-8",
    "parts/question_card.js": "text/javascript; charset=utf-8",
    "parts/states.js": "text/javascript; charset=utf-8",
    "parts/transcript_view.js": "text/javascript; charset=utf-8",
];

/// How the pictures look that are part of the page.
const PICTURE_STYLE: PageFile = PageFile {
    path: "/pictures.css",
    media_type: "text/css; charset=utf-8",
    content: afresh_dashboard::svg::STYLE,
};

/// The file at this path; `/` is the page itself.
pub(crate) fn find(path: &str) -> Option<&'static PageFile> {
    let path = if path == "/" { "/index.html" } else { path };
    FILES.iter().chain([&PICTURE_STYLE]).find(|file| file.path == path)
}
