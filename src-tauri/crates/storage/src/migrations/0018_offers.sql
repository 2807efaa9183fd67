-- What an agent said last that it offers beside its models, as JSON.
ALTER TABLE providers ADD COLUMN offers TEXT;
