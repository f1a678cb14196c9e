//! Input files: read whole, but only what is a file, and no larger than there is reason for.
//!
//! A pipe that nobody writes to would be waited for, and a device such as `/dev/zero` has no end.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The largest scenario or coefficient file that is read: 64 MiB.
pub const MOST_BYTES: u64 = 64 << 20;
/// The largest movement file: 1 GiB.
pub const MOST_MOVEMENT_BYTES: u64 = 1 << 30;

/// The content of a regular file of up to `most` bytes.
///
/// # Errors
///
/// The system's; of kind `InvalidInput` where it is no regular file, and `FileTooLarge`.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "a pipe or a device, not a regular file"));
    }
    let mut content = Vec::with_capacity(about.len().min(most) as usize);
    if about.len() <= most {
        // One more: the size is not always known before, and the file may grow.
        file.take(most + 1).read_to_end(&mut content)?;
    }
    if about.len().max(content.len() as u64) > most {
        let reason = format!("larger than {} MiB, the most that is read", most >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, reason));
    }
    Ok(content)
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    // NONBLOCK: opening a pipe would wait for its other end. NOCTTY: a terminal shall not become ours.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// A web page has no files: the system says so.
#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn only_regular_files_of_some_size_are_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let kind = |path: &Path, most| read(path, most).map_err(|error| error.kind());
        assert_eq!(kind(Path::new("/dev/zero"), 10), Err(ErrorKind::InvalidInput));
        assert_eq!(kind(folder, 10), Err(ErrorKind::IsADirectory));
        assert_eq!(kind(&folder.join("absent"), 10), Err(ErrorKind::NotFound));
        let own = folder.join("Cargo.toml");
        let size = std::fs::metadata(&own).expect("it is there").len();
        assert_eq!(kind(&own, size).map(|content| content.len() as u64), Ok(size));
        assert_eq!(kind(&own, size - 1), Err(ErrorKind::FileTooLarge));
        // Of unknown size.
        assert!(kind(Path::new("/proc/self/status"), 1 << 20).is_ok_and(|content| !content.is_empty()));
        assert_eq!(kind(Path::new("/proc/self/status"), 10), Err(ErrorKind::FileTooLarge));
    }

    #[test]
    fn nobody_is_waited_for() {
        let pipe = std::env::temp_dir().join(format!("hopwright-{}.fifo", std::process::id()));
        mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).expect("a folder to write into");
        let found = read(&pipe, 10).map_err(|error| error.kind());
        std::fs::remove_file(&pipe).expect("it is there");
        assert_eq!(found, Err(ErrorKind::InvalidInput));
    }
}
