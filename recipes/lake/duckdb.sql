-- The same tables for DuckDB. It reads the files themselves: SET VARIABLE results = 'results/**/*.jsonl' before.
CREATE VIEW line AS SELECT filename AS results, json AS object FROM
    read_ndjson_objects(getvariable('results'), filename = true);

CREATE VIEW finding AS SELECT
    results,
    object ->> '$.file' AS file,
    object ->> '$.transport' AS transport,
    CAST(object ->> '$.stream' AS UBIGINT) AS stream,
    CAST(object ->> '$.frame' AS UBIGINT) AS frame,
    object ->> '$.time' AS time,
    object ->> '$.side' AS side,
    object ->> '$.address' AS address,
    object ->> '$.requirement' AS requirement,
    object ->> '$.severity' AS severity,
    object ->> '$.message' AS message
FROM line WHERE (object ->> '$.type') = 'finding';

CREATE VIEW stream AS SELECT
    results,
    object ->> '$.file' AS file,
    object ->> '$.transport' AS transport,
    CAST(object ->> '$.stream' AS UBIGINT) AS stream,
    object ->> '$.verdict' AS verdict
FROM line WHERE (object ->> '$.type') = 'stream';
