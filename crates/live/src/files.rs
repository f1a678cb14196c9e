//! Files on their way: read piece by piece, and written so that none is ever half there. Devices and pipes take
//! what comes as it comes: they cannot be replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use crate::error::Error;

/// Bytes read at once.
const CHUNK: usize = 256 << 10;

/// Symbolic links in a row, as Linux.
const MOST_LINKS: u32 = 40;

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
        // Looked at before: opening a pipe that nobody writes to would take for ever.
        let is_file = fs::metadata(path).map_err(|error| wrong(&plain(&error)))?.is_file();
        if !is_file {
            return Err(wrong(&"it is no regular file"));
        }
        let file = File::open(path).map_err(|error| wrong(&plain(&error)))?;
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

/// A file that appears when all of it is there; or a device or a pipe.
#[derive(Debug)]
pub(crate) struct Target {
    file: File,
    path: PathBuf,
    /// What is to be renamed; a device or a pipe is written straight into.
    partial: Option<PathBuf>,
}

impl Target {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let wrong = |what: String| Error::input(format!("{}: cannot write it: {what}", path.display()));
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(wrong("it is a folder".into())),
            Ok(found) if !found.is_file() => {
                let file = open_in_place(path).map_err(wrong)?;
                return Ok(Self { file, path: path.to_owned(), partial: None });
            }
            _ => {} // a regular file, or none; if it cannot be, making the partial one will tell
        }
        let path = followed(path).map_err(|error| wrong(plain(&error)))?;
        let name = path.file_name().ok_or_else(|| wrong("it names no file".into()))?;
        let partial = path.with_file_name(format!(".{}.partial-{}", name.to_string_lossy(), std::process::id()));
        let file = File::create(&partial).map_err(|error| wrong(plain(&error)))?;
        Ok(Self { file, path, partial: Some(partial) })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file
            .write_all(bytes)
            .map_err(|e| Error::failed(format!("{}: cannot write on: {}", self.path.display(), plain(&e))))
    }

    /// All of it is there.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        let Some(partial) = self.partial.take() else { return Ok(()) };
        fs::rename(&partial, &self.path)
            .map_err(|e| Error::failed(format!("{}: cannot rename it: {}", partial.display(), plain(&e))))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = fs::remove_file(partial); // if even that fails, nothing better is left to do
        }
    }
}

/// Opens a device or a pipe, but waits for nobody who reads from it.
fn open_in_place(path: &Path) -> Result<File, String> {
    let opened = OpenOptions::new().write(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::NXIO) => "nobody reads from it".to_owned(),
        _ => plain(&error),
    })?;
    // From here on, a reader who is slow is waited for: he holds up the peer, and everything else.
    fcntl_getfl(&file)
        .and_then(|flags| fcntl_setfl(&file, flags - OFlags::NONBLOCK))
        .map_err(|error| plain(&error.into()))?;
    Ok(file)
}

/// The path at the end of symbolic links, whether or not there is anything.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(path), // no link
        }
    }
    Err(Errno::LOOP.into())
}

/// The system's message without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

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

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let folder = std::env::temp_dir().join(format!("hopwright-links-{}", std::process::id()));
        fs::create_dir_all(folder.join("inside")).unwrap();
        let (link, file) = (folder.join("link"), folder.join("inside/file"));
        symlink("second", &link).unwrap();
        symlink("inside/file", folder.join("second")).unwrap();
        for content in [b"first", b"again"] {
            let mut target = Target::create(&link).unwrap();
            target.write(content).unwrap();
            target.finish().unwrap();
            assert_eq!(fs::read(&file).unwrap(), content);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        symlink("around", folder.join("around")).unwrap();
        assert!(matches!(Target::create(&folder.join("around")), Err(Error::Input(_))));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn pipes_and_devices_are_written_to_and_never_waited_for() {
        let folder = std::env::temp_dir().join(format!("hopwright-pipes-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(Source::open(&pipe).unwrap_err().to_string().ends_with("it is no regular file"));
        assert!(Target::create(&pipe).unwrap_err().to_string().ends_with("nobody reads from it"));
        let mut reader =
            OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(&pipe).unwrap();
        let mut target = Target::create(&pipe).unwrap();
        target.write(b"through").unwrap();
        let mut got = [0; 9];
        assert_eq!(reader.read(&mut got).unwrap(), 7);
        target.finish().unwrap();
        symlink("/dev/null", folder.join("null")).unwrap();
        for path in [Path::new("/dev/null"), &folder.join("null")] {
            let mut target = Target::create(path).unwrap();
            target.write(b"away").unwrap();
            drop(target);
            assert!(!fs::metadata(path).unwrap().is_file());
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
