-- What was said in sessions, findable by its words: each thing that was said with as much of its text as is shown, without
-- secrets, and compressed with zstd where that is shorter. `entry` is its place in the session, `mark` tells whether the
-- text is still the same.
CREATE TABLE said (
    id    INTEGER PRIMARY KEY,
    file  INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    entry INTEGER NOT NULL,
    role  TEXT NOT NULL,
    at    INTEGER,
    mark  BLOB NOT NULL,
    text  BLOB NOT NULL,
    UNIQUE (file, entry)
) STRICT;

-- Tokens come ready-made, without positions, as in the index of messages.
CREATE VIRTUAL TABLE said_index USING fts5(
    tokens,
    content = '', contentless_delete = 1, detail = none,
    tokenize = "ascii tokenchars '_/'"
);
CREATE TRIGGER said_gone AFTER DELETE ON said BEGIN
    DELETE FROM said_index WHERE rowid = old.id;
END;
