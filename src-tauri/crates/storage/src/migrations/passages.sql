-- The index over project files and memory files. All of it can be made again from the files, so a new version replaces
-- the file.

-- `project_id` is empty for memory that is the person's own. A memory file may be indexed as a file of its project too.
CREATE TABLE files (
    id          INTEGER PRIMARY KEY,
    project_id  TEXT NOT NULL,
    path        TEXT NOT NULL,
    memory      INTEGER NOT NULL,
    size        INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    UNIQUE (project_id, memory, path)
) STRICT;

CREATE TABLE passages (
    id      INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    line    INTEGER NOT NULL,
    text    TEXT NOT NULL
) STRICT;
CREATE INDEX passages_file ON passages(file_id);

-- Tokens as in the index of messages; `/f` and `/m` tell files from memory.
CREATE VIRTUAL TABLE passage_index USING fts5(
    tokens,
    content = '', contentless_delete = 1, detail = none,
    tokenize = "ascii tokenchars '_/'"
);
CREATE TRIGGER passages_gone AFTER DELETE ON passages BEGIN
    DELETE FROM passage_index WHERE rowid = old.id;
END;
