// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <panto/opt/concepts.hpp>

#include <algorithm>
#include <initializer_list>

namespace panto::test {

/// A point in the space of the parameters of any dimension.
inline Parameters point(std::initializer_list<double> values) {
    Parameters x(static_cast<Eigen::Index>(values.size()));
    std::copy(values.begin(), values.end(), x.data());
    return x;
}

}  // namespace panto::test
