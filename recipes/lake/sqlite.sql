-- Tables of results of `check --format jsonl`. Each line is kept as it is, so a query may also use members without a column here:
-- SELECT json_extract(object, '$.expected') FROM line WHERE json_extract(object, '$.type') = 'finding'.
CREATE TABLE IF NOT EXISTS line(results TEXT NOT NULL, object TEXT NOT NULL CHECK (json_valid(object)));

-- The files that were added, each with the SHA-256 of its octets.
CREATE TABLE IF NOT EXISTS source(results TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE);

CREATE VIEW IF NOT EXISTS finding AS SELECT
    results,
    object ->> '$.file' AS file,
    object ->> '$.transport' AS transport,
    object ->> '$.stream' AS stream,
    object ->> '$.frame' AS frame,
    object ->> '$.time' AS time,
    object ->> '$.side' AS side,
    object ->> '$.address' AS address,
    object ->> '$.requirement' AS requirement,
    object ->> '$.severity' AS severity,
    object ->> '$.message' AS message
FROM line WHERE object ->> '$.type' = 'finding';

CREATE VIEW IF NOT EXISTS stream AS SELECT
    results,
    object ->> '$.file' AS file,
    object ->> '$.transport' AS transport,
    object ->> '$.stream' AS stream,
    object ->> '$.verdict' AS verdict
FROM line WHERE object ->> '$.type' = 'stream';
