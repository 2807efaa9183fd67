-- What was said is recalled by the folder its session worked in, which each row of the index has as a token, and by its words
-- alone, which are the first bytes of its text. Sessions are found by their own id. All of it comes when they are understood
-- again.
ALTER TABLE said ADD COLUMN words INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN session TEXT;
CREATE INDEX facts_of_session ON facts(session);
