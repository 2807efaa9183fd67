-- Of which project one is a copy, as JSON: the project, the checkpoint that both began with, and the branch of a worktree.
ALTER TABLE projects ADD COLUMN copy TEXT;
-- Another program asks for the reply to be stopped.
ALTER TABLE turns ADD COLUMN stop_asked INTEGER NOT NULL DEFAULT 0;
