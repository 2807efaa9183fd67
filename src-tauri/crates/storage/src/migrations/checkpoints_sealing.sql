-- Sealing. There is no row while nothing is sealed. `mark` tells the right key from others; it is NULL where the database
-- was made again without the key.
CREATE TABLE sealing (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    due  INTEGER NOT NULL,
    mark BLOB
) STRICT;

-- What a row says while it is sealed; the columns beside it then hold what may be seen without the key. The path of
-- `written` is then a mask.
ALTER TABLE checkpoints ADD COLUMN sealed BLOB;
ALTER TABLE plans ADD COLUMN sealed BLOB;
ALTER TABLE written ADD COLUMN sealed BLOB;
