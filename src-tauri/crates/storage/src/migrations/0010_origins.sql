-- Messages of a session's window say which conversation they are of from now on, so that they go with it. What stands there
-- without that may be of conversations that were deleted, and is told to nobody again.

UPDATE sessions SET context = json_set(
    context, '$.conversation.running_summary', '', '$.conversation.recent_window', json('[]'));
UPDATE session_told SET sections = '[]';
