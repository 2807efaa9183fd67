-- Of a server that is a program: the files that the person agreed to, with their hashes, by the folder it starts in.

ALTER TABLE mcp_servers ADD COLUMN agreed TEXT NOT NULL DEFAULT '{}';
