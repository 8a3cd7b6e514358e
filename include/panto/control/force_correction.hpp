// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The force on the virtual line, corrected so that no energy leaks between rig and line [predictive paper, (6) to
/// (22)]. With the force F on the rig, the velocity x' of the rig, the velocity w' of the line at the contact, and the
/// time step T,
///
///     DE[k] = DE[k-1] + T (F x' - (F + F_cor) w'),    Dp[k] = Dp[k-1] - T F_cor
///
/// are the energy and the momentum that one side has received and the other has not. Both are known at every step, so a
/// bound on DE[k] gives an interval for F_cor. With r = F (x'/w' - 1), alpha = 1 - `one_minus_alpha`, and DE without an
/// index for DE[k-1]:
///
///     paper:   DE[k] between 0 and alpha DE[k-1]:           F_cor from (1 - alpha) DE/(T w') + r to DE/(T w') + r
///     budget:  |DE[k]| <= m = max(budget, alpha |DE[k-1]|): F_cor from (DE - m)/(T w') + r to (DE + m)/(T w') + r
///
/// with the ends sorted, for any signs of DE and w'. The paper's interval cancels every power mismatch at once, which
/// needs large forces. The budget tolerates mismatches that cancel over time, and a soft law F_cor = kappa DE w'
/// removes the rest slowly.
///
/// T F x' is not the work of a cycle: the force changes during it, and x' and w' are read at its beginning. What both
/// sides have received is known one cycle later from their displacements (`settle`). With `budget` this work replaces
/// the estimate, so that DE does not drift away from the energy that has leaked.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/exchange.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>

#include <algorithm>
#include <cmath>

namespace panto::control {

struct ForceInterval {
    double lower = 0.0, upper = 0.0;  ///< N
};

/// The intersection of both; if it is empty, the end of `first` that is nearest to `second` [predictive paper,
/// Definition 1]. @rt
[[nodiscard]] constexpr ForceInterval ranked(ForceInterval first, ForceInterval second) noexcept {
    if (second.upper < first.lower) return {first.lower, first.lower};
    if (second.lower > first.upper) return {first.upper, first.upper};
    return {std::max(first.lower, second.lower), std::min(first.upper, second.upper)};
}

struct ForceCorrectionParams {
    enum class Form : unsigned char { budget, paper };
    Form form = Form::budget;
    double dt = 0.0;                   ///< s
    double one_minus_alpha = 6e-6;     ///< per step; Table 2 of the paper
    double budget = 1.0;               ///< J, for `budget`
    double kappa = 30.0;               ///< N/(J m/s), of the soft law of `budget`
    double soft_limit = 5.0;           ///< N, largest force of the soft law
    double velocity_threshold = 0.01;  ///< m/s; while the line is slower, the energy is not bounded and F_cor goes to 0
    double largest = 20.0;             ///< N, bound on |F_cor|
    double largest_change = 2.0;       ///< N per step; has priority over all other limits
};

/// The balances of energy and momentum, which are zero on an ideal rig.
struct CorrectionRecord {
    double force = 0.0;         ///< N, F_cor
    ForceInterval bounds{};     ///< N, the interval that the bound on the energy alone leaves for F_cor
    ForceInterval allowed{};    ///< N, the interval that all limits together leave for F_cor
    Ledger total{}, bounded{};  ///< total: over all steps; bounded: over steps with `kept`
    double leaked = 0.0;        ///< J, sum of all energies given to settle()
    bool kept = false;          ///< F_cor lies within `bounds`: neither the threshold nor another limit prevented it
    bool limited = false;       ///< a limit acts: F_cor differs from the wanted value, soft law included
};

class ForceCorrection {
  public:
    using Params = ForceCorrectionParams;
    using Form = Params::Form;

    /// @throws SetupError naming the field, its value and what is allowed.
    explicit ForceCorrection(const Params& p) : p_(p) {
        const char* where = "control::ForceCorrection";
        require_positive(p.dt, where, "dt");
        require(p.one_minus_alpha > 0.0 && p.one_minus_alpha <= 1.0, where, "one_minus_alpha is ", p.one_minus_alpha,
                ", must be > 0 and at most 1");
        require_not_negative(p.budget, where, "budget");
        require_not_negative(p.kappa, where, "kappa");
        require_not_negative(p.soft_limit, where, "soft_limit");
        require_positive(p.velocity_threshold, where, "velocity_threshold");
        require_positive(p.largest, where, "largest");
        require_positive(p.largest_change, where, "largest_change");
    }

    /// The interval, N, that the bound on the energy alone leaves for F_cor. The force is in N, speeds are in m/s;
    /// `line_speed` must not be 0. @rt
    [[nodiscard]] ForceInterval energy_bounds(double force, double rig_speed, double line_speed) const noexcept {
        const double r = force * (rig_speed / line_speed - 1.0), per_joule = 1.0 / (p_.dt * line_speed);
        const double energy = record_.total.energy, alpha = 1.0 - p_.one_minus_alpha;
        double a = p_.one_minus_alpha * energy, b = energy;
        if (p_.form == Form::budget) {
            const double most = std::max(p_.budget, alpha * std::fabs(energy));
            a = energy - most, b = energy + most;
        }
        a = a * per_joule + r, b = b * per_joule + r;
        return {std::min(a, b), std::max(a, b)};
    }

    /// Computes F_cor of this step, record().force: the value nearest to `wanted` (plus the soft law, with `budget`)
    /// that the limits allow. Forces in N, speeds in m/s.
    /// @return not_finite if an argument is not finite; then nothing changes. @rt
    Status step(double force, double rig_speed, double line_speed, double wanted = 0.0) noexcept {
        if (!is_finite(force) || !is_finite(rig_speed) || !is_finite(line_speed) || !is_finite(wanted))
            return Status::not_finite;
        const double last = record_.force;
        const ForceInterval usual{-p_.largest, p_.largest}, change{last - p_.largest_change, last + p_.largest_change};
        const bool fast = std::fabs(line_speed) >= p_.velocity_threshold;
        if (p_.form == Form::budget && fast)
            wanted += std::clamp(p_.kappa * record_.total.energy * line_speed, -p_.soft_limit, p_.soft_limit);
        ForceInterval allowed = usual;
        record_.bounds = usual;
        if (fast) {
            record_.bounds = energy_bounds(force, rig_speed, line_speed);
            allowed = ranked(usual, record_.bounds);
        } else {
            wanted = 0.0;
        }
        allowed = ranked(change, allowed);
        const double correction = std::clamp(wanted, allowed.lower, allowed.upper);
        const double energy = p_.dt * (force * rig_speed - (force + correction) * line_speed);
        const double momentum = -p_.dt * correction;
        if (!is_finite(energy)) return Status::not_finite;
        record_.force = correction;
        record_.allowed = allowed;
        record_.limited = std::fabs(correction - wanted) > 0.0;
        record_.kept = fast && correction >= record_.bounds.lower && correction <= record_.bounds.upper;
        estimate_ = energy;
        record_.total.energy += energy, record_.total.momentum += momentum;
        if (record_.kept) record_.bounded.energy += energy, record_.bounded.momentum += momentum;
        return Status::ok;
    }

    /// Takes the energy, J, that the rig, but not the line, has received in the last step, as found from the
    /// displacements of both. This energy is added to record().leaked and, with `budget`, replaces the estimate of the
    /// last step() in the balances. Call it once between two calls of step(), or never.
    /// @return not_finite if `energy` is not finite; then nothing changes. @rt
    Status settle(double energy) noexcept {
        if (!is_finite(energy)) return Status::not_finite;
        record_.leaked += energy;
        if (p_.form == Form::budget) {
            record_.total.energy += energy - estimate_;
            if (record_.kept) record_.bounded.energy += energy - estimate_;
            estimate_ = energy;
        }
        return Status::ok;
    }

    /// Sets both balances and the correction to 0. @rt
    void reset() noexcept {
        record_ = {};
        estimate_ = 0.0;
    }

    [[nodiscard]] const CorrectionRecord& record() const noexcept { return record_; }
    [[nodiscard]] double dt() const noexcept { return p_.dt; }  ///< s

  private:
    Params p_;
    CorrectionRecord record_{};
    double estimate_ = 0.0;  // J, of the last step
};

}  // namespace panto::control
