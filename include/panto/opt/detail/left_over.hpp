// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a search by Levenberg and Marquardt finds out, and says, before it gives up where J promises a fall.

#pragma once

#include <panto/opt/detail/norm.hpp>
#include <panto/opt/detail/outlook.hpp>
#include <panto/opt/detail/squared_residuals.hpp>

#include <cmath>
#include <exception>
#include <string>
#include <vector>

namespace panto::opt::detail {

/// Where J loses rank at a minimum that is not 0, r is not orthogonal to the nearly null directions, and only the
/// curvature shows that r'r is stationary.
template <class = void>
bool level(const Residuals& f, const Bounds& box, const Parameters& size, Minimum& best) {
    const SquaredResiduals<> squares(f, box, size);
    const Outlook ahead = outlook(Function(squares), box, Parameters(1e-4 * size), size, best);
    return ahead.known && ahead.gain <= negligible * best.value;
}

/// Whether r changes as J says if the free parameters move downhill by a millionth of their sizes.
template <class = void>
bool confirmed(const Residuals& f, const Bounds& box, const Parameters& size, const std::vector<Eigen::Index>& free,
               const Parameters& r, const Matrix<double, Dynamic>& J, Minimum& best) {
    Parameters x = best.x, there;
    for (const Eigen::Index k : free) x[k] = box.project(k, x[k] - std::copysign(1e-6 * size[k], J.col(k).dot(r)));
    ++best.checks;
    try {
        if (!usable(f.residuals(x, there)) || there.size() != r.size()) return false;
    } catch (const std::exception&) {
        return false;
    }
    const Parameters promised = J * (x - best.x);
    return norm_of(there - r - promised) <= 1e-3 * norm_of(promised);
}

/// Why the search ends; `share` is the part of r'r that J promises to remove.
inline std::string left_over(double share, bool right) {
    const std::string text = "the steps vanish, though the derivatives predict " + shown(100.0 * share) + " % less: ";
    return text + (right
                       ? "they agree with values nearby, but only hold for very short steps; a parameter may have run "
                         "away, or act on a far smaller length than its size"
                       : "they may be wrong, or the residuals have kinks or noise");
}

}  // namespace panto::opt::detail
