//! The table of nodes: the steps of a turn, each with what its request was made of.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siltstone_engine::Timestamp;
use siltstone_engine::ids::{NodeId, TurnId};
use siltstone_engine::ports::StoreError;
use siltstone_engine::run::{NodeKind, NodeStatus, RunNode};
use siltstone_engine::section::Manifest;
use siltstone_engine::turn::{TurnStatus, Usage};

use super::zipped;
use crate::column;
use crate::fault::{Fault, not_found};
use crate::owner::Owner;

/// Manifests are written while somebody waits for the request, and have much in common with themselves.
const LEVEL: i32 = 1;

const SELECT: &str = "SELECT id, turn_id, parent, kind, status, started_at, ended_at, usage, cost \
     FROM run_nodes";

/// A manifest as it is stored.
pub(crate) struct Zipped {
    /// Bytes of its JSON.
    size: u64,
    bytes: Vec<u8>,
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<RunNode> {
    Ok(RunNode {
        id: column::id(row, 0)?,
        turn_id: column::id(row, 1)?,
        parent: column::optional_id(row, 2)?,
        kind: column::json(row, 3)?,
        status: column::name(row, 4)?,
        started_at: column::time(row, 5)?,
        ended_at: column::optional_time(row, 6)?,
        usage: column::optional_json(row, 7)?,
        cost: column::optional_count(row, 8)?,
    })
}

/// Whether a node reads as one.
pub(crate) fn is_readable(db: &Connection, seq: &Value) -> bool {
    column::is_readable(db, &format!("{SELECT} WHERE seq = ?1"), seq, from_row)
}

/// Adds a node or changes it; its place and its manifest stay.
pub(super) fn put(db: &Connection, node: &RunNode) -> Result<(), Fault> {
    db.prepare_cached(
        "INSERT INTO run_nodes (id, turn_id, parent, kind, status, started_at, ended_at, usage, cost) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO UPDATE SET \
         parent = excluded.parent, kind = excluded.kind, status = excluded.status, \
         started_at = excluded.started_at, ended_at = excluded.ended_at, usage = excluded.usage, \
         cost = excluded.cost",
    )?
    .execute(params![
        column::text(node.id),
        column::text(node.turn_id),
        column::optional_text(node.parent),
        column::to_json(&node.kind)?,
        column::to_name(&node.status)?,
        column::nanoseconds(node.started_at),
        node.ended_at.map(column::nanoseconds),
        node.usage.as_ref().map(column::to_json).transpose()?,
        node.cost.map(column::integer),
    ])?;
    Ok(())
}

/// The nodes of a turn. Nobody carries out what is under way in a turn that ended, or whose process is gone.
pub(super) fn of_turn(db: &Connection, owner: &Owner, turn: TurnId) -> Result<Vec<RunNode>, Fault> {
    let mut nodes = all(db, turn)?;
    if nodes.iter().any(under_way) && !is_carried_out(db, owner, turn)? {
        nodes
            .iter_mut()
            .filter(|node| under_way(node))
            .for_each(|it| it.status = NodeStatus::Stopped);
    }
    Ok(nodes)
}

fn all(db: &Connection, turn: TurnId) -> Result<Vec<RunNode>, Fault> {
    let mut statement = db.prepare_cached(&format!("{SELECT} WHERE turn_id = ?1 ORDER BY seq"))?;
    let rows = statement.query_map([column::text(turn)], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn under_way(node: &RunNode) -> bool {
    matches!(node.status, NodeStatus::Waiting | NodeStatus::Running)
}

fn is_carried_out(db: &Connection, owner: &Owner, turn: TurnId) -> Result<bool, Fault> {
    let found = db
        .prepare_cached("SELECT status, owner FROM turns WHERE id = ?1")?
        .query_row([column::text(turn)], |row| {
            Ok((column::name::<TurnStatus>(row, 0)?, row.get::<_, String>(1)?))
        })
        .optional()?;
    Ok(found.is_some_and(|(status, by)| status == TurnStatus::Open && owner.is_alive(&by)))
}

/// Stops what is under way in a turn that ends.
pub(crate) fn stop(db: &Connection, turn: TurnId, now: Timestamp) -> Result<(), Fault> {
    db.prepare_cached(
        "UPDATE run_nodes SET status = ?2, ended_at = ?3 WHERE turn_id = ?1 AND status IN (?4, ?5)",
    )?
    .execute(params![
        column::text(turn),
        column::to_name(&NodeStatus::Stopped)?,
        column::nanoseconds(now),
        column::to_name(&NodeStatus::Waiting)?,
        column::to_name(&NodeStatus::Running)?,
    ])?;
    Ok(())
}

/// What the models of a turn counted together; `None` when none did.
pub(crate) fn usage_of(db: &Connection, turn: TurnId) -> Result<Option<Usage>, Fault> {
    let asked = all(db, turn)?.into_iter().filter(|it| matches!(it.kind, NodeKind::Model { .. }));
    Ok(asked.filter_map(|node| node.usage).reduce(Usage::plus))
}

/// A manifest as it is stored.
pub(crate) fn zip(manifest: &Manifest) -> Result<Zipped, StoreError> {
    let json = column::to_json(manifest).map_err(zipped)?;
    let bytes = zstd::bulk::compress(json.as_bytes(), LEVEL).map_err(zipped)?;
    Ok(Zipped { size: json.len() as u64, bytes })
}

/// A manifest as it was.
pub(crate) fn unzip(stored: &Zipped) -> Result<Manifest, StoreError> {
    let size = usize::try_from(stored.size).unwrap_or(usize::MAX);
    let json = zstd::bulk::decompress(&stored.bytes, size).map_err(zipped)?;
    serde_json::from_slice(&json).map_err(zipped)
}

/// Keeps what a node's request was made of.
pub(crate) fn put_manifest(db: &Connection, node: NodeId, made: &Zipped) -> Result<(), Fault> {
    let changed = db
        .prepare_cached("UPDATE run_nodes SET size = ?2, manifest = ?3 WHERE id = ?1")?
        .execute(params![column::text(node), column::integer(made.size), made.bytes])?;
    if changed == 0 { Err(not_found("node", node)) } else { Ok(()) }
}

/// The manifests of a turn's nodes.
pub(crate) fn manifests(db: &Connection, turn: &str) -> Result<Vec<(NodeId, Zipped)>, Fault> {
    let mut statement = db.prepare_cached(
        "SELECT id, size, manifest FROM run_nodes WHERE turn_id = ?1 AND manifest IS NOT NULL",
    )?;
    let rows = statement.query_map([turn], |row| {
        Ok((column::id(row, 0)?, Zipped { size: column::count(row, 1)?, bytes: row.get(2)? }))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// What a node's request was made of; `None` for one that made none.
pub(super) fn manifest(db: &Connection, node: NodeId) -> Result<Option<Zipped>, Fault> {
    db.prepare_cached("SELECT size, manifest FROM run_nodes WHERE id = ?1")?
        .query_row([column::text(node)], |row| {
            let size = column::optional_count(row, 0)?;
            let bytes: Option<Vec<u8>> = row.get(1)?;
            Ok(size.zip(bytes).map(|(size, bytes)| Zipped { size, bytes }))
        })
        .optional()?
        .ok_or_else(|| not_found("node", node))
}
