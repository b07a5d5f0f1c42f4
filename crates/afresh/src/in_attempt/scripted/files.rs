//! Files that a scripted worker changes.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use super::ScriptPlayer;

impl ScriptPlayer {
    pub(super) fn write(&mut self, path: &str, text: &str) -> Result<(), String> {
        let path = self.filled(path);
        create_parent(&path)?;
        fs::write(&path, self.filled(text)).map_err(|error| trouble("write", &path, &error))?;
        self.note(path);
        Ok(())
    }

    pub(super) fn append(&mut self, path: &str, text: &str) -> Result<(), String> {
        let path = self.filled(path);
        create_parent(&path)?;
        let text = self.filled(text);
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| trouble("append to", &path, &error))?;
        self.note(path);
        Ok(())
    }

    pub(super) fn edit(&mut self, path: &str, find: &str, replace: &str) -> Result<(), String> {
        let path = self.filled(path);
        let text = fs::read_to_string(&path).map_err(|error| trouble("edit", &path, &error))?;
        let find = self.filled(find);
        match text.matches(&find).count() {
            1 => {}
            0 => return Err(format!("cannot edit {path}: it does not contain {find:?}")),
            many => return Err(format!("cannot edit {path}: it contains {find:?} {many} times")),
        }
        let edited = text.replacen(&find, &self.filled(replace), 1);
        fs::write(&path, edited).map_err(|error| trouble("edit", &path, &error))?;
        self.note(path);
        Ok(())
    }

    pub(super) fn delete(&mut self, path: &str) -> Result<(), String> {
        let path = self.filled(path);
        fs::remove_file(&path).map_err(|error| trouble("delete", &path, &error))?;
        self.note(path);
        Ok(())
    }

    /// Every file that the task lists by name; globs are skipped.
    pub(super) fn write_listed(&mut self, text: &str) -> Result<(), String> {
        let bundle = self.bundle.as_ref().ok_or("there is no bundle: AFRESH_BUNDLE is not set")?;
        let listed: Vec<String> = bundle
            .task
            .patterns()
            .map(|pattern| pattern.as_str().to_owned())
            .filter(|path| !path.contains(['*', '?', '[', '{']) && !path.ends_with('/'))
            .collect();
        if listed.is_empty() {
            return Err(format!("task {} lists no file by name", self.task));
        }
        for path in listed {
            self.write(&path, text)?;
        }
        Ok(())
    }

    fn note(&mut self, path: String) {
        if !self.changed.contains(&path) {
            self.changed.push(path);
        }
    }
}

fn create_parent(path: &str) -> Result<(), String> {
    match Path::new(path).parent() {
        Some(parent) if !parent.as_os_str().is_empty() => fs::create_dir_all(parent)
            .map_err(|error| trouble("create the directory of", path, &error)),
        _ => Ok(()),
    }
}

fn trouble(what: &str, path: &str, error: &std::io::Error) -> String {
    format!("cannot {what} {path}: {error}")
}
