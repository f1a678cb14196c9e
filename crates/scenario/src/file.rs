//! Input files: read whole, but only what is a file, and no larger than there is reason for.
//!
//! A file that gzip has packed is one, too: its first two bytes say so, whatever it is called.
//!
//! A pipe that nobody writes to would be waited for, and a device such as `/dev/zero` has no end.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

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
        return Err(too_large("larger", most));
    }
    Ok(content)
}

fn too_large(what: &str, most: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("{what} than {} MiB, the most that is read", most >> 20))
}

/// How a file begins that gzip has packed (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// As `read`, but unpacked where gzip has packed it: also then up to `most` bytes.
///
/// # Errors
///
/// As `read`; of kind `InvalidData` where it is packed and damaged.
pub(crate) fn read_unpacked(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let content = read(path, most)?;
    if content.starts_with(&GZIP) { unpacked(&content, most) } else { Ok(content) }
}

fn unpacked(packed: &[u8], most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let read = MultiGzDecoder::new(packed).take(most + 1).read_to_end(&mut content);
    if content.len() as u64 > most {
        return Err(too_large("packed by gzip, and unpacked larger", most));
    }
    match read {
        Ok(_) => Ok(content),
        Err(error) => {
            let what = match error.kind() {
                ErrorKind::UnexpectedEof => "it ends in the middle".to_owned(),
                _ => error.to_string(),
            };
            Err(io::Error::new(ErrorKind::InvalidData, format!("packed by gzip, and damaged: {what}")))
        }
    }
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

#[cfg(test)]
mod packed {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).expect("memory takes everything");
        encoder.finish().expect("memory takes everything")
    }

    #[test]
    fn what_gzip_packed_is_unpacked() {
        assert_eq!(unpacked(&packed(b"0 1 2\n"), 6).expect("it fits"), b"0 1 2\n");
        // `cat a.gz b.gz` is a file of gzip, too.
        let two = [packed(b"0 1 2\n"), packed(b"0 3 4\n")].concat();
        assert_eq!(unpacked(&two, 100).expect("it fits"), b"0 1 2\n0 3 4\n");
    }

    #[test]
    fn a_small_file_that_grows_without_end_is_left() {
        let bomb = packed(&vec![0; 50 << 20]);
        assert!(bomb.len() < 1 << 20);
        let error = unpacked(&bomb, 2 << 20).expect_err("too large");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert_eq!(error.to_string(), "packed by gzip, and unpacked larger than 2 MiB, the most that is read");
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let whole = packed(b"0 1.25 2.5 10 3.75 4\n0 50 60\n");
        for length in GZIP.len()..whole.len() {
            let error = unpacked(&whole[..length], 1000).expect_err("cut");
            assert_eq!(error.to_string(), "packed by gzip, and damaged: it ends in the middle", "{length} bytes");
        }
        for place in 10..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            match unpacked(&damaged, 1000).map_err(|error| error.to_string()) {
                Ok(content) => assert!(unpacked(&whole, 1000).is_ok_and(|same| same == content), "byte {place}"),
                Err(error) => assert!(error.starts_with("packed by gzip, and damaged: "), "{error}"),
            }
        }
        assert!(unpacked(&[&whole[..], b"more"].concat(), 1000).is_err());
    }
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
