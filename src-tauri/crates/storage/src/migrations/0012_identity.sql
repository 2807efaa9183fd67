-- Which folder a project is, as the system tells it from every other one at the same path.

ALTER TABLE projects ADD COLUMN identity TEXT;
