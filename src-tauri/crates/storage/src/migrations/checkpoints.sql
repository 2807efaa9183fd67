-- Where the objects of checkpoints are, and the checkpoints. A database file of its own, that can be made again from the
-- packs; `tag` and `pinned` are then what they were when the checkpoint was made.

CREATE TABLE packs (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- `stored` counts the record's header too.
CREATE TABLE objects (
    id     BLOB PRIMARY KEY NOT NULL,
    pack   INTEGER NOT NULL REFERENCES packs(id),
    offset INTEGER NOT NULL,
    stored INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX objects_pack ON objects(pack);

-- `bytes` are what the checkpoint added to the packs.
CREATE TABLE checkpoints (
    id         TEXT PRIMARY KEY NOT NULL,
    project_id TEXT,
    created_at INTEGER NOT NULL,
    tag        TEXT,
    pinned     INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    record     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoints_project ON checkpoints(project_id, created_at);
CREATE UNIQUE INDEX checkpoints_tag ON checkpoints(project_id, tag) WHERE tag IS NOT NULL;

CREATE TABLE plans (
    id          TEXT PRIMARY KEY NOT NULL,
    project_id  TEXT,
    begun       INTEGER NOT NULL,
    finished_at INTEGER,
    plan        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX plans_unfinished ON plans(project_id) WHERE begun = 1 AND finished_at IS NULL;

-- What Siltstone itself wrote in a project last; `leaf` is NULL for what it deleted.
CREATE TABLE written (
    project_id TEXT NOT NULL,
    path       BLOB NOT NULL,
    leaf       TEXT,
    PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;
