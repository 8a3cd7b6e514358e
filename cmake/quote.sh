#!/bin/sh
# No code is typed into the docs: it is quoted from files that are compiled and run. Before a code block in Markdown,
#     <!-- quote examples/own_hardware.cpp drive -->
# fills the block with what stands between two lines `// [drive]` of that file; without a region, with the whole file
# after its SPDX line.
#     sh cmake/quote.sh update    writes the blocks anew
#     sh cmake/quote.sh check     fails where a block differs from its source
set -eu
cd "$(dirname -- "$0")/.."
mode=${1:-check}
case $mode in update | check) ;; *) sed -n '2,7s/^# \{0,1\}//p' cmake/quote.sh; exit 2 ;; esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find README.md CONTRIBUTING.md docs -name '*.md' 2>/dev/null | sort >"$work/pages"
: >"$work/problems"
while read -r page; do
    awk -v page="$page" -v problems="$work/problems" '
        # Prints the region of a file, moved to the left margin.
        function quote(file, region,    line, n, i, inside, indent, least, mark, status, lines) {
            mark = "^[ \t]*// \\[" region "\\][ \t]*$"
            n = 0
            inside = region == ""
            while ((status = (getline line < file)) > 0) {
                if (region == "" && n == 0 && (line ~ /^\/\/ SPDX/ || line == "")) continue
                if (region != "" && line ~ mark) {
                    if (inside) break
                    inside = 1
                } else if (inside && line !~ /^[ \t]*\/\/ \[[a-z0-9_]+\][ \t]*$/) {
                    lines[++n] = line
                }
            }
            close(file)
            if (status < 0 || n == 0) {
                print page ": nothing to quote for " file " " region > problems
                return
            }
            least = 1000
            for (i = 1; i <= n; ++i)
                if (lines[i] != "") {
                    match(lines[i], /^ */)
                    if (RLENGTH < least) least = RLENGTH
                }
            for (i = 1; i <= n; ++i) print substr(lines[i], least + 1)
        }
        /^<!-- quote .* -->$/ { file = $3; region = $4 == "-->" ? "" : $4; wanted = 1; print; next }
        wanted && /^```/ { print; quote(file, region); wanted = 0; skipping = 1; next }
        wanted && NF { print page ": no code block after the quote of " file > problems; wanted = 0 }
        skipping && !/^```/ { next }
        { skipping = 0; print }
    ' "$page" >"$work/page"
    if ! cmp -s "$page" "$work/page"; then
        if [ "$mode" = update ]; then
            cat "$work/page" >"$page"
            echo "$page: written anew"
        else
            diff -u "$page" "$work/page" >"$work/difference" || true
            cat "$work/difference"
            echo "$page: differs from what it quotes; sh cmake/quote.sh update" >>"$work/problems"
        fi
    fi
done <"$work/pages"
if [ -s "$work/problems" ]; then
    cat "$work/problems"
    exit 1
fi
