-- What the person says to hold from then on has a token of its own (`/i`), so the index of messages is made again.
INSERT INTO message_index (message_index) VALUES ('delete-all');
UPDATE indexing SET below = (SELECT coalesce(max(seq), 0) FROM messages);
