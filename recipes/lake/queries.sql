-- Queries of results, for SQLite and DuckDB.

-- Which requirements are violated, how often, and in how many connections?
SELECT requirement, severity, count(*) AS findings, count(DISTINCT results || ' ' || file || ' ' || transport || ' ' || stream) AS streams
FROM finding GROUP BY requirement, severity ORDER BY findings DESC, requirement;

-- Which devices violate most requirements? The address without its port.
SELECT rtrim(rtrim(address, '0123456789'), ':') AS device, count(DISTINCT requirement) AS requirements, count(*) AS findings
FROM finding GROUP BY device ORDER BY requirements DESC, findings DESC, device;

-- How many connections conform, violate, or are not fully judged?
SELECT transport, verdict, count(*) AS streams FROM stream GROUP BY transport, verdict ORDER BY transport, verdict;

-- When did each violation begin? Its first frame.
SELECT requirement, min(time) AS first, count(*) AS findings FROM finding WHERE severity = 'error'
GROUP BY requirement ORDER BY first, requirement;
