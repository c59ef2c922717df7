#!/bin/sh
# sqlite.sh DATABASE FILE...: adds results of `check --format jsonl` to an SQLite database with the tables finding and stream
# (sqlite.sql). Needs sqlite3 from version 3.38 on.
set -eu
[ $# -ge 2 ] || { echo "sqlite.sh: usage: sqlite.sh DATABASE FILE..." >&2; exit 3; }
database=$1
shift
here=$(dirname "$(realpath "$0")")
sqlite3 -bail "$database" <"$here/sqlite.sql"
for file in "$@"; do
    # ASCII mode takes each line as it is: JSON contains no octet 1.
    sqlite3 -bail "$database" <<END
CREATE TEMP TABLE input(object TEXT);
.mode ascii
.separator \\001 \\n
.import --schema temp "$(printf %s "$file" | sed 's/[\\"]/\\&/g')" input
INSERT INTO line(results, object) SELECT '$(printf %s "$file" | sed "s/'/''/g")', object FROM input;
END
done
