//! `series.parquet`: one table that pandas, polars and DuckDB read.
//!
//! Spec      Apache Parquet format 2.x: required `time_s`, all other columns optional, row groups of flows or of nodes
//! Holds     - of a flow, and of a node, at most one row per instant, and only if something has changed
//!           - what is not known is null

use std::io::{self, Write};

use hopwright_link::fba::Stage;
use hopwright_machine::Time;
use hopwright_sim::Setup;
use hopwright_transport::Phase;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;

use super::latest::Latest;
use super::table::{self, Column};
use crate::columns::{Chunk, plain};

use super::{COLUMNS, Config, FlowRow, NodeRow, RTT};

/// Rows that wait to be written together: with all columns some megabytes.
const GROUP: usize = 1 << 15;

/// The file on its way.
pub(super) struct File<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    has_flows: bool,
    /// Of a node: whether its queue is written, and its back-off.
    has_queues: bool,
    has_backoff: bool,
    /// Which numbers of a flow are written: a change of others is none.
    written: [bool; COLUMNS.len()],
    flows: Latest<FlowRow>,
    nodes: Latest<NodeRow>,
    /// Of each flow and each node, what was written last.
    last_flows: Vec<Option<FlowRow>>,
    last_nodes: Vec<NodeRow>,
    rows: Rows,
    error: Option<io::Error>,
}

/// Rows that wait.
#[derive(Debug, Default)]
struct Rows {
    flows: Vec<(Time, usize, FlowRow)>,
    nodes: Vec<(Time, usize, NodeRow)>,
}

impl<W: Write + Send> std::fmt::Debug for File<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File").field("columns", &self.columns).field("error", &self.error).finish_non_exhaustive()
    }
}

impl<W: Write + Send> File<W> {
    pub(super) fn new(out: W, config: &Config, setup: &Setup) -> io::Result<Self> {
        let columns = table::columns(&config.quantities, crate::has_triggers(setup));
        let writer = table::open(out, config, &columns).map_err(plain)?;
        let (interval, end) = (config.interval, setup.end);
        let mut written = [false; COLUMNS.len()];
        for column in &columns {
            if let Column::Number(index) = column {
                written[*index] = true;
            }
        }
        Ok(Self {
            writer,
            has_flows: columns.contains(&Column::Flow),
            has_queues: columns.contains(&Column::Queue),
            has_backoff: columns.contains(&Column::Stage),
            columns,
            written,
            flows: Latest::new(setup.flows.len(), interval, end),
            nodes: Latest::new(setup.nodes.len(), interval, end),
            last_flows: vec![None; setup.flows.len()],
            last_nodes: vec![NodeRow::UNKNOWN; setup.nodes.len()],
            rows: Rows::default(),
            error: None,
        })
    }

    pub(super) fn flow(&mut self, at: Time, flow: usize, mut row: FlowRow) {
        if !self.has_flows {
            return;
        }
        let (rows, last, written) = (&mut self.rows, &mut self.last_flows, &self.written);
        let latest = self.flows.at(at, flow, |at, flow, row| rows.take_flow(at, flow, row, last, written));
        if let Some(before) = latest {
            if row.values[RTT].is_nan() {
                row.values[RTT] = before.values[RTT]; // measured in the same instant
            }
            row.did = row.did.or(before.did);
        }
        *latest = Some(row);
        if self.rows.flows.len() >= GROUP {
            self.write_flows();
        }
    }

    pub(super) fn node(&mut self, at: Time, node: usize, mut row: NodeRow) {
        if !(self.has_queues || self.has_backoff) {
            return;
        }
        if !self.has_queues {
            row.queue_packets = 0.0;
        }
        if !self.has_backoff {
            (row.window, row.stage) = (None, None);
        }
        let (rows, last) = (&mut self.rows, &mut self.last_nodes);
        *self.nodes.at(at, node, |at, node, row| rows.take_node(at, node, row, last)) = Some(row);
        if self.rows.nodes.len() >= GROUP {
            self.write_nodes();
        }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        let (rows, last, written) = (&mut self.rows, &mut self.last_flows, &self.written);
        self.flows.end_instant(|at, flow, row| rows.take_flow(at, flow, row, last, written));
        let last = &mut self.last_nodes;
        self.nodes.end_instant(|at, node, row| rows.take_node(at, node, row, last));
        self.write_flows();
        self.write_nodes();
        self.error.map_or(Ok(()), Err)?;
        self.writer.finish().map_err(plain)?;
        self.writer.flush()?;
        self.writer.inner_mut().flush()
    }

    fn write_flows(&mut self) {
        let rows = std::mem::take(&mut self.rows.flows);
        self.write(rows.len(), |column, chunk| match column {
            Column::Time => chunk.required::<DoubleType>(rows.iter().map(|row| row.0.as_secs_f64())),
            Column::Flow => chunk.optional::<Int32Type>(rows.iter().map(|row| Some(row.1 as i32))),
            Column::Number(index) => chunk.optional::<DoubleType>(
                rows.iter().map(|row| Some(row.2.values[index]).filter(|value| !value.is_nan())),
            ),
            Column::Phase => chunk.optional::<ByteArrayType>(rows.iter().map(|row| row.2.phase.map(name))),
            Column::Trigger => {
                let did = |row: &(Time, usize, FlowRow)| row.2.did.map(|did| ByteArray::from(did.to_string().as_str()));
                chunk.optional::<ByteArrayType>(rows.iter().map(did))
            }
            Column::Node => chunk.nulls::<Int32Type>(rows.len()),
            Column::Queue => chunk.nulls::<DoubleType>(rows.len()),
            Column::Window => chunk.nulls::<Int32Type>(rows.len()),
            Column::Stage => chunk.nulls::<ByteArrayType>(rows.len()),
        });
        self.rows.flows = rows;
        self.rows.flows.clear();
    }

    fn write_nodes(&mut self) {
        let rows = std::mem::take(&mut self.rows.nodes);
        self.write(rows.len(), |column, chunk| match column {
            Column::Time => chunk.required::<DoubleType>(rows.iter().map(|row| row.0.as_secs_f64())),
            Column::Node => chunk.optional::<Int32Type>(rows.iter().map(|row| Some(row.1 as i32))),
            Column::Queue => chunk.optional::<DoubleType>(rows.iter().map(|row| Some(row.2.queue_packets))),
            Column::Window => {
                chunk.optional::<Int32Type>(rows.iter().map(|row| row.2.window.map(|slots| slots as i32)))
            }
            Column::Stage => chunk.optional::<ByteArrayType>(rows.iter().map(|row| row.2.stage.map(stage_name))),
            Column::Flow => chunk.nulls::<Int32Type>(rows.len()),
            Column::Phase | Column::Trigger => chunk.nulls::<ByteArrayType>(rows.len()),
            Column::Number(_) => chunk.nulls::<DoubleType>(rows.len()),
        });
        self.rows.nodes = rows;
        self.rows.nodes.clear();
    }

    /// Writes a row group of so many rows; `fill` writes its columns.
    fn write(&mut self, rows: usize, mut fill: impl FnMut(Column, &mut Chunk<'_, W>) -> Result<(), ParquetError>) {
        if rows == 0 || self.error.is_some() {
            return;
        }
        let columns = &self.columns;
        let mut group = |writer: &mut SerializedFileWriter<W>| {
            let mut chunk = Chunk::new(writer.next_row_group()?);
            columns.iter().try_for_each(|&column| fill(column, &mut chunk))?;
            chunk.close()
        };
        self.error = group(&mut self.writer).err().map(plain);
    }
}

impl Rows {
    fn take_flow(
        &mut self,
        at: Time,
        flow: usize,
        row: FlowRow,
        last: &mut [Option<FlowRow>],
        written: &[bool; COLUMNS.len()],
    ) {
        let same = last[flow].is_some_and(|last| {
            let same =
                |(n, (new, old)): (usize, (&f64, &f64))| !written[n] || new == old || new.is_nan() && old.is_nan();
            row.phase == last.phase
                && row.did.is_none()
                && (row.values[RTT].is_nan() || !written[RTT])
                && row.values.iter().zip(&last.values).enumerate().all(same)
        });
        if !same {
            // A measurement is of its instant: the next row without one is no change.
            let mut kept = row;
            kept.values[RTT] = f64::NAN;
            kept.did = None;
            last[flow] = Some(kept);
            self.flows.push((at, flow, row));
        }
    }

    fn take_node(&mut self, at: Time, node: usize, row: NodeRow, last: &mut [NodeRow]) {
        if row != last[node] {
            last[node] = row;
            self.nodes.push((at, node, row));
        }
    }
}

/// A stage as the file names it.
fn stage_name(stage: Stage) -> ByteArray {
    ByteArray::from(match stage {
        Stage::Normal => "normal",
        Stage::Restrictive => "restrictive",
        Stage::Greedy => "greedy",
    })
}

/// A phase as the file names it.
fn name(phase: Phase) -> ByteArray {
    ByteArray::from(match phase {
        Phase::SlowStart => "slow_start",
        Phase::CongestionAvoidance => "congestion_avoidance",
        Phase::Recovery => "recovery",
        Phase::Rto => "rto",
        Phase::Frozen => "frozen",
    })
}
