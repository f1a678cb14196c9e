//! Parquet files of rows that come one at a time, for tables whose columns stand in a list.
//!
//! Spec      Apache Parquet format 2.x
//! Holds     - memory does not grow with the run: rows wait for a bounded time
//!           - what a row does not have costs nothing

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use crate::columns::{self, Chunk, Words, plain};

/// What a column holds, and how it becomes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Whole numbers that mostly grow a little from row to row.
    Growing,
    /// Whole numbers of which few are different, as durations.
    Few,
    /// Numbers of nodes, of slots and such, of which few are different.
    Small,
    /// The same, cheap to write: what repeats is left to the compressor.
    Plain,
    /// Real numbers: those that are alike have their first bytes in common, and their last ones are anything.
    Real,
    /// Words, each of them often.
    Word,
}

/// A column: its name, its unit or meaning, what it holds, and whether each row has a value.
pub(crate) type Column = (&'static str, &'static str, Shape, Has);

/// Which rows have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Has {
    /// All.
    Always,
    /// Some.
    Sometimes,
}

/// A table, but for its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Rows that wait to be written together.
    pub(crate) group: usize,
    /// How hard columns are compressed.
    pub(crate) level: i32,
    /// The file says between which values these columns are in a row group: what readers choose groups by.
    pub(crate) ranges: &'static [&'static str],
}

/// A row's value in a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell<'a> {
    None,
    Whole(i64),
    Real(f64),
    Word(&'static str),
    Text(&'a str),
}

impl<'a> Cell<'a> {
    pub(crate) fn whole(value: Option<impl Into<i64>>) -> Self {
        value.map_or(Self::None, |value| Self::Whole(value.into()))
    }

    pub(crate) fn real(value: Option<f64>) -> Self {
        value.map_or(Self::None, Self::Real)
    }

    pub(crate) fn word(value: Option<&'static str>) -> Self {
        value.map_or(Self::None, Self::Word)
    }

    pub(crate) fn text(value: Option<&'a str>) -> Self {
        value.map_or(Self::None, Self::Text)
    }
}

/// A column's values that wait.
#[derive(Debug, Default)]
struct Waiting {
    wholes: Vec<i64>,
    reals: Vec<f64>,
    words: Vec<ByteArray>,
    /// Per row, as far as anything is known: whether it has a value.
    levels: Vec<i16>,
}

/// The file on its way.
pub(crate) struct RowFile<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    words: Words,
    waiting: Vec<Waiting>,
    rows: usize,
    group: usize,
    error: Option<io::Error>,
}

impl<W: Write + Send> std::fmt::Debug for RowFile<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowFile").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<W: Write + Send> RowFile<W> {
    /// Begins a file of a table with these columns, which says this about itself.
    pub(crate) fn new(
        out: W,
        table: Table,
        columns: impl IntoIterator<Item = Column>,
        about: &[(&'static str, String)],
    ) -> io::Result<Self> {
        let columns: Vec<_> = columns.into_iter().collect();
        let writer = open(out, table, &columns, about).map_err(plain)?;
        let waiting = columns.iter().map(|_| Waiting::default()).collect();
        Ok(Self { writer, columns, words: Words::default(), waiting, rows: 0, group: table.group, error: None })
    }

    /// A row, with a value for each column.
    pub(crate) fn push<'a>(&mut self, row: impl IntoIterator<Item = Cell<'a>>) {
        if self.error.is_some() {
            return;
        }
        let mut columns = self.waiting.iter_mut();
        row.into_iter().for_each(|cell| {
            let Some(waiting) = columns.next() else { return };
            match cell {
                Cell::None => return,
                Cell::Whole(value) => waiting.wholes.push(value),
                Cell::Real(value) => waiting.reals.push(value),
                Cell::Word(word) => waiting.words.push(self.words.bytes(word)),
                Cell::Text(text) => waiting.words.push(ByteArray::from(text)),
            }
            waiting.levels.resize(self.rows, 0);
            waiting.levels.push(1);
        });
        self.rows += 1;
        if self.rows >= self.group {
            self.error = self.write_group().err().map(plain);
        }
    }

    /// The file says this about itself, too.
    pub(crate) fn say(&mut self, key: &'static str, text: String) {
        self.writer.append_key_value_metadata(KeyValue::new(key.to_owned(), text));
    }

    /// Ends the file: the first error there was, if any.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.rows > 0 && self.error.is_none() {
            self.write_group().map_err(plain)?;
        }
        self.error.map_or(Ok(()), Err)?;
        self.writer.finish().map_err(plain)?;
        self.writer.flush()?;
        self.writer.inner_mut().flush()
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut chunk = Chunk::new(self.writer.next_row_group()?);
        for (&(.., shape, has), waiting) in self.columns.iter().zip(&mut self.waiting) {
            waiting.levels.resize(self.rows, 0);
            let levels = (has == Has::Sometimes).then_some(&*waiting.levels);
            match shape {
                Shape::Growing | Shape::Few => chunk.write::<Int64Type>(&waiting.wholes, levels)?,
                Shape::Small | Shape::Plain => {
                    let small: Vec<i32> = waiting.wholes.iter().map(|&value| value as i32).collect();
                    chunk.write::<Int32Type>(&small, levels)?;
                }
                Shape::Real => chunk.write::<DoubleType>(&waiting.reals, levels)?,
                Shape::Word => chunk.write::<ByteArrayType>(&waiting.words, levels)?,
            }
            waiting.wholes.clear();
            waiting.reals.clear();
            waiting.words.clear();
            waiting.levels.clear();
        }
        self.rows = 0;
        chunk.close()
    }
}

fn open<W: Write + Send>(
    out: W,
    table: Table,
    columns: &[Column],
    about: &[(&'static str, String)],
) -> Result<SerializedFileWriter<W>, ParquetError> {
    let units = columns.iter().map(|(name, unit, ..)| format!("{name}: {unit}"));
    let mut properties = columns::compressed(about, units.collect(), ZstdLevel::try_new(table.level)?);
    let mut fields = Vec::new();
    for &(name, _, shape, has) in columns {
        let physical = match shape {
            Shape::Growing | Shape::Few => Physical::INT64,
            Shape::Small | Shape::Plain => Physical::INT32,
            Shape::Real => Physical::DOUBLE,
            Shape::Word => Physical::BYTE_ARRAY,
        };
        properties = small(properties, ColumnPath::from(name), shape);
        if table.ranges.contains(&name) {
            properties = properties.set_column_statistics_enabled(ColumnPath::from(name), EnabledStatistics::Chunk);
        }
        let repetition = if has == Has::Always { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let text = (shape == Shape::Word).then_some(LogicalType::String);
        let field = Type::primitive_type_builder(name, physical).with_repetition(repetition).with_logical_type(text);
        fields.push(Arc::new(field.build()?));
    }
    let schema = Type::group_type_builder(table.name).with_fields(fields).build()?;
    SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))
}

/// How a column is encoded.
fn small(properties: WriterPropertiesBuilder, path: ColumnPath, shape: Shape) -> WriterPropertiesBuilder {
    match shape {
        Shape::Growing => properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
        Shape::Few | Shape::Small | Shape::Word => properties.set_column_dictionary_enabled(path, true),
        Shape::Plain => properties,
        Shape::Real => properties.set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT),
    }
}
