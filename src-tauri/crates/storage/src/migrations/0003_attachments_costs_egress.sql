-- Pictures and files of messages, how a conversation's model is asked, what replies cost, and what left this computer.

ALTER TABLE conversations ADD COLUMN tuning TEXT NOT NULL DEFAULT '{}';
ALTER TABLE conversations ADD COLUMN draft_attachments TEXT NOT NULL DEFAULT '[]';
ALTER TABLE queue ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]';
ALTER TABLE projects ADD COLUMN this_computer_only INTEGER NOT NULL DEFAULT 0;

-- Billionths of a US dollar, by the price of the day.
ALTER TABLE turns ADD COLUMN cost INTEGER;
CREATE INDEX turns_cost ON turns(opened_at, cost);

-- What replies of conversations cost that were deleted for ever: the money stays spent.
CREATE TABLE purged_costs (
    opened_at INTEGER NOT NULL,
    provider  TEXT NOT NULL,
    model     TEXT NOT NULL,
    usage     TEXT,
    cost      INTEGER
) STRICT;
CREATE INDEX purged_costs_cost ON purged_costs(opened_at, cost);
CREATE VIEW costs AS
    SELECT opened_at, provider, model, usage, cost FROM turns
    UNION ALL SELECT opened_at, provider, model, usage, cost FROM purged_costs;

-- Up to where the person let a month go on, in millionths of a US dollar.
CREATE TABLE allowances (
    month  TEXT PRIMARY KEY NOT NULL,
    amount INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The recorded conversation of the sample project, by language.
CREATE TABLE samples (
    language        TEXT PRIMARY KEY NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Which conversations keep which bytes; what none keeps goes.
CREATE TABLE attachments (
    conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    hash            TEXT NOT NULL REFERENCES blobs(hash),
    PRIMARY KEY (conversation_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_hash ON attachments(hash);

-- One row a request, written before its first byte leaves. `body` is compressed with zstd, and NULL for a request
-- without one and after newer bodies took its room. `headers` has the name of a key's place in the place of a key. A
-- number is never used twice, so that a late answer finds its own request.
CREATE TABLE egress (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    turn_id  TEXT REFERENCES turns(id) ON DELETE SET NULL,
    provider TEXT NOT NULL,
    method   TEXT NOT NULL,
    url      TEXT NOT NULL,
    home     INTEGER NOT NULL,
    headers  TEXT NOT NULL,
    size     INTEGER NOT NULL,
    hash     TEXT NOT NULL,
    body     BLOB,
    answer   TEXT
) STRICT;
CREATE INDEX egress_turn ON egress(turn_id);
CREATE INDEX egress_away ON egress(seq) WHERE home = 0;
CREATE INDEX egress_kept ON egress(seq, length(body)) WHERE body IS NOT NULL;
