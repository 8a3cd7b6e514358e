// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Linear complementarity problem with a symmetric positive definite matrix:
///
///     w = M f + q >= 0,   f >= 0,   w' f = 0
///
/// It has exactly one solution. Block principal pivoting finds it, usually in two passes; if a few passes make no
/// progress, single pivots by the largest index follow, which cannot cycle [Judice, Pires 1994; Murty 1974].

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/real.hpp>
#include <panto/core/status.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace panto::opt {

/// Workspace for problems of up to `capacity` unknowns. Made for many unknowns of which few are positive. If M is a
/// band of `reach` diagonals on either side, the workspace grows with capacity times reach, and so does the time.
template <Real Scalar = double>
class Lcp {
  public:
    Lcp() = default;
    /// @throws SetupError if the capacity is negative.
    explicit Lcp(int capacity) : Lcp(capacity, std::max(0, capacity)) {}
    /// @param reach  entries (i, j) of M further off the diagonal than that are 0, and are not read
    /// @throws SetupError if one of them is negative.
    Lcp(int capacity, int reach)
        : active_(checked(capacity, "capacity"), 0),
          members_(active_.size(), 0),
          reach_(std::min(static_cast<int>(checked(reach, "reach")), capacity)),
          factor_(Matrix<Scalar, Dynamic>::Zero(reach_ + 1, capacity)),
          part_(Vector<Scalar, Dynamic>::Zero(capacity)) {}

    static constexpr int pass_limit = 100;

    /// Solves for f. Its initial entries are the warm start (positive: expected to be positive).
    /// @return ok; not_converged after pass_limit passes or if M is not positive definite, with f clipped to be usable;
    /// not_finite if q is not a vector of numbers or the solution too large for one, then f = 0; out_of_range, with f
    /// as it was, if q has more entries than the capacity, or M or f fewer than q.
    /// @param M  a matrix, or what has rows(), cols() and entries (i, j) like one @rt
    template <class SquareMatrix>
    [[nodiscard]] Status solve(const SquareMatrix& M, const Vector<Scalar, Dynamic>& q,
                               Vector<Scalar, Dynamic>& f) noexcept {
        const int n = static_cast<int>(q.size());
        passes_ = 0;
        if (active_.size() < static_cast<std::size_t>(n) || M.rows() < n || M.cols() < n || f.size() < n)
            return Status::out_of_range;
        Scalar scale(0.0);
        bool any = false, numbers = true;
        for (int i = 0; i < n; ++i) {
            numbers = numbers && is_finite(value_of(q[i]));
            active_[at(i)] = q[i] < Scalar(0.0) || Scalar(0.0) < f[i];
            any = any || q[i] < Scalar(0.0);
            scale = std::max(scale, q[i] < Scalar(0.0) ? Scalar(-q[i]) : q[i]);
            f[i] = Scalar(0.0);
        }
        if (!numbers) return Status::not_finite;
        if (!any) return Status::ok;

        // Below this a negative value is rounding; without the margin degenerate rows could swap forever.
        const Scalar margin = scale * Scalar(64.0 * value_of(Eigen::NumTraits<Scalar>::epsilon()));
        int best = n + 1, patience = 3;
        while (passes_ < pass_limit) {
            ++passes_;
            if (!solve_active(M, q, f)) return Status::not_converged;
            int wrong = 0, last_wrong = -1;
            const bool single = patience == 0;
            for (int i = 0; i < n; ++i) {
                const Scalar value = active_[at(i)] ? Scalar(f[i] * M(i, i)) : row(M, q, f, i);
                note_sign(i, value < -margin, wrong, last_wrong, single);
            }
            if (wrong == 0) return clip(f, n);
            if (single) active_[at(last_wrong)] ^= 1;
            if (wrong < best)
                best = wrong, patience = 3;
            else if (patience > 0)
                --patience;
        }
        for (int i = 0; i < n; ++i) f[i] = f[i] < Scalar(0.0) ? Scalar(0.0) : f[i];
        return Status::not_converged;
    }

    /// Passes of the last solve(); 0 if there was nothing to do.
    [[nodiscard]] int passes() const noexcept { return passes_; }

  private:
    static std::size_t checked(int value, const char* what) {
        require(value >= 0, "opt::Lcp", what, " is ", value, ", must be at least 0");
        return static_cast<std::size_t>(value);
    }

    /// Negative rounding errors become zero.
    static Status clip(Vector<Scalar, Dynamic>& f, int n) noexcept {
        bool numbers = true;
        for (int i = 0; i < n; ++i) {
            f[i] = f[i] < Scalar(0.0) ? Scalar(0.0) : f[i];
            numbers = numbers && is_finite(value_of(f[i]));
        }
        if (!numbers)
            for (int i = 0; i < n; ++i) f[i] = Scalar(0.0);
        return numbers ? Status::ok : Status::not_finite;
    }

    static std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

    /// Counts a wrong sign and, in block mode, moves the index to the other side at once.
    void note_sign(int i, bool is_wrong, int& count, int& last, bool single) noexcept {
        if (!is_wrong) return;
        ++count, last = i;
        if (!single) active_[at(i)] ^= 1;
    }

    /// Entry (i, j) of the factor of the active part, i >= j. A row is contiguous in memory.
    Scalar& factor(int i, int j) noexcept { return factor_(i - j, i); }

    /// w_i, summed over the active unknowns.
    template <class SquareMatrix>
    Scalar row(const SquareMatrix& M, const Vector<Scalar, Dynamic>& q, const Vector<Scalar, Dynamic>& f,
               int i) const noexcept {
        Scalar w = q[i];
        const auto end = members_.begin() + count_;
        for (auto j = std::lower_bound(members_.begin(), end, i - reach_); j != end && *j <= i + reach_; ++j)
            w += M(i, *j) * f[*j];
        return w;
    }

    /// f = -M_AA^-1 q_A on the active set, 0 elsewhere. False if M is not positive definite there.
    template <class SquareMatrix>
    bool solve_active(const SquareMatrix& M, const Vector<Scalar, Dynamic>& q, Vector<Scalar, Dynamic>& f) noexcept {
        using std::sqrt;
        count_ = 0;
        for (int i = 0; i < static_cast<int>(q.size()); ++i) {
            f[i] = Scalar(0.0);
            if (active_[at(i)]) members_[at(count_++)] = i;
        }
        for (int i = 0; i < count_; ++i) {
            part_[i] = -q[members_[at(i)]];
            const int first = std::max(0, i - reach_);  // inactive unknowns between them only narrow the band
            for (int j = first; j <= i; ++j) {
                Scalar sum = M(members_[at(i)], members_[at(j)]);
                for (int k = first; k < j; ++k) sum -= factor(i, k) * factor(j, k);
                if (i == j && !(Scalar(0.0) < sum)) return false;
                factor(i, j) = i == j ? Scalar(sqrt(sum)) : Scalar(sum / factor(j, j));
            }
            for (int k = first; k < i; ++k) part_[i] -= factor(i, k) * part_[k];
            part_[i] /= factor(i, i);
        }
        for (int i = count_ - 1; i >= 0; --i) {
            for (int k = i + 1; k < std::min(count_, i + reach_ + 1); ++k) part_[i] -= factor(k, i) * part_[k];
            part_[i] /= factor(i, i);
            f[members_[at(i)]] = part_[i];
        }
        return true;
    }

    std::vector<unsigned char> active_;
    std::vector<int> members_;
    int count_ = 0, passes_ = 0, reach_ = 0;
    Matrix<Scalar, Dynamic> factor_;  // by diagonal and row
    Vector<Scalar, Dynamic> part_;
};

}  // namespace panto::opt
