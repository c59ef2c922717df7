#!/bin/sh
# sqlite.sh DATABASE FILE...: adds results of `check --format jsonl` to an SQLite database with the tables finding and stream
# (sqlite.sql). A file that is in the database already, under this or another name, is refused: its rows would count twice. So is a
# file with a line that is not a JSON object; nothing of it is added. Needs sqlite3 from version 3.38 on.
set -eu
refuse() {
    echo "sqlite.sh: $1" >&2
    exit 3
}
[ $# -ge 2 ] || refuse "usage: sqlite.sh DATABASE FILE..."
database=$1
shift
here=$(dirname "$(realpath "$0")")
run() { sqlite3 -bail -noheader "$database" "$@" || refuse "$database: sqlite3 failed"; }
quoted() { printf %s "$1" | sed "s/'/''/g"; }
digest() { sha256sum <"$1" | cut -d ' ' -f 1; }

run <"$here/sqlite.sql"
seen=
for file; do
    { [ -f "$file" ] && [ -r "$file" ]; } || refuse "$file cannot be read"
    known=$(run "SELECT EXISTS (SELECT 1 FROM line WHERE results = '$(quoted "$file")')")
    [ "$known" = 0 ] || refuse "$file is in $database already"
    digest=$(digest "$file")
    known=$(run "SELECT results FROM source WHERE digest = '$digest'")
    [ -z "$known" ] || refuse "$file has the same octets as $known, which is in $database already"
    case $seen in
    *"$digest"*) refuse "$file has the same octets as a file before it" ;;
    esac
    seen="$seen $digest"
done
for file; do
    # ASCII mode takes each line as it is, but ignores empty lines, and what follows octet 1.
    wrong=$(LC_ALL=C grep -a -n -m 1 "^\$\|$(printf '\001')" "$file" | cut -d : -f 1)
    [ -z "$wrong" ] || refuse "$file:$wrong: not a JSON object"
    wrong=$(
        run <<END
CREATE TEMP TABLE input(object TEXT);
.mode ascii
.separator \\001 \\n
.import --schema temp "$(printf %s "$file" | sed 's/[\\"]/\\&/g')" input
.mode list
CREATE TEMP TABLE wrong AS SELECT min(rowid) AS line FROM input
    WHERE CASE WHEN json_valid(object) THEN json_type(object) <> 'object' ELSE TRUE END;
BEGIN;
INSERT INTO source(results, digest) SELECT '$(quoted "$file")', '$(digest "$file")' FROM wrong WHERE line IS NULL;
INSERT INTO line(results, object) SELECT '$(quoted "$file")', object FROM input, wrong WHERE line IS NULL;
COMMIT;
SELECT line FROM wrong WHERE line IS NOT NULL;
END
    )
    [ -z "$wrong" ] || refuse "$file:$wrong: not a JSON object"
done
