//! Rows of results until they are printed: in a file without a name, so that memory does not grow with them.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, Write as _};

use hopwright_kernel::Error;

use super::Result;

/// See the file's header. It goes with the process.
pub(super) struct Spill {
    file: BufWriter<File>,
    rows: u64,
    broken: Option<io::Error>,
}

fn failed(error: &io::Error) -> Error {
    Error::Failed(format!("cannot keep rows in {}: {error}", std::env::temp_dir().display()))
}

impl Spill {
    /// An empty one, in the folder for temporary files.
    pub(super) fn new() -> Result<Self> {
        let file = tempfile::tempfile().map_err(|error| failed(&error))?;
        Ok(Self { file: BufWriter::new(file), rows: 0, broken: None })
    }

    /// Keeps a row, of a line or several. What cannot be kept is told in the end: measuring goes on.
    pub(super) fn add(&mut self, row: &str) {
        self.rows += 1;
        if let Err(error) = writeln!(self.file, "{row}") {
            self.broken.get_or_insert(error);
        }
    }

    /// How many there are.
    pub(super) const fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes all lines, with this between two of them.
    pub(super) fn write(self, to: &mut impl io::Write, between: &str) -> Result<()> {
        let Self { file, broken, .. } = self;
        if let Some(error) = broken {
            return Err(failed(&error));
        }
        let mut file = file.into_inner().map_err(|error| failed(error.error()))?;
        file.rewind().map_err(|error| failed(&error))?;
        for (n, line) in BufReader::new(file).lines().enumerate() {
            let line = line.map_err(|error| failed(&error))?;
            let before = if n > 0 { between } else { "" };
            write!(to, "{before}{line}").map_err(|error| Error::Failed(format!("cannot write: {error}")))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_comes_back_in_its_order() {
        let mut spill = Spill::new().unwrap();
        (0..10_000).for_each(|n| spill.add(&format!("{{\"n\":{n}}}")));
        assert_eq!(spill.rows(), 10_000);
        let mut out = vec![];
        spill.write(&mut out, ",").unwrap();
        let all: Vec<serde_json::Value> = serde_json::from_slice(&[&b"["[..], &out, b"]"].concat()).unwrap();
        assert!(all.iter().enumerate().all(|(n, row)| row["n"] == n) && all.len() == 10_000);
    }

    #[test]
    fn none_is_nothing() {
        let mut out = vec![];
        Spill::new().unwrap().write(&mut out, ",").unwrap();
        assert_eq!(out, b"");
    }
}
