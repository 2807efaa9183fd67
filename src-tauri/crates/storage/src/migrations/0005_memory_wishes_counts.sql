-- What the person wants of single sections, exact counts of messages, and memory: versions of its files, what was seen
-- and chosen of each, and lines that belong to no file.

ALTER TABLE conversations ADD COLUMN wishes TEXT NOT NULL DEFAULT '{}';

-- Byte-pair counts by encoding; NULL until they were counted.
ALTER TABLE messages ADD COLUMN tokens_o200k INTEGER;
ALTER TABLE messages ADD COLUMN tokens_cl100k INTEGER;

-- Texts of memory files, compressed, under the BLAKE3 of the bytes they were decoded from. `size` is that of the text.
CREATE TABLE memory_texts (
    hash TEXT PRIMARY KEY NOT NULL,
    size INTEGER NOT NULL,
    text BLOB NOT NULL
) STRICT;

-- `path` is absolute and real; a version is written only when it differs from the one before.
CREATE TABLE memory_versions (
    seq    INTEGER PRIMARY KEY,
    path   TEXT NOT NULL,
    hash   TEXT NOT NULL REFERENCES memory_texts(hash),
    origin TEXT NOT NULL,
    at     INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_versions_path ON memory_versions(path, seq);

-- `seen` is the hash of the text the person agreed to; `choice` how the file takes part.
CREATE TABLE memory_files (
    project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    path       TEXT NOT NULL,
    seen       TEXT,
    choice     TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;

-- Session lines belong to a conversation; runtime lines to a project, or to none. `removed_at` is set by an undoable
-- removal.
CREATE TABLE memory_lines (
    id              TEXT PRIMARY KEY NOT NULL,
    project_id      TEXT REFERENCES projects(id) ON DELETE CASCADE,
    conversation_id TEXT REFERENCES conversations(id) ON DELETE CASCADE,
    kind            TEXT NOT NULL,
    text            TEXT NOT NULL,
    source          TEXT,
    created_at      INTEGER NOT NULL,
    removed_at      INTEGER
) STRICT;
CREATE INDEX memory_lines_project ON memory_lines(project_id) WHERE removed_at IS NULL;
CREATE INDEX memory_lines_conversation ON memory_lines(conversation_id) WHERE removed_at IS NULL;

-- Patterns of files that never enter a request, an index or a checkpoint; one a line, as in `.gitignore`.
ALTER TABLE projects ADD COLUMN exclude TEXT NOT NULL DEFAULT '';
