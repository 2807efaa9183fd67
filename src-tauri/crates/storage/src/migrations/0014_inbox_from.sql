-- A line that is to be remembered may come from an agent outside, which has no conversation here: who proposes it is kept
-- then.

CREATE TABLE inbox_from (
    id               TEXT PRIMARY KEY NOT NULL,
    project_id       TEXT REFERENCES projects(id) ON DELETE CASCADE,
    conversation_id  TEXT REFERENCES conversations(id) ON DELETE CASCADE,
    message_id       TEXT,
    text             TEXT NOT NULL,
    why              TEXT NOT NULL,
    for_all_projects INTEGER NOT NULL,
    at               INTEGER NOT NULL,
    sender           TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO inbox_from SELECT id, project_id, conversation_id, message_id, text, why, for_all_projects, at, NULL FROM inbox;
DROP TABLE inbox;
ALTER TABLE inbox_from RENAME TO inbox;
CREATE INDEX inbox_project ON inbox(project_id, at);
CREATE INDEX inbox_conversation ON inbox(conversation_id);
