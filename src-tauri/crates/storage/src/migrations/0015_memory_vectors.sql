-- Vectors of the lines of memory that a search may find, by the hash of what a line says without its secrets. They are of
-- a project, or of the person's own memory where there is none.
CREATE TABLE memory_vectors (
    embedder   INTEGER NOT NULL REFERENCES embedders(number),
    project_id TEXT REFERENCES projects(id) ON DELETE CASCADE,
    line       TEXT NOT NULL,
    vector     BLOB NOT NULL
) STRICT;
CREATE INDEX memory_vectors_project ON memory_vectors(project_id, embedder, line);
