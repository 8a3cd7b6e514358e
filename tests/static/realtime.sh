#!/bin/sh
# Every function whose doc comment says @rt must be noexcept, and some test must show that it does not allocate:
#     // @rt-tested: Class::function function ...
# beside a use of allocations_in (tests/support/allocations.hpp). Run with the project's folder as argument; --list prints
# the functions and where they are tested.
set -eu
LC_ALL=C
export LC_ALL
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
list=no
[ "${1:-}" != --list ] || { list=yes; shift; }
cd "${1:-$here/../..}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find include -name '*.hpp' | sort | xargs awk -f "$here/realtime.awk" >"$work/functions"
find tests \( -name '*.cpp' -o -name '*.hpp' \) | sort | xargs awk '
    /@rt-tested:/ { line = $0; sub(/.*@rt-tested:/, "", line); gsub(/[,;.]/, " ", line)
                    n = split(line, names, " "); for (i = 1; i <= n; ++i) print names[i] "\t" FILENAME }' >"$work/tested"

while IFS='	' read -r _ file; do
    grep -q 'allocations_in' "$file" || echo "$file: has @rt-tested but never calls allocations_in"
done <"$work/tested" | sort -u >"$work/problems"
awk -F '\t' -v list="$list" '
    FILENAME ~ /tested$/ { tested[$1] = $2; next }
    $3 == "class" { print $1 ": @rt belongs to a function, not to the class " $2 > problems; next }
    { known[$2] = 1; ++count; where = $2 in tested ? tested[$2] : "NOT TESTED"
      if (list == "yes") print $1 "\t" $2 "\t" $3 "\t" where
      if ($3 != "noexcept") print $1 ": " $2 " is marked @rt and not noexcept" > problems
      if (!($2 in tested)) print $1 ": no test shows that " $2 " does not allocate (// @rt-tested: " $2 ")" > problems }
    END { for (name in tested) if (!(name in known)) print tested[name] ": @rt-tested names " name ", which no header marks @rt" > problems
          print count + 0 " functions are marked @rt" }' problems="$work/more" "$work/tested" "$work/functions"
[ ! -f "$work/more" ] || sort -u "$work/more" >>"$work/problems"
if [ -s "$work/problems" ]; then
    cat "$work/problems"
    echo "$(wc -l <"$work/problems") problem(s) with real-time functions"
    exit 1
fi
