-- What an agent said last that it offers beside its models, as JSON: in a project, or where there was none.
CREATE TABLE agent_offers (
    agent TEXT NOT NULL REFERENCES providers (name) ON DELETE CASCADE,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    told TEXT NOT NULL
) STRICT;
CREATE INDEX agent_offers_of ON agent_offers (agent);
