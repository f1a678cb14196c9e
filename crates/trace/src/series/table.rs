//! The table in `series.parquet`: its columns, and how they are stored.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use super::{COLUMNS, Config, IN_NETWORK, PROGRESS, Quantity, RECEIVED};

/// A column of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Flow,
    Node,
    /// By its place in a flow's row.
    Number(usize),
    Phase,
    Trigger,
    Queue,
    Window,
    Stage,
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::Time => "time_s",
            Self::Flow => "flow",
            Self::Node => "node",
            Self::Number(index) => COLUMNS[index].0,
            Self::Phase => "phase",
            Self::Trigger => "trigger",
            Self::Queue => "queue_packets",
            Self::Window => "contention_window_slots",
            Self::Stage => "backoff_stage",
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Self::Time => "s since the start of the run",
            Self::Flow => "number of the flow; null in rows of nodes",
            Self::Node => "number of the node; null in rows of flows",
            Self::Window => "slots; the value when the node is next woken",
            Self::Stage => "normal, restrictive or greedy; null without fair back-off",
            Self::Number(index) => COLUMNS[index].1,
            Self::Phase => "slow_start, congestion_avoidance, recovery, rto or frozen",
            Self::Trigger => {
                "number of the trigger that changed mechanisms, with what else it did: back, refused; null elsewhere"
            }
            Self::Queue => "packets",
        }
    }

    fn field(self) -> Result<Type, ParquetError> {
        let physical = match self {
            Self::Time | Self::Number(_) | Self::Queue => Physical::DOUBLE,
            Self::Flow | Self::Node | Self::Window => Physical::INT32,
            Self::Phase | Self::Trigger | Self::Stage => Physical::BYTE_ARRAY,
        };
        let repetition = if self == Self::Time { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let text = Some(LogicalType::String).filter(|_| matches!(self, Self::Phase | Self::Trigger | Self::Stage));
        let field = Type::primitive_type_builder(self.name(), physical);
        field.with_repetition(repetition).with_logical_type(text).build()
    }
}

/// The columns that these quantities are in; `has_triggers`: and what triggers did.
pub(super) fn columns(quantities: &[Quantity], has_triggers: bool) -> Vec<Column> {
    let mut numbers: Vec<usize> = Vec::new();
    for quantity in quantities {
        numbers.extend(match quantity {
            Quantity::Cwnd => &[0][..],
            Quantity::Ssthresh => &[1],
            Quantity::Rtt => &[2, 3],
            Quantity::Rto => &[4],
            Quantity::InFlight => &[5],
            Quantity::InNetwork => &IN_NETWORK,
            Quantity::ConnectionProgress => &[PROGRESS],
            Quantity::Queue | Quantity::Backoff => &[],
        });
    }
    if !numbers.is_empty() {
        numbers.extend(6..=RECEIVED); // progress is part of any picture of a flow
    }
    numbers.sort_unstable();
    let mut columns = vec![Column::Time];
    columns.extend((!numbers.is_empty()).then_some(Column::Flow));
    let (queue, backoff) = (quantities.contains(&Quantity::Queue), quantities.contains(&Quantity::Backoff));
    columns.extend((queue || backoff).then_some(Column::Node));
    columns.extend(numbers.iter().copied().map(Column::Number));
    columns.extend((!numbers.is_empty()).then_some(Column::Phase));
    columns.extend((!numbers.is_empty() && has_triggers).then_some(Column::Trigger));
    columns.extend(queue.then_some(Column::Queue));
    if backoff {
        columns.extend([Column::Window, Column::Stage]);
    }
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

fn properties(config: &Config, columns: &[Column]) -> WriterProperties {
    let units = columns.iter().map(|column| format!("{}: {}", column.name(), column.unit()));
    let mut properties = crate::columns::properties(&config.about, units.collect());
    for column in columns {
        let path = ColumnPath::from(column.name());
        // What readers choose row groups by.
        if matches!(column, Column::Time | Column::Flow | Column::Node) {
            properties = properties.set_column_statistics_enabled(path.clone(), EnabledStatistics::Chunk);
        }
        properties = match column {
            Column::Phase | Column::Trigger | Column::Stage => properties.set_column_dictionary_enabled(path, true),
            Column::Flow | Column::Node => properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            // Times grow: their first bytes repeat, their last ones are anything.
            Column::Time => properties.set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT),
            Column::Number(_) | Column::Queue | Column::Window => properties,
        };
    }
    properties.build()
}
