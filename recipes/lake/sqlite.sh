#!/bin/sh
# sqlite.sh DATABASE FILE...: adds results of `check --format jsonl` to an SQLite database with the tables finding and stream
# (sqlite.sql). A file whose name is in the database already is refused: its rows would count twice. Needs sqlite3 from version 3.38
# on.
set -eu
[ $# -ge 2 ] || { echo "sqlite.sh: usage: sqlite.sh DATABASE FILE..." >&2; exit 3; }
database=$1
shift
here=$(dirname "$(realpath "$0")")
sqlite3 -bail "$database" <"$here/sqlite.sql"
quoted() { printf %s "$1" | sed "s/'/''/g"; }
for file; do
    [ -r "$file" ] || { echo "sqlite.sh: $file cannot be read" >&2; exit 3; }
    [ "$(sqlite3 -bail "$database" "SELECT EXISTS (SELECT 1 FROM line WHERE results = '$(quoted "$file")')")" = 0 ] ||
        { echo "sqlite.sh: $file is in $database already" >&2; exit 3; }
done
for file; do
    # ASCII mode takes each line as it is: JSON contains no octet 1.
    sqlite3 -bail "$database" <<END
CREATE TEMP TABLE input(object TEXT);
.mode ascii
.separator \\001 \\n
.import --schema temp "$(printf %s "$file" | sed 's/[\\"]/\\&/g')" input
INSERT INTO line(results, object) SELECT '$(quoted "$file")', object FROM input;
END
done
