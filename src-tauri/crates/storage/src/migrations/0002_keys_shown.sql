-- Where the key of a provider's account (its name and origin) is kept, and its last four characters. Never a key.

CREATE TABLE keys_shown (
    account   TEXT PRIMARY KEY NOT NULL,
    place     TEXT NOT NULL,
    last_four TEXT NOT NULL
) STRICT, WITHOUT ROWID;
