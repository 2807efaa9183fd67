-- The index over project files. All of it can be made again from the files, so a new version replaces the file.

CREATE TABLE files (
    id          INTEGER PRIMARY KEY,
    project_id  TEXT NOT NULL,
    path        TEXT NOT NULL,
    size        INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    UNIQUE (project_id, path)
) STRICT;

CREATE TABLE passages (
    id      INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
    line    INTEGER NOT NULL,
    text    TEXT NOT NULL
) STRICT;
CREATE INDEX passages_file ON passages(file_id);

CREATE VIRTUAL TABLE passage_index USING fts5(
    body, parts, path, scope,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_'",
    prefix = '1'
);
