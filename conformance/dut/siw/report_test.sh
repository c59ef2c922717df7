#!/bin/bash
# report_test.sh [REPORT]: every case with a verdict "fail" in expected or expected-bookworm-backports belongs to a group of the
# report, by default docs/reports/siw/README.md: its last table names the case, or its reason begins with "RFC 5040 4.8", which
# is group 9. Every case that the table names is in one of these files. It does not judge whether the group is the right one.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
report=${1:-$here/../../../docs/reports/siw/README.md}
files=("$here/expected" "$here/expected-bookworm-backports")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "| 7 | rdma-invalidate-013 to -015, -020, rdma-send-024 |" names five cases, one a line below.
sed -n '/^## The cases of each group/,$p' "$report" | sed -nE 's/^\| [0-9]+ \| (.*) \|$/\1/p' | tr ',' '\n' | awk '
    function name(word) { match(word, /-[0-9]+$/); if (RSTART > 1) family = substr(word, 1, RSTART - 1)
                          return substr(word, RSTART + 1) + 0 }
    { first = name($1); last = $2 == "to" ? name($3) : first
      for (n = first; n <= last; n++) printf "%s-%03d\n", family, n }' | sort -u >"$work/named"
awk '!/^#/ && NF { print $1 }' "${files[@]}" | sort -u >"$work/known"
grep -hE '^[^# ]+ verdict=([a-z_]+\|)*fail[ |]' "${files[@]}" | grep -v ' reason="RFC 5040 4\.8' | cut -d' ' -f1 | sort -u >"$work/failed"

[ -s "$work/named" ] || { echo "$report: no table of cases"; exit 1; }
[ -s "$work/failed" ] || { echo "no failed case in ${files[*]##*/}"; exit 1; }
missing=$(comm -13 "$work/named" "$work/failed" | tr '\n' ' ')
unknown=$(comm -23 "$work/named" "$work/known" | tr '\n' ' ')
[ -z "$missing" ] || echo "$report: failed, but in no group: $missing"
[ -z "$unknown" ] || echo "$report: not in ${files[*]##*/}: $unknown"
echo "$(wc -l <"$work/failed") failed cases outside group 9, $(wc -l <"$work/named") cases in the table"
[ -z "$missing$unknown" ]
