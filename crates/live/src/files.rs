//! Files on their way: read piece by piece, and written so that none is ever half there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Bytes read at once.
const CHUNK: usize = 256 << 10;

/// A file that several connections read, each at its own pace.
#[derive(Debug)]
pub(crate) struct Source {
    file: File,
    path: PathBuf,
    chunk: Vec<u8>,
}

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let wrong = |what: &dyn std::fmt::Display| Error::input(format!("{}: cannot read it: {what}", path.display()));
        let file = File::open(path).map_err(|error| wrong(&plain(&error)))?;
        let is_file = file.metadata().map_err(|error| wrong(&plain(&error)))?.is_file();
        if !is_file {
            return Err(wrong(&"it is no regular file"));
        }
        Ok(Self { file, path: path.to_owned(), chunk: vec![0; CHUNK] })
    }

    /// Up to `most` bytes from a position on; none at the end.
    pub(crate) fn at(&mut self, position: u64, most: usize) -> Result<&[u8], Error> {
        let most = most.min(CHUNK);
        let read = self.file.read_at(&mut self.chunk[..most], position);
        let n = read.map_err(|e| Error::failed(format!("{}: cannot read on: {}", self.path.display(), plain(&e))))?;
        Ok(&self.chunk[..n])
    }
}

/// A file that appears when all of it is there.
#[derive(Debug)]
pub(crate) struct Target {
    file: File,
    path: PathBuf,
    partial: PathBuf,
    is_complete: bool,
}

impl Target {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let wrong = |what: String| Error::input(format!("{}: cannot write it: {what}", path.display()));
        let name = path.file_name().ok_or_else(|| wrong("it names no file".into()))?;
        if path.is_dir() {
            return Err(wrong("it is a folder".into()));
        }
        let partial = path.with_file_name(format!(".{}.partial-{}", name.to_string_lossy(), std::process::id()));
        let file = File::create(&partial).map_err(|error| wrong(plain(&error)))?;
        Ok(Self { file, path: path.to_owned(), partial, is_complete: false })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file
            .write_all(bytes)
            .map_err(|e| Error::failed(format!("{}: cannot write on: {}", self.path.display(), plain(&e))))
    }

    /// All of it is there.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        self.is_complete = true;
        fs::rename(&self.partial, &self.path)
            .map_err(|e| Error::failed(format!("{}: cannot rename it: {}", self.partial.display(), plain(&e))))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if !self.is_complete {
            let _ = fs::remove_file(&self.partial); // if even that fails, nothing better is left to do
        }
    }
}

/// The system's message without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_appears_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("hopwright-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("got");
        let mut target = Target::create(&path).unwrap();
        target.write(b"half").unwrap();
        assert!(!path.exists());
        drop(target);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        let mut target = Target::create(&path).unwrap();
        target.write(b"whole").unwrap();
        target.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        let mut source = Source::open(&path).unwrap();
        assert_eq!(source.at(2, 2).unwrap(), b"ol");
        assert!(source.at(5, 9).unwrap().is_empty());
        assert!(matches!(Source::open(&folder), Err(Error::Input(_))));
        assert!(matches!(Source::open(&folder.join("no")), Err(Error::Input(_))));
        assert!(matches!(Target::create(&folder), Err(Error::Input(_))));
        assert!(matches!(Target::create(&folder.join("no/where")), Err(Error::Input(_))));
        fs::remove_dir_all(&folder).unwrap();
    }
}
