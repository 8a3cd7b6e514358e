#!/bin/sh
# Looks at every file of the project for what must not be there. The project's folder is the argument.
set -eu
LC_ALL=C
export LC_ALL
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "${1:-$here/../..}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -e .git ] && command -v git >/dev/null 2>&1 && git ls-files >/dev/null 2>&1; then
    git ls-files -co --exclude-standard
else
    find . \( -path ./build -o -path ./.git \) -prune -o -type f -print | sed 's|^\./||'
fi | sort -u | while read -r file; do [ ! -f "$file" ] || echo "$file"; done >"$work/all"
grep -E '\.(hpp|cpp)$' "$work/all" >"$work/sources" || true
grep -E '^include/.*\.hpp$' "$work/all" >"$work/headers" || true
grep -vE '^include/panto/(io|session|study)[/.]' "$work/headers" >"$work/core" || true
[ -s "$work/headers" ] || { echo "no headers under include/"; exit 1; }

: >"$work/problems"
# refuse <list of files> <pattern> <why>: every line of these files that matches is a problem.
refuse() {
    xargs grep -nHE -e "$2" <"$1" 2>/dev/null | sed "s|\$|    <- $3|" >>"$work/problems" || true
}
# demand <list of files> <pattern> <why>: every file without a matching line is a problem.
demand() {
    xargs grep -LE -e "$2" <"$1" 2>/dev/null | sed "s|\$|: $3|" >>"$work/problems" || true
}

grep -E '\.(hpp|cpp|md|cmake|txt|json|in|sh|awk|cff)$' "$work/all" >"$work/text" || true
refuse "$work/text" '(^|[^A-Za-z0-9_.])/(work|farm|tmp|root|home|Users)/[A-Za-z]' 'an absolute path'
refuse "$work/text" '(TO''DO|FIX''ME|XX''X[^X])' 'an unfinished mark'
demand "$work/sources" '^// SPDX-License-Identifier: BSD-3-Clause$' 'no SPDX line'
demand "$work/headers" '^#pragma once$' 'no #pragma once'
demand "$work/headers" '^/// @file$' 'no @file comment that says what it is'
refuse "$work/headers" '^using namespace' 'using namespace in a header'
refuse "$work/headers" '^ *# *define' 'a macro in a header'
grep -vE '^tests/' "$work/sources" >"$work/shipped" || true
refuse "$work/shipped" 'sys''tem_clock' 'only the steady clock: a system clock may step back'
# Old paths of headers, kept for a release: each leads to a header that is there, and nothing of ours uses it.
xargs grep -lE '^/// Moved: include <' <"$work/headers" >"$work/moved" || true
while read -r header; do
    to=$(sed -n 's|^#include <\(panto/.*\)>$|\1|p' "$header")
    [ -f "include/$to" ] && grep -q "^/// Moved: include <$to>" "$header" || echo "$header: leads nowhere" >>"$work/problems"
done <"$work/moved"
xargs grep -lE '^/// .*removed in the next release' <"$work/headers" >"$work/leaving" || true
[ ! -s "$work/leaving" ] || demand "$work/leaving" '^#pragma GCC warning|\[\[deprecated' 'it is removed in the next release, and neither its path nor a name in it warns'
if [ -s "$work/moved" ]; then
    old=$(sed 's|^include/||; s|\.hpp$||' "$work/moved" | paste -sd'|' -)
    refuse "$work/sources" "^ *# *include *<($old)\\.hpp>" 'an old path; the header itself says the new one'
fi
grep -vE '(_json|json_object|/io)\.hpp$' "$work/headers" | grep -vxF -f "$work/moved" >"$work/without_json" || true
refuse "$work/without_json" '^ *# *include *<(nlohmann|panto/(io|session)/.*json.*\.hpp)' 'JSON where it is not needed'
refuse "$work/core" 'std::(cout|cerr|clog|printf|puts)|[^a-z_:]f?printf *\(|<(iostream|cstdio|print)>' 'the library prints nothing'
refuse "$work/core" '[^:_a-z](std::|\()is(nan|finite|inf)\(' 'panto::is_finite survives -ffast-math, this does not'
grep -E '^tests/unit/' "$work/sources" >"$work/unit" || true
refuse "$work/unit" 'doctest::Approx' 'it adds 1 to the size of what it compares; approx() of tests/support/approx.hpp does not'
refuse "$work/shipped" '(^|[^_[:alnum:]])finite\(' 'that is a function of the C library, panto::is_finite is meant'
grep -E '(^|/)(CMakeLists.txt|CMakePresets.json|.*\.(cmake|in))$' "$work/all" | grep -vE '^(bench|tests)/' >"$work/build" || true
# A preset is no part of the package; the one called native is what its name says.
cp "$work/build" "$work/build_checked"
if [ -f CMakePresets.json ]; then
    sed '/"name": "native", "inherits": "release"/,/"cacheVariables"/s/-march=native//' CMakePresets.json >"$work/presets"
    sed "s|^CMakePresets.json\$|$work/presets|" "$work/build" >"$work/build_checked"
fi
refuse "$work/build_checked" '-(march|mtune|mavx|msse|ffast-math|Ofast)' 'architecture and fast-math flags only in bench/ and the preset native'
if [ -f include/panto/version.hpp ]; then
    version=$(sed -n 's/.*string_view version = "\(.*\)";/\1/p' include/panto/version.hpp)
    parts=$(sed -n 's/.*int version_[a-z]* = \([0-9]*\);/\1/p' include/panto/version.hpp | paste -sd.)
    [ "$version" = "$parts" ] || echo "version.hpp: $version, but in numbers $parts" >>"$work/problems"
    [ ! -f CITATION.cff ] || grep -qx "version: $version" CITATION.cff ||
        echo "CITATION.cff: its version is not $version, that of version.hpp" >>"$work/problems"
fi
while read -r header; do
    lines=$(wc -l <"$header")
    [ "$lines" -le 400 ] || echo "$header: $lines lines; above 400 it is two ideas" >>"$work/problems"
done <"$work/headers"
while read -r file; do
    [ "$(wc -c <"$file")" -le 1048576 ] || echo "$file: above 1 MiB" >>"$work/problems"
done <"$work/all"

if [ -s "$work/problems" ]; then
    cat "$work/problems"
    echo "$(wc -l <"$work/problems") problem(s) in the tree"
    exit 1
fi
echo "$(wc -l <"$work/all") files are as they should be"
