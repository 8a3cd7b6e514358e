// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Design of an absorbing stencil for a given scheme, without an initial stencil:
///  1. starts: linear fits of the boundary equations with random frequency weights from the seed, and the best stencil
///     of the next smaller form. That form has one level less or, if this form has a single level, one point less. The
///     result is therefore never worse than that of the smaller form;
///  2. Levenberg-Marquardt on the joint reflection (least_squares.hpp) from each of them. Most have a floor under the
///     frequency weights, so that the reflection of short waves, which the bump does not contain, is limited too. Only
///     those that refinement.hpp makes stable are kept;
///  3. the best continue with more frequencies, then by Gauss-Newton on the simulated error itself, E of
///     space_time_error.hpp.
/// A stability margin increases the error; front() gives stencils for a series of margins; no stencil among them is
/// worse than another one in both error and margin.

#pragma once

#include <panto/absorbing/least_squares.hpp>
#include <panto/absorbing/refinement.hpp>
#include <panto/absorbing/space_time_error.hpp>
#include <panto/absorbing/stability.hpp>
#include <panto/absorbing/stencil.hpp>
#include <panto/core/check.hpp>
#include <panto/core/status.hpp>
#include <panto/opt/levenberg_marquardt.hpp>
#include <panto/wave/stencil.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace panto::wave {

/// Progress of a design.
struct DesignProgress {
    const char* stage = "";  ///< what is being done
    int done = 0, total = 0;
    double seconds = 0.0;  ///< since the design began
    double best = 0.0;     ///< ratio of E to the E of a clamped end; infinite before the first stable stencil
};

struct AbsorbingDesignParams {
    AbsorbingForm form{};
    ReleasedBump bump{};
    FrequencyWeight weight{};  ///< over theta, rad per cell. Empty: E is minimized; else the weighted fit of step 2
    /// Seed of the random starts. They are drawn by std::uniform_real_distribution, so the same seed gives the same
    /// starts only with the same standard library. The recorded designs depend on these starts.
    std::uint64_t seed = 1;
    int starts = 40;
    double time_limit = 50.0;  ///< s; when it has passed, the step in progress (an iteration of a fit, a simulated
                               ///< error or a check of stability) is finished and the best design so far is returned
    StabilityRule rule{};
    std::function<bool(const DesignProgress&)> observer{};  ///< false ends the design with the best so far
};

/// A stencil and its quality.
struct AbsorbingDesign {
    AbsorbingStencil stencil{};
    double objective =
        std::numeric_limits<double>::infinity();  ///< the minimized objective; infinite if nothing stable was found
    double error = std::numeric_limits<double>::infinity();  ///< ratio of E to the E of a clamped end
    double margin = 0.0;  ///< 1 - rho, rho the spectral radius with it at both ends; at least -1e-8
    StabilityVerdict stability{};
    int starts = 0;  ///< number tried
    int stable = 0;  ///< number of these that became stable
    double seconds = 0.0;
    /// ok, stopped_by_user, or not_converged if the time ran out or no fit led to a stable stencil. In this last case
    /// the stencil, if there is one, was improved from the mean of each boundary point and its neighbour.
    Status status = Status::not_converged;
};

/// Designs stencils of one form for one scheme.
template <int H>
class AbsorbingDesigner {
  public:
    /// @throws SetupError if the scheme is unstable or implicit, the form does not belong to it or has more than 512
    /// weights, the bump does not fit, a frequency weight is negative or not finite, starts or time limit are not
    /// positive, or the rule lists no length, or one of its bounds is not finite.
    AbsorbingDesigner(const Stencil<double, H>& scheme, AbsorbingDesignParams params)
        : scheme_(explicit_one(scheme)),
          params_(checked(std::move(params))),
          coarse_(scheme, params_.form, params_.bump, params_.weight, 0.0, 200),
          fine_(scheme, params_.form, params_.bump, params_.weight, 0.0, 600),
          experiment_(scheme, params_.bump, std::max(16, params_.form.reach)) {
        for (int& points : params_.rule.points) points = std::max(points, params_.form.reach + H);
        clamped_ = experiment_.error(AbsorbingStencil(params_.form));
    }

    [[nodiscard]] const SpaceTimeError<H>& experiment() const noexcept { return experiment_; }
    [[nodiscard]] double clamped_error() const noexcept { return clamped_; }  ///< E of a clamped end

    /// The best stencil found. If none is stable by the rule, `objective` is infinite.
    [[nodiscard]] AbsorbingDesign design() {
        begin();
        return search();
    }

    /// Stencils for the given margins that `best` does not have, starting from it, without those that another one beats
    /// in both objective and margin. Sorted by margin, `best` first.
    /// @throws SetupError if there is no margin or one is not between 0 and 1, or if `best` is no design of this form.
    [[nodiscard]] std::vector<AbsorbingDesign> front(const AbsorbingDesign& best, const std::vector<double>& margins) {
        static_assert(H <= 2);
        require(!margins.empty(), where, "margins is empty, at least one is needed");
        for (const double margin : margins)
            require(margin > 0.0 && margin < 1.0, where, "a margin is ", margin, ", must be above 0 and below 1");
        require(best.stencil.form() == params_.form && !best.stencil.has_new_weights() && is_finite(best.objective),
                where, "the initial design does not have this form; pass one that design() found");
        begin();
        std::vector<AbsorbingDesign> all{best};
        Parameters x = best.stencil.weights();
        int done = 0;
        for (const double margin : margins) {
            if (!go_on("front", done++, static_cast<int>(margins.size()), best.error)) break;
            if (best.margin >= margin) continue;
            Parameters trial = x;
            AbsorbingDesign found;
            if (!restored(trial, fine_, margin) || !take(trial, found, margin)) continue;
            polish(found, margin);
            x = found.stencil.weights();
            all.push_back(found);
        }
        std::vector<AbsorbingDesign> kept;
        for (const AbsorbingDesign& a : all) {
            const bool beaten = std::any_of(all.begin(), all.end(), [&](const AbsorbingDesign& b) {
                return b.margin >= a.margin && b.objective <= a.objective &&
                       (b.margin > a.margin || b.objective < a.objective);
            });
            if (!beaten) kept.push_back(a);
        }
        std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.margin < b.margin; });
        return kept;
    }

  private:
    static constexpr const char* where = "wave::AbsorbingDesigner";
    using Clock = std::chrono::steady_clock;

    /// For a smaller form, with the same experiment.
    AbsorbingDesigner(const AbsorbingDesigner& larger, const AbsorbingForm& form)
        : scheme_(larger.scheme_),
          params_(larger.params_),
          coarse_(scheme_, form, params_.bump, params_.weight, 0.0, 200),
          fine_(scheme_, form, params_.bump, params_.weight, 0.0, 600),
          experiment_(larger.experiment_),
          clamped_(larger.clamped_),
          began_(larger.began_) {
        params_.form = form;
        params_.time_limit = elapsed() + share_of_smaller * (params_.time_limit - elapsed());
    }

    [[nodiscard]] AbsorbingDesign search() {
        std::vector<Candidate> pool;
        AbsorbingDesign best{.stencil = AbsorbingStencil(params_.form)};
        if (const AbsorbingForm form = smaller(params_.form); form != params_.form) {
            const AbsorbingDesign found = AbsorbingDesigner(*this, form).search();
            stopped_ = found.status == Status::stopped_by_user;
            if (is_finite(found.objective)) {
                const Parameters x = widened(found.stencil);
                take(x, best);
                Parameters refined = solved(coarse_, x, 300);
                if (restored(refined, coarse_)) pool.push_back({value_of_fit(refined, coarse_), refined});
            }
        }
        std::mt19937_64 random(params_.seed);
        for (int s = 0; s < params_.starts && go_on("starts", s, params_.starts, best.error) &&
                        elapsed() < share_of_starts * params_.time_limit;
             ++s, ++best.starts) {
            const Parameters start = random_start(random);
            const double floor = floors[static_cast<std::size_t>(s) % floors.size()];
            Parameters x = start;
            if (floor > 0.0)
                x = solved(AbsorbingLeastSquares<H>(scheme_, params_.form, params_.bump, params_.weight, floor, 200), x,
                           300);
            else
                x = solved(coarse_, x, 300);
            if (!restored(x, coarse_)) continue;
            ++best.stable;
            pool.push_back({value_of_fit(x, coarse_), x});
        }
        std::sort(pool.begin(), pool.end(), [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
        const std::size_t finalists = std::min<std::size_t>(pool.size(), 4);
        for (std::size_t i = 0;
             i < finalists && go_on("refinement", static_cast<int>(i), static_cast<int>(finalists), best.error); ++i) {
            Parameters refined = solved(fine_, pool[i].x, 2000);
            if (restored(refined, fine_)) take(refined, best);
            take(pool[i].x, best);
        }
        for (std::size_t i = 0; i < pool.size() && !is_finite(best.objective); ++i) take(pool[i].x, best);
        if (!is_finite(best.objective) && best.starts == params_.starts) take(interpolated(), best);
        if (is_finite(best.objective)) polish(best);
        best.seconds = elapsed();
        const bool ended = best.starts == params_.starts && elapsed() < params_.time_limit;
        best.status = stopped_ ? Status::stopped_by_user : !ended || pool.empty() ? Status::not_converged : Status::ok;
        return best;
    }

    /// The form whose best stencil is a start for this one; the form itself if there is none.
    static AbsorbingForm smaller(AbsorbingForm form) {
        if (form.levels > 1)
            --form.levels;
        else if (form.reach > 2 * H)
            --form.reach;
        return form;
    }

    /// The mean of each boundary point and its neighbour: poor, but stable wherever it was tried. A last resort.
    [[nodiscard]] Parameters interpolated() const {
        const AbsorbingStencil whole(params_.form);
        Parameters x = whole.weights();
        for (int k = 0; k < H; ++k)
            x[whole.index(k, 0, k)] = x[whole.index(k, 0, std::min(k + 1, params_.form.reach - 1))] = 0.5;
        return x;
    }

    /// A stencil of the smaller form in this one: the other weights are zero.
    [[nodiscard]] Parameters widened(const AbsorbingStencil& end) const {
        const AbsorbingStencil whole(params_.form);
        Parameters x = whole.weights();
        for (int k = 0; k < H; ++k)
            for (int i = 0; i < end.form().levels; ++i)
                for (int j = 0; j < end.reach(); ++j) x[whole.index(k, i, j)] = end.weight(k, i, j);
        return x;
    }

    static const Stencil<double, H>& explicit_one(const Stencil<double, H>& scheme) {
        require(scheme.is_explicit(), where, "the scheme is implicit, must be explicit");
        return scheme;
    }

    static AbsorbingDesignParams checked(AbsorbingDesignParams p) {
        constexpr int most = 512;  // weights: beyond that one step takes minutes
        const int size = AbsorbingStencil(p.form).form().size();
        require(size <= most, where, "the form has ", size, " weights, must be at most ", most);
        require(p.starts > 0, where, "starts is ", p.starts, ", must be at least 1");
        require_positive(p.time_limit, where, "time_limit");
        detail::require_rule(p.rule, where);
        return p;
    }

    struct Candidate {
        double value;
        Parameters x;
    };

    /// Two of eight starts fit only the bump; the others also weight waves that it does not contain.
    static constexpr std::array<double, 8> floors{0.0, 1e-4, 3e-5, 1e-3, 0.0, 3e-4, 1e-5, 3e-3};

    /// Shares of the time limit (chosen); the rest is for refinement.
    static constexpr double share_of_smaller = 0.4, share_of_starts = 0.7;

    void begin() { began_ = Clock::now(), stopped_ = false; }
    [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
    [[nodiscard]] std::function<bool()> in_time() const {
        return [this] { return elapsed() < params_.time_limit; };
    }
    [[nodiscard]] bool go_on(const char* stage, int done, int total, double best) {
        if (!stopped_ && params_.observer && !params_.observer({stage, done, total, elapsed(), best})) stopped_ = true;
        return !stopped_ && elapsed() < params_.time_limit;
    }

    /// A linear fit under weights that are piecewise exponential in sqrt(theta).
    [[nodiscard]] Parameters random_start(std::mt19937_64& random) const {
        std::uniform_real_distribution<double> uniform(-2.0, 2.0);
        std::array<double, 6> knots;
        for (double& k : knots) k = uniform(random);
        return coarse_.linear_start([&](double theta) {
            const double at = 5.0 * std::sqrt(theta / std::numbers::pi);
            const auto i = std::min<std::size_t>(4, static_cast<std::size_t>(at));
            const double part = at - static_cast<double>(i);
            return std::exp(knots[i] * (1.0 - part) + knots[i + 1] * part);
        });
    }

    [[nodiscard]] Parameters solved(const AbsorbingLeastSquares<H>& fit, const Parameters& start,
                                    int iterations) const {
        return opt::levenberg_marquardt(
                   fit, start,
                   {.iteration_limit = iterations,
                    .observer = [this](const opt::Progress&) { return elapsed() < params_.time_limit; }})
            .x;
    }

    [[nodiscard]] static double value_of_fit(const Parameters& x, const AbsorbingLeastSquares<H>& fit) {
        Parameters r;
        (void)fit.residuals(x, r);
        return r.norm();
    }

    /// Moves x, the minimum of a fit, onto the surface on which long waves leave (or that of the margin), and into the
    /// range of the rule. False if x is too far from it.
    [[nodiscard]] bool restored(Parameters& x, const AbsorbingLeastSquares<H>& fit, double margin = 0.0) const {
        if constexpr (H <= 2) {
            constexpr double near = 1.1;  // of rho: above it, small steps cannot restore stability
            StableRefinement<H> refinement(scheme_, params_.form, params_.rule, margin, in_time());
            StabilityVerdict verdict;
            Parameters r;
            Matrix<double, Dynamic> J;
            x = refinement.onto_surface(x);
            for (int step = 0; step < 15 && elapsed() < params_.time_limit; ++step) {
                if (!is_finite(x.squaredNorm())) return false;
                if (refinement.admits(x, verdict)) return true;
                if (std::max(verdict.both, verdict.clamped) > near) return false;
                if (fit.linearize(x, r, J) != Status::ok) return false;
                const Eigen::MatrixXd G = J.transpose() * J;
                const Eigen::VectorXd g = J.transpose() * r;
                x = refinement.onto_surface(x + refinement.step(x, G, g, 1e-12));
            }
            return false;
        } else {
            return is_finite(x.squaredNorm()) &&
                   check_stability(scheme_, AbsorbingStencil(params_.form, x), params_.rule).stable;
        }
    }

    /// Replaces `best` if x is stable by the whole rule and better.
    bool take(const Parameters& x, AbsorbingDesign& best, double margin = 0.0) const {
        const AbsorbingStencil end(params_.form, x);
        const double error = experiment_.error(end) / clamped_;
        const double objective = params_.weight ? value_of_fit(x, fine_) : error;
        if (!(objective < best.objective)) return false;
        const StabilityVerdict verdict = check_stability(scheme_, end, params_.rule);
        if (!verdict.stable || (margin > 0.0 && 1.0 - verdict.both < margin)) return false;
        best.stencil = end;
        best.objective = objective;
        best.error = error;
        best.stability = verdict;
        best.margin = 1.0 - verdict.both;
        return true;
    }

    /// Gauss-Newton on E^2, as far as stability allows.
    void polish(AbsorbingDesign& best, double margin = 0.0) {
        if constexpr (H <= 2) {
            if (params_.weight) return;  // E has no weights
            StableRefinement<H> refinement(scheme_, params_.form, params_.rule, margin, in_time());
            constexpr int rounds = 10;
            double damping = 1e-10;
            for (int round = 0; round < rounds && go_on("polish", round, rounds, best.error); ++round) {
                Eigen::MatrixXd G;
                Eigen::VectorXd g;
                experiment_.normal_equations(best.stencil, G, g);
                const Parameters x = best.stencil.weights();
                const double before = best.error;
                bool better = false;
                for (int attempt = 0; attempt < 10 && !better && elapsed() < params_.time_limit; ++attempt) {
                    const Parameters trial = refinement.onto_surface(x + refinement.step(x, G, g, damping));
                    StabilityVerdict verdict;
                    const std::size_t known = refinement.limits_met();
                    if (!refinement.admits(trial, verdict) && refinement.limits_met() > known) continue;
                    better = take(trial, best, margin);
                    damping = better ? std::max(1e-12, 0.1 * damping) : 10.0 * damping;
                }
                if (!better || best.error > 0.9995 * before) return;
            }
        }
    }

    Stencil<double, H> scheme_;
    AbsorbingDesignParams params_;
    AbsorbingLeastSquares<H> coarse_, fine_;
    SpaceTimeError<H> experiment_;
    double clamped_ = 1.0;
    Clock::time_point began_ = Clock::now();
    bool stopped_ = false;
};

/// The best stencil for a scheme, as AbsorbingDesigner finds it.
/// @throws SetupError as AbsorbingDesigner does.
template <int H>
[[nodiscard]] AbsorbingDesign design_absorbing(const Stencil<double, H>& scheme, AbsorbingDesignParams params = {}) {
    return AbsorbingDesigner<H>(scheme, std::move(params)).design();
}

}  // namespace panto::wave
