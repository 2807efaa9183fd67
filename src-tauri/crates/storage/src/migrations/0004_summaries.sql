-- Summaries: overlays over stretches of a path, and how each conversation is told. What providers taught about estimates.

ALTER TABLE conversations ADD COLUMN folding TEXT NOT NULL DEFAULT '{}';

-- `provider` names who was asked for it, and is NULL where nobody was: then it costs nothing, and its cost is not counted
-- twice where a version is taken over. `aside` marks what is no summary of a path: a candidate, or one that was discarded.
-- `owner` names the process that makes it.
CREATE TABLE summaries (
    id                  TEXT PRIMARY KEY NOT NULL,
    conversation_id     TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    policy              TEXT NOT NULL,
    level               INTEGER NOT NULL,
    version             INTEGER NOT NULL,
    status              TEXT NOT NULL,
    start               INTEGER NOT NULL,
    count               INTEGER NOT NULL,
    last                TEXT NOT NULL,
    covered_token_count INTEGER NOT NULL,
    turns               TEXT,
    original_chars      INTEGER NOT NULL,
    summary_chars       INTEGER NOT NULL,
    compression_rate    REAL NOT NULL,
    summary             TEXT NOT NULL,
    model               TEXT,
    usage               TEXT,
    cost                INTEGER,
    edited              INTEGER NOT NULL,
    fault               TEXT,
    unfolded_at         INTEGER,
    created_at          INTEGER NOT NULL,
    finished_at         INTEGER,
    provider            TEXT,
    owner               TEXT NOT NULL,
    aside               INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX summaries_in_progress ON summaries(conversation_id) WHERE status = 'IN_PROGRESS';
CREATE UNIQUE INDEX summaries_version ON summaries(conversation_id, policy, level, start, version) WHERE aside = 0;
CREATE INDEX summaries_conversation ON summaries(conversation_id);
CREATE INDEX summaries_cost ON summaries(created_at, cost, provider) WHERE provider IS NOT NULL;

DROP VIEW costs;
CREATE VIEW costs AS
    SELECT opened_at, provider, model, usage, cost FROM turns
    UNION ALL SELECT created_at, provider, model, usage, cost FROM summaries WHERE provider IS NOT NULL
    UNION ALL SELECT opened_at, provider, model, usage, cost FROM purged_costs;

CREATE TABLE calibrations (
    provider TEXT NOT NULL,
    model    TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (provider, model)
) STRICT, WITHOUT ROWID;
