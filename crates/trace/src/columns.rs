//! Row groups of Parquet files, a column at a time.

use std::io::{self, Write};

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedRowGroupWriter;

/// What all files have in common. `about`: what a file says about itself; `units`: of each column.
///
/// Cheap to write: what barely changes is told from run lengths by the compressor, not by a dictionary.
pub(crate) fn properties(about: &[(&'static str, String)], units: Vec<String>) -> WriterPropertiesBuilder {
    compressed(about, units, ZstdLevel::default())
}

/// The same, compressed so hard.
pub(crate) fn compressed(
    about: &[(&'static str, String)],
    units: Vec<String>,
    level: ZstdLevel,
) -> WriterPropertiesBuilder {
    let about = about.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
    let units = KeyValue::new("units".to_owned(), units.join("\n"));
    WriterProperties::builder()
        .set_created_by(concat!("hopwright ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(about.chain([units]).collect()))
        .set_compression(Compression::ZSTD(level))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
}

/// A row group whose columns are written one after the other.
pub(crate) struct Chunk<'a, W: Write + Send> {
    group: SerializedRowGroupWriter<'a, W>,
}

impl<'a, W: Write + Send> Chunk<'a, W> {
    pub(crate) fn new(group: SerializedRowGroupWriter<'a, W>) -> Self {
        Self { group }
    }

    pub(crate) fn required<T: DataType>(&mut self, values: impl Iterator<Item = T::T>) -> Result<(), ParquetError> {
        let values: Vec<T::T> = values.collect();
        self.write::<T>(&values, None)
    }

    pub(crate) fn optional<T: DataType>(
        &mut self,
        rows: impl Iterator<Item = Option<T::T>>,
    ) -> Result<(), ParquetError> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        for row in rows {
            levels.push(i16::from(row.is_some()));
            values.extend(row);
        }
        self.write::<T>(&values, Some(&levels))
    }

    /// So many rows in which the column at hand is not known.
    pub(crate) fn nulls<T: DataType>(&mut self, rows: usize) -> Result<(), ParquetError> {
        self.write::<T>(&[], Some(&vec![0; rows]))
    }

    /// The column at hand; `levels`: per row, 1 where there is a value, if not everywhere.
    pub(crate) fn write<T: DataType>(&mut self, values: &[T::T], levels: Option<&[i16]>) -> Result<(), ParquetError> {
        let Some(mut column) = self.group.next_column()? else {
            return Err(ParquetError::General("more columns than the table has".to_owned()));
        };
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()
    }

    pub(crate) fn close(self) -> Result<(), ParquetError> {
        self.group.close().map(drop)
    }
}

/// The words that a file has used: each is made once.
#[derive(Debug, Default)]
pub(crate) struct Words(Vec<(&'static str, ByteArray)>);

impl Words {
    pub(crate) fn bytes(&mut self, word: &'static str) -> ByteArray {
        let is_it = |known: &&(&'static str, ByteArray)| std::ptr::eq(known.0, word);
        if let Some((_, bytes)) = self.0.iter().find(is_it) {
            return bytes.clone();
        }
        let bytes = ByteArray::from(word);
        self.0.push((word, bytes.clone()));
        bytes
    }
}

/// The error beneath one of this library.
pub(crate) fn plain(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
