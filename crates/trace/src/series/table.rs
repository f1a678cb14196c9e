//! The table in `series.parquet`: its columns, how they are stored, and how a row group is filled.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArrayType, DataType, DoubleType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};

use super::{COLUMNS, Config, IN_NETWORK, Quantity, RECEIVED};

/// A column of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Flow,
    Node,
    /// By its place in a flow's row.
    Number(usize),
    Phase,
    Queue,
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::Time => "time_s",
            Self::Flow => "flow",
            Self::Node => "node",
            Self::Number(index) => COLUMNS[index].0,
            Self::Phase => "phase",
            Self::Queue => "queue_packets",
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::Time => "s since the start of the run",
            Self::Flow => "its number; null in rows of queues",
            Self::Node => "its number; null in rows of flows",
            Self::Number(index) => COLUMNS[index].1,
            Self::Phase => "slow_start, congestion_avoidance, recovery, rto or frozen",
            Self::Queue => "packets",
        }
    }

    fn field(self) -> Result<Type, ParquetError> {
        let physical = match self {
            Self::Time | Self::Number(_) | Self::Queue => Physical::DOUBLE,
            Self::Flow | Self::Node => Physical::INT32,
            Self::Phase => Physical::BYTE_ARRAY,
        };
        let repetition = if self == Self::Time { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let text = Some(LogicalType::String).filter(|_| self == Self::Phase);
        let field = Type::primitive_type_builder(self.name(), physical);
        field.with_repetition(repetition).with_logical_type(text).build()
    }
}

/// The columns that these quantities are in.
pub(super) fn columns(quantities: &[Quantity]) -> Vec<Column> {
    let mut numbers: Vec<usize> = Vec::new();
    for quantity in quantities {
        numbers.extend(match quantity {
            Quantity::Cwnd => &[0][..],
            Quantity::Ssthresh => &[1],
            Quantity::Rtt => &[2, 3],
            Quantity::Rto => &[4],
            Quantity::InFlight => &[5],
            Quantity::InNetwork => &IN_NETWORK,
            Quantity::Queue => &[],
        });
    }
    if !numbers.is_empty() {
        numbers.extend(6..=RECEIVED); // progress is part of any picture of a flow
    }
    numbers.sort_unstable();
    let mut columns = vec![Column::Time];
    columns.extend((!numbers.is_empty()).then_some(Column::Flow));
    columns.extend(quantities.contains(&Quantity::Queue).then_some(Column::Node));
    columns.extend(numbers.iter().copied().map(Column::Number));
    columns.extend((!numbers.is_empty()).then_some(Column::Phase));
    columns.extend(quantities.contains(&Quantity::Queue).then_some(Column::Queue));
    columns
}

/// Begins the file.
pub(super) fn open<W: Write + Send>(
    out: W,
    config: &Config,
    columns: &[Column],
) -> Result<SerializedFileWriter<W>, ParquetError> {
    let fields = columns.iter().map(|column| column.field().map(Arc::new)).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("series").with_fields(fields).build()?;
    SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties(config, columns)))
}

/// Cheap to write: what barely changes is told from run lengths by the compressor, not by a dictionary.
fn properties(config: &Config, columns: &[Column]) -> WriterProperties {
    let about = config.about.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
    let units = columns.iter().map(|column| format!("{}: {}", column.name(), column.unit()));
    let units = KeyValue::new("units".to_owned(), units.collect::<Vec<_>>().join("\n"));
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("hopwright ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(about.chain([units]).collect()))
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true);
    for column in columns {
        let path = ColumnPath::from(column.name());
        // What readers choose row groups by.
        if matches!(column, Column::Time | Column::Flow | Column::Node) {
            properties = properties.set_column_statistics_enabled(path.clone(), EnabledStatistics::Chunk);
        }
        properties = match column {
            Column::Phase => properties.set_column_dictionary_enabled(path, true),
            Column::Flow | Column::Node => properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            // Times grow: their first bytes repeat, their last ones are anything.
            Column::Time => properties.set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT),
            Column::Number(_) | Column::Queue => properties,
        };
    }
    properties.build()
}

/// A row group whose columns are written one after the other.
pub(super) struct Chunk<'a, W: Write + Send> {
    group: SerializedRowGroupWriter<'a, W>,
    /// Of the column at hand, per row: whether there is a value.
    levels: Vec<i16>,
}

impl<'a, W: Write + Send> Chunk<'a, W> {
    pub(super) fn new(group: SerializedRowGroupWriter<'a, W>) -> Self {
        Self { group, levels: Vec::new() }
    }

    pub(super) fn required(&mut self, values: impl Iterator<Item = f64>) -> Result<(), ParquetError> {
        let values: Vec<f64> = values.collect();
        self.write::<DoubleType>(&values, false)
    }

    pub(super) fn optional<T: DataType>(
        &mut self,
        rows: impl Iterator<Item = Option<T::T>>,
    ) -> Result<(), ParquetError> {
        self.levels.clear();
        let mut values = Vec::new();
        for row in rows {
            self.levels.push(i16::from(row.is_some()));
            values.extend(row);
        }
        self.write::<T>(&values, true)
    }

    /// So many rows in which the column at hand is not known.
    pub(super) fn nulls(&mut self, column: Column, rows: usize) -> Result<(), ParquetError> {
        self.levels.clear();
        self.levels.resize(rows, 0);
        match column {
            Column::Flow | Column::Node => self.write::<Int32Type>(&[], true),
            Column::Phase => self.write::<ByteArrayType>(&[], true),
            Column::Time | Column::Number(_) | Column::Queue => self.write::<DoubleType>(&[], true),
        }
    }

    fn write<T: DataType>(&mut self, values: &[T::T], optional: bool) -> Result<(), ParquetError> {
        let Some(mut column) = self.group.next_column()? else {
            return Err(ParquetError::General("more columns than the table has".to_owned()));
        };
        let levels = optional.then_some(&self.levels[..]);
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()
    }

    pub(super) fn close(self) -> Result<(), ParquetError> {
        self.group.close().map(drop)
    }
}
