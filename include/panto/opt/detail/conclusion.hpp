// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a search says of the point where it stops: a minimum, not one, or a point from which it can go on.

#pragma once

#include <panto/opt/detail/lost_effect.hpp>

#include <string>
#include <string_view>

namespace panto::opt::detail {

/// The size of a parameter: the power of 2 nearest to |x|, or 1 for 0; at most half the width of its bounds.
[[nodiscard]] inline double size_of(double x, double low, double high) {
    const double size = std::abs(x) > 1e-290 ? std::exp2(std::round(std::log2(std::abs(x)))) : 1.0;
    const double half = 0.5 * (high - low);
    return half > 0.0 ? std::min(size, half) : size;
}

/// Follows each parameter with a positive entry of `resolved` at steps of a tenth of that entry, a hundredth, ... to
/// both sides, as long as they change the value. best.x moves to the lowest value if this is lower by more than the
/// entry of `least`. Such a parameter acts on a length far below that which the search resolved. ahead.moved becomes
/// the steps; false if there are none.
template <class = void>
bool falls_closer(const Function& f, const Bounds& box, const Parameters& resolved, const Parameters& least,
                  Outlook& ahead, Minimum& best) {
    Minimum count;
    ahead.moved = Parameters::Zero(best.x.size());
    for (Eigen::Index i = 0; i < best.x.size(); ++i) {
        Parameters x = best.x;
        const double at = best.x[i], centre = best.value;
        const double size = std::abs(centre), rounding = 2.0 * std::numeric_limits<double>::epsilon() * size;
        const double enough = std::max({least[i], negligible * size, 10.0 * rounding});
        double t = 0.1 * resolved[i], changed = Bounds::infinite;
        for (int k = 0; k < 40 && t > std::max(finest_step(at), 1e-290) && changed > rounding; ++k, t *= 0.1) {
            changed = 0.0;
            for (const double side : {t, -t}) {
                x[i] = box.project(i, at + side);
                if (!(std::abs(x[i] - at) > 0.0)) continue;
                const double value = value_of(f, x, count);
                changed = std::max(changed, std::abs(value - centre));
                if (value < best.value && centre - value > enough)
                    best.x[i] = x[i], best.value = value, ahead.moved[i] = std::abs(x[i] - at);
            }
        }
    }
    best.checks += count.evaluations;
    return ahead.moved.maxCoeff() > 0.0;
}

/// Whether a search may stop at best.x: it is a minimum, or the search goes on, or the question stays open.
enum class Verdict { minimum, goes_on, open };

/// Checks best.x. goes_on if steps of differences were too long for the model, or if there was a way down from best.x
/// and it has been moved; the gradient must then be computed again. If best.x is no minimum, the search may only go on
/// if `again` and the value falls by a hundredth.
template <class = void>
Verdict verdict(const Function& f, const Bounds& box, Gradient<>& gradient, Minimum& best, Outlook& ahead, bool again) {
    if (gradient.shorten(best.x, best.value)) return Verdict::goes_on;
    const bool there = is_minimum(f, box, gradient, best, ahead);
    ahead.doubt = gradient.doubt();
    if (ahead.doubt.empty()) ahead.doubt = without_end(gradient.start(), best);
    if (!ahead.doubt.empty() || !(there || again)) return Verdict::open;
    if (escaped(f, box, gradient.lengths(best.x), there ? negligible : 0.01, ahead, best)) return Verdict::goes_on;
    if (there && ahead.doubt.empty() && lost_effect(f, box, gradient.start(), ahead, best)) return Verdict::goes_on;
    if (there && ahead.doubt.empty() && gradient.resize(best.x, best.value, ahead.moved)) return Verdict::goes_on;
    // The size of a parameter that is almost 0 is not known.
    Parameters unknown = gradient.lengths(best.x);
    for (Eigen::Index i = 0; i < unknown.size(); ++i)
        unknown[i] = there && std::abs(best.x[i]) < 1e-6 * unknown[i] ? 1e-6 * unknown[i] : 0.0;
    const Parameters least = Parameters::Constant(unknown.size(), 1e-6 * (gradient.first_value() - best.value));
    if (falls_closer(f, box, unknown, least, ahead, best)) return Verdict::goes_on;
    if (there && ahead.blind && ahead.doubt.empty() && f.differentiable()) {  // derivatives of 0 may be missing ones
        const auto values = [&f](const Parameters& x) { return f(x); };
        const Parameters lengths = gradient.lengths(best.x);
        const Outlook seen = outlook(Function(values), box, Parameters(1e-4 * lengths), lengths, best);
        if (contradicted(seen, ahead.slope, best.value, lengths)) ahead.doubt = wrong_derivatives;
    }
    return there && ahead.doubt.empty() ? Verdict::minimum : Verdict::open;
}

/// The reason of a search that stopped where a decrease is still possible.
inline std::string unfinished(std::string_view stopped, const Outlook& out) {
    std::string text(stopped);
    if (!out.doubt.empty()) return text + ", but " + out.doubt;
    if (!out.known) return text + ", but it is not known whether this is a minimum";
    return text + ", but a minimum is not confirmed: by slopes and curvatures there, the value could fall by " +
           shown(out.gain);
}

/// The end of a search without gradients: ok if the model at best.x has its lowest point there or within `near`. At a
/// kink the differences show a large curvature, so the lowest point is near. `start` is where the search began; empty
/// if the box is finite.
template <class = void>
Minimum concluded(const Function& f, const Bounds& box, const Parameters& steps, const Parameters& lengths,
                  const Parameters& near, const Parameters& start, std::string_view stopped, Minimum& best) {
    Outlook ahead = outlook(f, box, steps, lengths, best);
    const bool there = settled(ahead, best.value, near.cwiseMax(finest_step(1.0) * best.x.cwiseAbs()));
    ahead.doubt = without_end(start, best);
    if (there && ahead.doubt.empty() &&
        (escaped(f, box, lengths, negligible, ahead, best) ||
         (ahead.doubt.empty() && lost_effect(f, box, start, ahead, best))))
        return finish(best, Status::not_converged,
                      std::string(stopped) + ", but this is a saddle or a plateau: the value falls further from there");
    const bool good = there && ahead.doubt.empty();
    return finish(best, good ? Status::ok : Status::not_converged,
                  good ? std::string(stopped) : unfinished(stopped, ahead));
}

/// Moves parameters that are within `near` of a bound onto it, one by one, where the value does not rise: searches that
/// draw points at random only come near it.
template <class = void>
void move_to_bounds(const Function& f, const Bounds& box, const Parameters& near, Minimum& best) {
    Minimum count;
    for (Eigen::Index i = 0; i < best.x.size(); ++i)
        for (const double bound : {box.low(i), box.high(i)}) {
            if (best.x[i] == bound || std::abs(best.x[i] - bound) > near[i]) continue;
            Parameters x = best.x;
            x[i] = bound;
            if (const double value = value_of(f, x, count); value <= best.value) best.x = x, best.value = value;
        }
    best.checks += count.evaluations;
}

/// The same for searches in a finite box, which started at the value `first`; `near` is a ten thousandth of its width.
template <class = void>
Minimum concluded(const Function& f, const Bounds& box, double first, std::string_view stopped, Minimum& best) {
    const Parameters width = box.upper - box.lower, near = 1e-4 * width;
    const double fell = first < Bounds::infinite ? first - best.value : std::abs(best.value);
    const Parameters least = Parameters::Constant(width.size(), 1e-3 * fell);
    Outlook closer;
    move_to_bounds(f, box, near, best);
    Minimum m = concluded(f, box, Parameters(1e-5 * width), width, near, {}, stopped, best);
    if (m.status != Status::ok || !falls_closer(f, box, near, least, closer, best)) return m;
    Eigen::Index i = 0;
    const double step = closer.moved.maxCoeff(&i);
    return finish(best, Status::not_converged,
                  std::string(stopped) + ", but the value falls further if parameter " + std::to_string(i) +
                      " changes by " + shown(step) + ": narrow its bounds");
}

}  // namespace panto::opt::detail
