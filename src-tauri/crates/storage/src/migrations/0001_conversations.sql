-- Projects, conversations with their trees, turns, the queue, search, settings and providers.
-- Ids are UUID texts, times are nanoseconds since the epoch, enumerations are their serde names.
-- Everything hangs on its conversation and goes with it. References within one do not cascade: a chain of messages
-- is longer than SQLite lets triggers nest. They are checked at the commit.

CREATE TABLE projects (
    id        TEXT PRIMARY KEY NOT NULL,
    path      TEXT NOT NULL UNIQUE,
    name      TEXT NOT NULL,
    trust     TEXT NOT NULL,
    opened_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
    id            TEXT PRIMARY KEY NOT NULL,
    project_id    TEXT REFERENCES projects(id) ON DELETE SET NULL,
    title         TEXT NOT NULL,
    title_source  TEXT NOT NULL,
    pinned        INTEGER NOT NULL,
    deleted_at    INTEGER,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    active_branch TEXT NOT NULL REFERENCES branches(id) DEFERRABLE INITIALLY DEFERRED,
    provider      TEXT,
    model         TEXT,
    draft         TEXT NOT NULL
) STRICT;
CREATE INDEX conversations_living ON conversations(pinned DESC, updated_at DESC) WHERE deleted_at IS NULL;
CREATE INDEX conversations_trashed ON conversations(deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX conversations_project ON conversations(project_id);

-- A branch owns the messages fork_index..=tip_index that carry its id; below fork_index its path is its parent's.
-- `touched` counts up within a conversation: the branch shown last has the highest.
CREATE TABLE branches (
    id              TEXT PRIMARY KEY NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    parent_id       TEXT REFERENCES branches(id) DEFERRABLE INITIALLY DEFERRED,
    fork_index      INTEGER NOT NULL,
    tip_index       INTEGER NOT NULL,
    touched         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX branches_touched ON branches(conversation_id, touched);
CREATE INDEX branches_parent ON branches(parent_id);

-- `seq` is the row of the search index.
CREATE TABLE messages (
    seq             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    branch_id       TEXT NOT NULL REFERENCES branches(id) DEFERRABLE INITIALLY DEFERRED,
    idx             INTEGER NOT NULL,
    parent_id       TEXT REFERENCES messages(id) DEFERRABLE INITIALLY DEFERRED,
    turn_id         TEXT,
    role            TEXT NOT NULL,
    status          TEXT NOT NULL,
    model           TEXT,
    tokens          INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    parts           TEXT NOT NULL,
    UNIQUE (branch_id, idx)
) STRICT;
CREATE INDEX messages_siblings ON messages(parent_id, id);
CREATE INDEX messages_roots ON messages(conversation_id, id) WHERE parent_id IS NULL;
CREATE INDEX messages_conversation ON messages(conversation_id, idx);

-- Bytes that messages name by their BLAKE3.
CREATE TABLE blobs (
    hash       TEXT PRIMARY KEY NOT NULL,
    media_type TEXT NOT NULL,
    bytes      BLOB NOT NULL
) STRICT;

-- `owner` names the process that carries an open turn out.
CREATE TABLE turns (
    id              TEXT PRIMARY KEY NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    user_message_id TEXT NOT NULL REFERENCES messages(id) DEFERRABLE INITIALLY DEFERRED,
    reply_id        TEXT NOT NULL UNIQUE REFERENCES messages(id) DEFERRABLE INITIALLY DEFERRED,
    status          TEXT NOT NULL,
    provider        TEXT NOT NULL,
    model           TEXT NOT NULL,
    usage           TEXT,
    fault           TEXT,
    opened_at       INTEGER NOT NULL,
    closed_at       INTEGER,
    owner           TEXT NOT NULL,
    manifest        TEXT
) STRICT;
CREATE UNIQUE INDEX turns_open ON turns(conversation_id) WHERE status = 'open';
CREATE INDEX turns_conversation ON turns(conversation_id);
CREATE INDEX turns_question ON turns(user_message_id);

-- Streamed text of open replies, appended and never rewritten.
CREATE TABLE partials (
    turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
    seq     INTEGER NOT NULL,
    text    TEXT NOT NULL,
    PRIMARY KEY (turn_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE queue (
    seq             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    text            TEXT NOT NULL
) STRICT;
CREATE INDEX queue_conversation ON queue(conversation_id, seq);

-- Tokens come ready-made from the engine, parted by blanks, so the tokenizer must not look into them: `ascii` takes
-- every character beyond ASCII as part of a token. `scope` holds one token for the conversation and one for its
-- project. The text itself stays in `messages`.
CREATE VIRTUAL TABLE message_index USING fts5(
    body, parts, scope,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_'",
    prefix = '1'
);

CREATE TABLE settings (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    value TEXT NOT NULL
) STRICT;

CREATE TABLE providers (
    name     TEXT PRIMARY KEY NOT NULL,
    kind     TEXT NOT NULL,
    base_url TEXT NOT NULL
) STRICT, WITHOUT ROWID;
