-- The same tables for DuckDB. It reads the files themselves: SET VARIABLE results = 'results/**/*.jsonl' before.
CREATE VIEW line AS SELECT filename AS results, json AS object FROM
    read_ndjson_objects(getvariable('results'), filename = true);

-- The same results under two names would count twice: this is an error that names them. Reads each file once.
SELECT error('the same results twice: ' || string_agg(results, ' and ' ORDER BY results)) FROM
    (SELECT results, count(*) AS lines, sum(hash(object)) AS sum FROM line GROUP BY results)
    GROUP BY lines, sum HAVING count(*) > 1;

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
