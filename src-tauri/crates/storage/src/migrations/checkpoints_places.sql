-- A pack says itself how far rows name its records, so that no index over objects by their pack is needed: it weighed as
-- much as the objects' own rows. `lost` is a checkpoint whose folder of packs is gone.
ALTER TABLE packs ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
UPDATE packs SET ends = COALESCE((SELECT MAX(offset + stored) FROM objects WHERE pack = packs.id), 0);
DROP INDEX objects_pack;
ALTER TABLE checkpoints ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
