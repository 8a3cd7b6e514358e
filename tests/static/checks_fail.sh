#!/bin/sh
# The checks of this folder must be able to fail: each is shown a small tree with one fault and must name it.
# Arguments: the program cmake.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cmake=${1:-cmake}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# A tree with one faultless header, one real-time function and its test.
fresh() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/include/panto/core" "$work/tree/include/panto/rig" "$work/tree/tests"
    cat >"$work/tree/include/panto/core/good.hpp" <<'END'
// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Nothing wrong here.

#pragma once

namespace panto {

template <class T>
    requires(sizeof(T) > 1) && requires(T t) { t.go(); }
class Good {
  public:
    /// Goes on. @rt
    template <class U = int>
    void go(const U& u = U{}) noexcept(sizeof(U) > 0) {
        if (u) { (void)u; }
    }
    /// May throw, and says so.
    void build();
};

/// @rt
[[nodiscard]] constexpr bool fine(double) noexcept { return true; }

}  // namespace panto
END
    cat >"$work/tree/tests/good_test.cpp" <<'END'
// SPDX-License-Identifier: BSD-3-Clause
// @rt-tested: Good::go fine
void f() { allocations_in(1); }
END
}

# expect <words or nothing> <command...>: the command fails and says the words, or succeeds if there are none.
expect() {
    words=$1
    shift
    if "$@" >"$work/said" 2>&1; then code=0; else code=$?; fi
    if [ -z "$words" ]; then
        [ "$code" -eq 0 ] || { echo "refused a faultless tree:"; cat "$work/said"; failures=$((failures + 1)); }
    elif [ "$code" -eq 0 ] || ! grep -q -e "$words" "$work/said"; then
        echo "did not complain about: $words"
        cat "$work/said"
        failures=$((failures + 1))
    fi
}
tree() { sh "$here/tree.sh" "$work/tree"; }
realtime() { sh "$here/realtime.sh" "$work/tree"; }
layers() { "$cmake" -DINCLUDE="$work/tree/include" -P "$here/layers.cmake"; }
header=$work/tree/include/panto/core/good.hpp
test=$work/tree/tests/good_test.cpp

fresh; expect '' tree
expect '' realtime
expect '' layers

fresh; sed 1d "$header" >"$work/x"; cp "$work/x" "$header"; expect 'no SPDX' tree
fresh; echo "// TO""DO" >>"$header"; expect 'unfinished' tree
fresh; echo "// /ho""me/someone" >>"$header"; expect 'absolute path' tree
fresh; echo "std::chrono::sys""tem_clock::now();" >>"$header"; expect 'steady clock' tree
fresh; echo '#include <iostream>' >>"$header"; expect 'prints nothing' tree
fresh; echo '#include <panto/io/section_json.hpp>' >>"$header"; expect 'JSON where it is not needed' tree
fresh; echo 'bool bad = std::isnan(x);' >>"$header"; expect 'ffast-math' tree
fresh; echo 'bool bad = finite(x);' >>"$header"; expect 'is_finite is meant' tree
fresh; mkdir "$work/tree/tests/unit"; echo 'CHECK(x == doctest::Approx(1.0));' >"$work/tree/tests/unit/a_test.cpp"
expect 'adds 1 to the size' tree
fresh; echo 'set(CMAKE_CXX_FLAGS -march=native)' >"$work/tree/CMakeLists.txt"; expect 'only in bench' tree
fresh; i=0; while [ $i -lt 400 ]; do echo '// line'; i=$((i + 1)); done >>"$header"; expect 'two ideas' tree

moved() { sed 's/^\/\/\/ Nothing wrong here\./\/\/\/ Moved: include <panto\/core\/'"$1"'.hpp>./; /^namespace panto/,$d' "$header" >"$work/x"
    echo "#include <panto/core/$1.hpp>" >>"$work/x"; cp "$work/x" "$work/tree/include/panto/rig/old.hpp"; }
fresh; moved good; expect '' tree
fresh; moved better; expect 'leads nowhere' tree
fresh; echo '/// This header is removed in the next release.' >>"$header"; expect 'neither its path nor a name in it warns' tree
fresh; moved good; echo '#include <panto/rig/old.hpp>' >>"$test"; expect 'an old path' tree

fresh; sed 's/_minor = 1/_minor = 2/' "$here/../../include/panto/version.hpp" >"$work/tree/include/panto/version.hpp"
expect 'but in numbers' tree

fresh; sed 's/(double) noexcept/(double)/' "$header" >"$work/x"; cp "$work/x" "$header"
expect 'fine is marked @rt and not noexcept' realtime
fresh; sed 's/noexcept(sizeof(U) > 0)//' "$header" >"$work/x"; cp "$work/x" "$header"
expect 'Good::go is marked @rt and not noexcept' realtime
fresh; sed 's/ fine$//' "$test" >"$work/x"; cp "$work/x" "$test"; expect 'no test shows that fine' realtime
fresh; sed 's/Good::go/go/' "$test" >"$work/x"; cp "$work/x" "$test"; expect 'no test shows that Good::go' realtime
expect 'names go, which no header marks' realtime
fresh; sed '/allocations_in/d' "$test" >"$work/x"; cp "$work/x" "$test"; expect 'never calls allocations_in' realtime

fresh; echo '#include <panto/rig/cycle.hpp>' >>"$header"; expect "must not include from 'rig'" layers
fresh; echo '#include <panto/io/file.hpp>' >>"$header"; expect "must not include from 'io'" layers
fresh; mkdir "$work/tree/include/panto/io"; echo '#include <panto/session/session.hpp>' >"$work/tree/include/panto/io/a.hpp"
expect "must not include from 'session'" layers
fresh; echo '#include <panto/panto.hpp>' >>"$header"; expect 'umbrella' layers
fresh; mkdir "$work/tree/include/panto/utils"; echo >"$work/tree/include/panto/utils/a.hpp"; expect 'has no layer' layers

# A compiler that takes as many megabytes for every unit, so that a header is 100 % of Eigen/Dense.
cat >"$work/compiler" <<'END'
#!/bin/sh
printf '\nTotal  200M  100M  23k\n'
END
chmod +x "$work/compiler"
budget() {
    "$cmake" -DCOMPILER="$work/compiler" -DFLAGS=-x -DLIMITS="$work/limits" -DINCLUDE="$work/tree/include" -DWORK="$work" \
        -P "$here/budget.cmake"
}
fresh; echo '#include <panto/core/good.hpp>' >"$work/tree/include/panto/core.hpp"
echo 'panto/core.hpp 100' >"$work/limits"; expect '' budget
echo 'panto/core.hpp 99' >"$work/limits"; expect 'takes 100 % of what' budget
echo '# nothing' >"$work/limits"; expect 'panto/core.hpp has no limit' budget
echo >"$work/tree/include/panto/core/other.hpp"
echo 'panto/core.hpp 100' >"$work/limits"; expect 'no limit covers panto/core/other.hpp' budget
echo 'panto/core/all 100' >>"$work/limits"; expect '' budget

[ "$failures" -eq 0 ] && echo "every check can fail"
