//! A file that is received: written so that none is ever half there. Devices and pipes take what comes as it comes: they
//! cannot be replaced.
//!
//! Spec      open(2), rename(2), fsync(2); symlink(7)
//! Deviates  a folder that cannot be synchronised (EINVAL: some file systems) is not
//! Holds     the folder is looked up once; in it, nothing that somebody else put there is opened or followed, for names
//!           on the way cannot be guessed and must be new; a file that has its name is on the disk

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fcntl_getfl, fcntl_setfl, fstat, fsync, open, openat, renameat};
use rustix::fs::{statat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::error::{Error, plain};

/// Symbolic links in a row, as Linux.
const MOST_LINKS: u32 = 40;

/// Others may write here: the bits of a folder's mode.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Target {
    file: File,
    path: PathBuf,
    /// What is to be renamed; a device or a pipe is written straight into.
    partial: Option<Partial>,
}

/// A file that has not got its name yet.
#[derive(Debug)]
struct Partial {
    folder: OwnedFd,
    name: String,
    to: OsString,
}

impl Target {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let wrong = |what: String| Error::input(format!("{}: cannot write it: {what}", path.display()));
        let file_path = followed(path).map_err(wrong)?;
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(wrong("it is a folder".into())),
            Ok(found) if !found.is_file() => {
                let file = open_in_place(path).map_err(wrong)?;
                return Ok(Self { file, path: path.to_owned(), partial: None });
            }
            _ => {} // a regular file, or none; if it cannot be, making the partial one will tell
        }
        let to = file_path.file_name().ok_or_else(|| wrong("it names no file".into()))?.to_owned();
        let folder = file_path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let (file, partial) = Partial::create(folder, to).map_err(|error| wrong(refusal(folder, error)))?;
        Ok(Self { file, path: file_path, partial: Some(partial) })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|error| self.broken("cannot write on", &error))
    }

    /// All of it is there.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        let Some(partial) = self.partial.take() else { return Ok(()) };
        self.file.sync_all().map_err(|error| self.broken("cannot write on", &error))?;
        partial.rename(&self.file).map_err(|error| {
            let what = format!("cannot give it its name, it is called {} there", partial.name);
            self.broken(&what, &error.into())
        })
    }

    fn broken(&self, what: &str, error: &io::Error) -> Error {
        Error::failed(format!("{}: {what}: {}", self.path.display(), plain(error)))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = unlinkat(&partial.folder, &partial.name, AtFlags::empty()); // if even that fails, so be it
        }
    }
}

impl Partial {
    fn create(folder: &Path, to: OsString) -> Result<(File, Self), Errno> {
        let folder = open(folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|_| Errno::IO)?;
        let name = format!(".hopwright-{:016x}.partial", u64::from_ne_bytes(random));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&folder, &name, flags, Mode::from_raw_mode(0o666))?;
        Ok((file.into(), Self { folder, name, to }))
    }

    /// Gives it its name, if it is still ours that is called so: others may write in the folder, too.
    fn rename(&self, file: &File) -> Result<(), Errno> {
        let (ours, there) = (fstat(file)?, statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?);
        if (ours.st_dev, ours.st_ino) != (there.st_dev, there.st_ino) {
            return Err(Errno::STALE);
        }
        renameat(&self.folder, &self.name, &self.folder, &self.to)?;
        match fsync(&self.folder) {
            Err(Errno::INVAL) => Ok(()),
            other => other,
        }
    }
}

/// Why there can be no file in a folder.
fn refusal(folder: &Path, error: Errno) -> String {
    let owner = || fs::metadata(folder).ok().map(|found| found.uid());
    match owner().filter(|owner| error == Errno::ACCESS && geteuid().is_root() && *owner != 0) {
        Some(owner) => format!(
            "its folder belongs to the user {owner}, and the right to write there in spite of that was given up; \
             add --user with that user's name"
        ),
        None => plain(&error.into()),
    }
}

/// Opens a device or a pipe, but waits for nobody who reads from it.
fn open_in_place(path: &Path) -> Result<File, String> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = open(path, flags, Mode::empty()).map_err(|error| match error {
        Errno::NXIO => "nobody reads from it".to_owned(),
        _ => plain(&error.into()),
    })?;
    let said = |error: Errno| plain(&error.into());
    if FileType::from_raw_mode(fstat(&opened).map_err(said)?.st_mode).is_file() {
        return Err("it is another file by now".to_owned());
    }
    // From here on, a reader who is slow is waited for: he holds up the peer, and everything else.
    fcntl_getfl(&opened).and_then(|flags| fcntl_setfl(&opened, flags - OFlags::NONBLOCK)).map_err(said)?;
    Ok(opened.into())
}

/// The path at the end of symbolic links, whether or not there is anything. None is followed that somebody else may have
/// made: it and its folder must be ours or root's.
fn followed(path: &Path) -> Result<PathBuf, String> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(to) = fs::read_link(&path) else { return Ok(path) }; // no link
        let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        if !is_ours(&path, folder).map_err(|error| plain(&error))? {
            let link = path.file_name().unwrap_or(OsStr::new("it")).to_string_lossy().into_owned();
            return Err(format!("{link} is a symbolic link that others may have made; name what it leads to"));
        }
        path = folder.join(to);
    }
    Err(plain(&Errno::LOOP.into()))
}

fn is_ours(link: &Path, folder: &Path) -> io::Result<bool> {
    let is_of_us = |found: &fs::Metadata| found.uid() == 0 || found.uid() == geteuid().as_raw();
    let (link, folder) = (fs::symlink_metadata(link)?, fs::metadata(folder)?);
    Ok(is_of_us(&link) && is_of_us(&folder) && folder.mode() & WRITABLE_BY_OTHERS == 0)
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Read;
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};

    use rustix::fs::{CWD, mknodat};

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("hopwright-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn receive(path: &Path, content: &[u8]) -> Result<(), Error> {
        let mut target = Target::create(path)?;
        target.write(content)?;
        target.finish()
    }

    #[test]
    fn a_target_appears_whole_or_not_at_all() {
        let folder = folder("target");
        let path = folder.join("got");
        let mut target = Target::create(&path).unwrap();
        target.write(b"half").unwrap();
        assert!(!path.exists());
        drop(target);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        receive(&path, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        let longest = folder.join("x".repeat(255));
        receive(&longest, b"long name").unwrap();
        assert_eq!(fs::read(&longest).unwrap(), b"long name");
        assert!(matches!(Target::create(&folder), Err(Error::Input(_))));
        assert!(matches!(Target::create(&folder.join("no/where")), Err(Error::Input(_))));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn our_own_links_stay_and_what_they_lead_to_is_replaced() {
        let folder = folder("links");
        fs::create_dir_all(folder.join("inside")).unwrap();
        let (link, file) = (folder.join("link"), folder.join("inside/file"));
        symlink("second", &link).unwrap();
        symlink("inside/file", folder.join("second")).unwrap();
        for content in [b"first", b"again"] {
            receive(&link, content).unwrap();
            assert_eq!(fs::read(&file).unwrap(), content);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        symlink("around", folder.join("around")).unwrap();
        assert!(matches!(Target::create(&folder.join("around")), Err(Error::Input(_))));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Where others may write, too: a link that may be theirs, of a name that anybody can guess or of the final one.
    #[test]
    fn planted_links_are_not_followed() {
        let folder = folder("planted");
        let (open, victim) = (folder.join("open"), folder.join("victim"));
        fs::create_dir_all(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        fs::write(&victim, "years of work").unwrap();
        let got = open.join("got");
        for name in [format!(".got.partial-{}", std::process::id()), ".hopwright-0000000000000000.partial".into()] {
            symlink(&victim, open.join(name)).unwrap();
        }
        receive(&got, b"received").unwrap();
        assert_eq!(fs::read(&got).unwrap(), b"received");
        fs::remove_file(&got).unwrap();
        symlink(&victim, &got).unwrap();
        let said = Target::create(&got).unwrap_err().to_string();
        assert!(said.ends_with("got is a symbolic link that others may have made; name what it leads to"), "{said}");
        symlink("nowhere", open.join("new")).unwrap();
        assert!(matches!(Target::create(&open.join("new")), Err(Error::Input(_))));
        assert_eq!(fs::read(&victim).unwrap(), b"years of work");
        fs::remove_dir_all(&folder).unwrap();
    }

    /// The folder is looked up once, and what somebody else calls by our name there is not taken for ours.
    #[test]
    fn what_others_put_in_its_place_gets_no_name() {
        let folder = folder("moved");
        let (first, second) = (folder.join("first"), folder.join("second"));
        fs::create_dir_all(&first).unwrap();
        let mut target = Target::create(&first.join("got")).unwrap();
        fs::rename(&first, &second).unwrap();
        fs::create_dir_all(&first).unwrap();
        target.write(b"received").unwrap();
        target.finish().unwrap();
        assert_eq!(fs::read(second.join("got")).unwrap(), b"received");
        assert_eq!(fs::read_dir(&first).unwrap().count(), 0);

        let target = Target::create(&first.join("got")).unwrap();
        let partial = fs::read_dir(&first).unwrap().next().unwrap().unwrap().path();
        fs::rename(&partial, first.join("kept")).unwrap();
        symlink("/etc/passwd", &partial).unwrap();
        let said = target.finish().unwrap_err().to_string();
        assert!(said.contains("cannot give it its name") && !first.join("got").exists(), "{said}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn pipes_and_devices_are_written_to_and_never_waited_for() {
        let folder = folder("pipes");
        let pipe = folder.join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
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
