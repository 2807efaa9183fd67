-- What folds kept, and the receipts of their lines: JSON of the engine's Receipt.

ALTER TABLE summaries ADD COLUMN receipt TEXT NOT NULL DEFAULT '{}';
