-- Runs and what tools need: nodes, rules, long outputs, servers, and lines that models want to be remembered.

CREATE TABLE run_nodes (
    seq      INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    turn_id  TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
    value    TEXT NOT NULL,
    manifest TEXT
) STRICT;
CREATE INDEX run_nodes_turn ON run_nodes(turn_id, seq);

CREATE TABLE tool_rules (
    id         TEXT PRIMARY KEY NOT NULL,
    project_id TEXT REFERENCES projects(id) ON DELETE CASCADE,
    value      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Projects in which commands may be run.
CREATE TABLE commands_allowed (
    project_id TEXT PRIMARY KEY NOT NULL REFERENCES projects(id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Long results, compressed, under the BLAKE3 of their text.
CREATE TABLE tool_outputs (
    hash            TEXT NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    bytes           BLOB NOT NULL,
    at              INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, hash)
) STRICT, WITHOUT ROWID;

-- `project` is empty for servers of all projects.
CREATE TABLE mcp_servers (
    project TEXT NOT NULL,
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (project, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
    id               TEXT PRIMARY KEY NOT NULL,
    project_id       TEXT REFERENCES projects(id) ON DELETE CASCADE,
    conversation_id  TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    message_id       TEXT NOT NULL,
    text             TEXT NOT NULL,
    why              TEXT NOT NULL,
    for_all_projects INTEGER NOT NULL,
    at               INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
