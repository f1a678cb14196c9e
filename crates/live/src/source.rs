//! A file that is sent: opened once, and read through that descriptor, whatever becomes of its name.
//!
//! Spec      open(2), stat(2)
//! Deviates  nothing
//! Holds     who receives it to the end has it as it was at one time: whoever cannot must not get an end

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::error::{Error, plain};

/// Bytes read at once.
const CHUNK: usize = 256 << 10;

/// A file that several connections read, each at its own pace.
#[derive(Debug)]
pub(crate) struct Source {
    file: File,
    path: PathBuf,
    chunk: Vec<u8>,
}

/// Which content a file has: its length, and when it last changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Version {
    pub(crate) length: u64,
    changed: (i64, i64),
}

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let wrong = |what: &dyn std::fmt::Display| Error::input(format!("{}: cannot read it: {what}", path.display()));
        // A pipe that nobody writes to would be waited for.
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let file = opened.map_err(|error| wrong(&plain(&error)))?;
        if !file.metadata().map_err(|error| wrong(&plain(&error)))?.is_file() {
            return Err(wrong(&"it is no regular file"));
        }
        Ok(Self { file, path: path.to_owned(), chunk: vec![0; CHUNK] })
    }

    /// What it is now.
    pub(crate) fn version(&self) -> Result<Version, Error> {
        let found = self.file.metadata().map_err(|error| self.broken(&error))?;
        Ok(Version { length: found.len(), changed: (found.mtime(), found.mtime_nsec()) })
    }

    /// Up to `most` bytes from a position on; none at the end.
    pub(crate) fn at(&mut self, position: u64, most: usize) -> Result<&[u8], Error> {
        let most = most.min(CHUNK);
        let read = self.file.read_at(&mut self.chunk[..most], position);
        let n = read.map_err(|error| self.broken(&error))?;
        Ok(&self.chunk[..n])
    }

    /// What to say of a file that is not what it was.
    pub(crate) fn changed(&self) -> String {
        format!("{}: it changed while it was sent", self.path.display())
    }

    fn broken(&self, error: &io::Error) -> Error {
        Error::failed(format!("{}: cannot read on: {}", self.path.display(), plain(error)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_source_is_a_regular_file_and_stays_the_one_that_was_opened() {
        let folder = std::env::temp_dir().join(format!("hopwright-source-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, pipe) = (folder.join("file"), folder.join("pipe"));
        fs::write(&path, "whole").unwrap();
        let mut source = Source::open(&path).unwrap();
        fs::rename(&path, folder.join("elsewhere")).unwrap();
        fs::write(&path, "another").unwrap();
        assert_eq!(source.at(2, 2).unwrap(), b"ol");
        assert!(source.at(5, 9).unwrap().is_empty());
        let version = source.version().unwrap();
        assert_eq!(version.length, 5);
        OpenOptions::new().write(true).truncate(true).open(folder.join("elsewhere")).unwrap();
        assert!(source.version().unwrap() != version && source.at(0, 5).unwrap().is_empty());
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        for wrong in [&pipe, &folder, Path::new("/dev/zero")] {
            let said = Source::open(wrong).unwrap_err().to_string();
            assert!(said.ends_with("it is no regular file"), "{said}");
        }
        assert!(matches!(Source::open(&folder.join("no")), Err(Error::Input(_))));
        fs::remove_dir_all(&folder).unwrap();
    }
}
