-- Which summary begins where another one ends, and what was made or not made beyond a place: what holds of a conversation is
-- found without going through all that was ever made of it.

CREATE INDEX summaries_start ON summaries(conversation_id, start, finished_at, id) WHERE aside = 0 AND status = 'COMPLETED';
CREATE INDEX summaries_end ON summaries(conversation_id, status, start + count) WHERE aside = 0;
