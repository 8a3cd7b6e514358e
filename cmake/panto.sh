#!/bin/sh
# From a checkout to a result in one command:
#     sh cmake/panto.sh run [arguments of panto_run]    build and do the main job; says where its report is
#     sh cmake/panto.sh test [--all | --long]           build and run the unit tests of every room
#                                                       (--all: also verification, programs, examples and packages;
#                                                       --long: the hours-long tests as well)
# Installs what is missing where that is apt-get's business and rights allow it; prints exactly what to install elsewhere.
# PANTO_PRESET chooses another preset of CMakePresets.json than `release`.
set -eu
from=$(pwd)
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"
preset=${PANTO_PRESET:-release}
build=build/$preset

usage() {
    sed -n '2,8s/^# \{0,1\}//p' "$top/cmake/panto.sh"
    exit 2
}

job=${1:-}
[ $# -eq 0 ] || shift
case $job in
    run)
        debian='g++ cmake ninja-build libeigen3-dev nlohmann-json3-dev libcli11-dev gnuplot-nox'
        fedora='gcc-c++ cmake ninja-build eigen3-devel json-devel cli11-devel gnuplot'
        arch='gcc cmake ninja eigen nlohmann-json cli11 gnuplot'
        brew='cmake ninja eigen nlohmann-json cli11 gnuplot'
        ;;
    test)
        debian='g++ cmake ninja-build libeigen3-dev nlohmann-json3-dev libcli11-dev gnuplot-nox doctest-dev catch2'
        fedora='gcc-c++ cmake ninja-build eigen3-devel json-devel cli11-devel gnuplot doctest-devel catch-devel'
        arch='gcc cmake ninja eigen nlohmann-json cli11 gnuplot doctest catch2'
        brew='cmake ninja eigen nlohmann-json cli11 gnuplot doctest catch2'
        ;;
    *) usage ;;
esac

# What to install, by the system's package manager; then the end.
explain() {
    echo "panto: $1" >&2
    {
        echo "Install these (as root, or with sudo) and run the same command again:"
        if command -v apt-get >/dev/null 2>&1; then
            echo "    apt-get update && apt-get install --no-install-recommends ${missing:-$debian}"
        elif command -v dnf >/dev/null 2>&1; then
            echo "    dnf install $fedora"
        elif command -v pacman >/dev/null 2>&1; then
            echo "    pacman -S --needed $arch"
        elif command -v brew >/dev/null 2>&1; then
            echo "    brew install $brew"
        else
            echo "    (names as in Debian 12) $debian"
        fi
        echo "that is: a C++20 compiler (GCC 12 or Clang 14, or newer), CMake 3.21, Eigen 3.4, nlohmann_json, CLI11, gnuplot;"
        echo "ninja is optional; the tests also need doctest and Catch2. Only Debian 12 is tried regularly."
    } >&2
    exit 3
}

# The packages of the list that dpkg does not know as installed.
not_installed() {
    for package in "$@"; do
        case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) in
            *' installed') ;;
            *) printf '%s ' "$package" ;;
        esac
    done
}

# Reports can be zoomed where it is installed; without it gnuplot draws them. Its absence is no error.
optional=libjs-dygraphs

missing=''
if command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1; then
    # shellcheck disable=SC2086  # a list of words
    missing=$(not_installed $debian)
    missing=${missing% }
    if [ -n "$missing" ]; then
        if [ "$(id -u)" -eq 0 ]; then
            as_root=''
        elif command -v sudo >/dev/null 2>&1; then
            as_root=sudo
            [ -t 0 ] || as_root='sudo -n'
            $as_root true 2>/dev/null || explain 'some packages are missing and sudo refuses to install them.'
        else
            explain 'some packages are missing, and installing needs root or sudo.'
        fi
        echo "panto: installing $missing"
        log=$(mktemp)
        # shellcheck disable=SC2086
        if ! { $as_root env DEBIAN_FRONTEND=noninteractive apt-get update &&
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
            >"$log" 2>&1 </dev/null; then
            tail -n 20 "$log" >&2
            rm -f "$log"
            explain 'apt-get could not install everything.'
        fi
        [ -z "$(not_installed $optional)" ] ||
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $optional >"$log" 2>&1 \
                </dev/null || echo "panto: $optional could not be installed: reports will have plain pictures"
        rm -f "$log"
    fi
else
    for tool in cmake gnuplot; do
        command -v $tool >/dev/null 2>&1 || explain "$tool is missing."
    done
fi

# One compiler process per core, and per 1.5 GB of memory: Eigen is hungry.
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
if [ -r /proc/meminfo ]; then
    room=$(awk '/^MemAvailable:/ { n = int($2 / 1500000); print (n < 1 ? 1 : n) }' /proc/meminfo)
    if [ -n "$room" ] && [ "$room" -lt "$cores" ]; then cores=$room; fi
fi

# A build folder that came along from elsewhere is of no use.
if [ -f "$build/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$top" "$build/CMakeCache.txt"; then
    rm -rf "${build:?}"
fi

# configure <options...>: quietly; on failure the whole output and what may be missing.
configure() {
    if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja >/dev/null 2>&1; then set -- -G Ninja "$@"; fi
    mkdir -p build
    if ! cmake --preset "$preset" "$@" >"build/configure_$preset.log" 2>&1; then
        cat "build/configure_$preset.log" >&2
        rm -rf "${build:?}/CMakeCache.txt"
        explain 'configuring failed.'
    fi
}

if [ "$job" = run ]; then
    # Whatever else a developer may have configured here stays; a first visitor needs no test framework.
    [ -f "$build/CMakeCache.txt" ] || configure -DPANTO_BUILD_TESTS=OFF -DPANTO_BUILD_BENCH=OFF
    echo "panto: building (the first time takes a few minutes)"
    cmake --build "$build" --target panto_run -j "$cores"
    program=$top/$build/bin/panto_run
    cd "$from"  # paths among the arguments are the caller's
    exec "$program" "$@"
fi

which=${1:-}
[ $# -le 1 ] || usage
case $which in
    '' | --all | --long) ;;
    *) usage ;;
esac
configure -DPANTO_BUILD_TESTS=ON -DPANTO_BUILD_EXAMPLES=ON
echo "panto: building the tests (the first time takes several minutes)"
set -- --test-dir "$build" --output-on-failure --no-tests=error -j "$cores"
case $which in
    '') target=unit_programs && set -- "$@" -L '^(unit|static)$' ;;
    --all) target=all && set -- "$@" -LE long ;;
    --long) target=all ;;
esac
cmake --build "$build" --target $target -j "$cores"
exec ctest "$@"
