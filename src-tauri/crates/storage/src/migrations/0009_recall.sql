-- One index over everything a person may have meant.

-- Vectors of what was said, by who made them. A row without a vector says that the message has nothing to make one of.
-- They hang on their conversation, as its messages do, and stand beside each other by it, because they are scanned.
CREATE TABLE embedders (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE,
    tokens INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE vectors (
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    embedder        INTEGER NOT NULL REFERENCES embedders(number),
    seq             INTEGER NOT NULL,
    piece           INTEGER NOT NULL,
    vector          BLOB,
    PRIMARY KEY (conversation_id, embedder, seq, piece)
) STRICT, WITHOUT ROWID;
CREATE INDEX vectors_embedder ON vectors(embedder);

-- The index of messages, made anew without positions and without prefixes: whether words stand together is read in the
-- text. Tokens come ready-made, as before. Those that begin with a slash, which no word does, are the conversation (`/c`),
-- its project (`/p`) and who speaks (`/s`, `/u`, `/a`, `/t`).
DROP TABLE message_index;
CREATE VIRTUAL TABLE message_index USING fts5(
    tokens,
    content = '', contentless_delete = 1, detail = none,
    tokenize = "ascii tokenchars '_/'"
);

-- How far the indices are made: messages up to `below` are not in theirs yet, and no note is while `notes` is 0.
CREATE TABLE indexing (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    below INTEGER NOT NULL,
    notes INTEGER NOT NULL
) STRICT;
INSERT INTO indexing (id, below, notes) SELECT 1, coalesce(max(seq), 0), 0 FROM messages;

-- What is found beside messages: summaries, decisions and lines of memory, by their own ids. A decision has its words
-- here, because it is a part of its session; the others have theirs in their own rows. All go with what they are of.
CREATE TABLE notes (
    seq             INTEGER PRIMARY KEY,
    kind            TEXT NOT NULL,
    id              TEXT NOT NULL,
    project_id      TEXT,
    conversation_id TEXT,
    message_id      TEXT,
    at              INTEGER,
    text            TEXT
) STRICT;
CREATE UNIQUE INDEX notes_id ON notes(kind, id, coalesce(project_id, ''));

CREATE VIRTUAL TABLE note_index USING fts5(
    tokens,
    content = '', contentless_delete = 1, detail = none,
    tokenize = "ascii tokenchars '_/'"
);
CREATE TRIGGER notes_gone AFTER DELETE ON notes BEGIN
    DELETE FROM note_index WHERE rowid = old.seq;
END;
CREATE TRIGGER summaries_gone AFTER DELETE ON summaries BEGIN
    DELETE FROM notes WHERE kind = 'summary' AND id = old.id;
END;
CREATE TRIGGER memory_lines_gone AFTER DELETE ON memory_lines BEGIN
    DELETE FROM notes WHERE kind = 'memory' AND id = old.id;
END;
CREATE TRIGGER sessions_gone AFTER DELETE ON sessions BEGIN
    DELETE FROM notes WHERE kind = 'decision' AND project_id = old.project_id;
END;
