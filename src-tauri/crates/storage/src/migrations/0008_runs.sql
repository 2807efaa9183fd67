-- Runs and what tools need: nodes, rules, long outputs, servers, and lines that models want to be remembered.

-- The steps of a turn, in the order in which they began. `manifest` is JSON compressed with zstd: many rounds of a long
-- conversation have much in common.
CREATE TABLE run_nodes (
    seq        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    turn_id    TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
    parent     TEXT,
    kind       TEXT NOT NULL,
    status     TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    usage      TEXT,
    cost       INTEGER,
    size       INTEGER,
    manifest   BLOB
) STRICT;
CREATE INDEX run_nodes_turn ON run_nodes(turn_id, seq);

-- Answers about tools that the person wants to be remembered.
CREATE TABLE tool_rules (
    id          TEXT PRIMARY KEY NOT NULL,
    project_id  TEXT REFERENCES projects(id) ON DELETE CASCADE,
    tool        TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    scope       TEXT NOT NULL,
    verdict     TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_rules_project ON tool_rules(project_id, created_at);

-- Projects in which commands may be run.
CREATE TABLE commands_allowed (
    project_id TEXT PRIMARY KEY NOT NULL REFERENCES projects(id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Long results, compressed with zstd, under the BLAKE3 of their text, and which conversations keep them; what none keeps
-- goes. `size` counts the bytes of the text.
CREATE TABLE outputs (
    hash TEXT PRIMARY KEY NOT NULL,
    size INTEGER NOT NULL,
    text BLOB NOT NULL
) STRICT;
CREATE TABLE outputs_kept (
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    hash            TEXT NOT NULL REFERENCES outputs(hash),
    at              INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX outputs_kept_hash ON outputs_kept(hash);

-- MCP servers; without a project those of all projects.
CREATE TABLE mcp_servers (
    seq                  INTEGER PRIMARY KEY,
    project_id           TEXT REFERENCES projects(id) ON DELETE CASCADE,
    name                 TEXT NOT NULL,
    transport            TEXT NOT NULL,
    offered              INTEGER NOT NULL,
    trusted              TEXT NOT NULL,
    instructions_trusted TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX mcp_servers_name ON mcp_servers(coalesce(project_id, ''), name);

-- Lines that models want to be remembered and nobody answered yet.
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
CREATE INDEX inbox_project ON inbox(project_id, at);
CREATE INDEX inbox_conversation ON inbox(conversation_id);
