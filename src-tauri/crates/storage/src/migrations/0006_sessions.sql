-- Sessions of projects: where the work stands, its plans, tasks and decisions. `.ai-brain` in the folder is a copy.

-- `context` and `workflow` are the two files as JSON. `shared` is NULL until the person was asked.
CREATE TABLE sessions (
    project_id      TEXT PRIMARY KEY NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    revision        INTEGER NOT NULL,
    shared          INTEGER,
    context         TEXT NOT NULL,
    workflow        TEXT NOT NULL,
    conversation_id TEXT REFERENCES conversations(id) ON DELETE SET NULL,
    message_id      TEXT REFERENCES messages(id) ON DELETE SET NULL
) STRICT, WITHOUT ROWID;

-- Texts of ours, noted before they are written: a file that says anything else came from elsewhere. `seen` is set once
-- a text was met in the folder.
CREATE TABLE session_files (
    seq        INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    hash       TEXT NOT NULL,
    text       TEXT NOT NULL,
    seen       INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project_id, name, hash)
) STRICT;

-- What messages propose; `change` is JSON; its words stand at these bytes of the message's text.
CREATE TABLE session_proposals (
    id              TEXT PRIMARY KEY NOT NULL,
    project_id      TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    message_id      TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
    change          TEXT NOT NULL,
    begins          INTEGER NOT NULL,
    ends            INTEGER NOT NULL,
    state           TEXT NOT NULL,
    at              INTEGER NOT NULL,
    UNIQUE (message_id, change)
) STRICT;
CREATE INDEX session_proposals_open ON session_proposals(project_id) WHERE state = 'open';

-- The sections a conversation began with; an empty list says that it began fresh.
CREATE TABLE session_told (
    conversation_id TEXT PRIMARY KEY NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    sections        TEXT NOT NULL
) STRICT, WITHOUT ROWID;
