-- Files of agents: where every byte of every version of them is. A database file of its own, that can be made again from the
-- packs; only the person's yes to a home is then asked for again.

CREATE TABLE packs (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    ends INTEGER NOT NULL DEFAULT 0
) STRICT;

-- `stored` counts the record's header too.
CREATE TABLE objects (
    id     BLOB PRIMARY KEY NOT NULL,
    pack   INTEGER NOT NULL REFERENCES packs(id),
    offset INTEGER NOT NULL,
    stored INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- As packs ask for it; nothing is sealed here.
CREATE TABLE sealing (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    due  INTEGER NOT NULL,
    mark BLOB
) STRICT;

CREATE TABLE homes (
    id        INTEGER PRIMARY KEY,
    agent     TEXT NOT NULL,
    root      TEXT NOT NULL,
    agreed_at INTEGER,
    UNIQUE (agent, root)
) STRICT;

-- `seen_bytes` and `seen_ns` are the stamp of the agent's own file; `seen_ns` is NULL while it has to be looked at again
-- whatever its stamp says.
CREATE TABLE files (
    id         INTEGER PRIMARY KEY,
    home       INTEGER NOT NULL REFERENCES homes(id),
    path       TEXT NOT NULL,
    seen_bytes INTEGER NOT NULL,
    seen_ns    INTEGER,
    kept_at    INTEGER NOT NULL,
    gone_at    INTEGER,
    UNIQUE (home, path)
) STRICT;

CREATE TABLE versions (
    id     INTEGER PRIMARY KEY,
    file   INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    UNIQUE (file, number)
) STRICT;

CREATE TABLE spans (
    version INTEGER NOT NULL REFERENCES versions(id) ON DELETE CASCADE,
    at      INTEGER NOT NULL,
    bytes   INTEGER NOT NULL,
    object  BLOB NOT NULL,
    PRIMARY KEY (version, at)
) STRICT, WITHOUT ROWID;

-- The records in packs from which the rows of a file are made again.
CREATE TABLE records (
    object BLOB PRIMARY KEY NOT NULL,
    file   INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- What was understood of a version when it had so many bytes.
CREATE TABLE facts (
    file    INTEGER PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    bytes   INTEGER NOT NULL,
    reader  INTEGER NOT NULL,
    facts   TEXT NOT NULL
) STRICT;

-- Files that are not kept again, by a hash of where they are; and the record in a pack that says so.
CREATE TABLE forgotten (
    hash   BLOB PRIMARY KEY NOT NULL,
    object BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Whether bytes that nothing names any more still wait to be taken out of packs.
CREATE TABLE sweeping (
    id INTEGER PRIMARY KEY CHECK (id = 1)
) STRICT;
