-- A vector is of a stretch, as recall cuts a message, and no longer of up to a thousand characters. A message whose words take
-- less than a hundred and fifty characters is one stretch as it was one piece; the vectors of the others are made anew.
DELETE FROM vectors WHERE seq IN (SELECT seq FROM messages WHERE LENGTH(parts) > 150);
