// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Track irregularities from spectra. Densities are ONE-SIDED, per rad/m of the wave number O > 0, so their integral is
/// the variance. A is A_v or A_a of TrackSpectrum, which also has b, Oc, Or and Os. (Several public codes use the same
/// figures without saying whether they are one- or two-sided.)
///     vertical, alignment  S = A Oc^2/((O^2 + Or^2)(O^2 + Oc^2))                                    m^2/(rad/m)
///     cross level          S = (A_v/b^2) Oc^2 O^2/((O^2 + Or^2)(O^2 + Oc^2)(O^2 + Os^2))            rad^2/(rad/m)
/// A realization is a sum of waves, sum_k sqrt(2 S_k dO) cos(O_k s + phase_k) at the position s: the wave numbers are
/// divided into bands of equal width dO, O_k is the middle of band k and S_k the density there.

#pragma once

#include <panto/core/check.hpp>
#include <panto/core/lcg.hpp>
#include <panto/core/real.hpp>
#include <panto/vehicle/track.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

namespace panto::vehicle {

/// German spectra of low and high disturbance.
struct TrackSpectrum {
    double vertical = 4.032e-7;    ///< m rad, A_v
    double alignment = 2.119e-7;   ///< m rad, A_a
    double half_distance = 0.75;   ///< m, b
    double high_corner = 0.8246;   ///< rad/m, Oc
    double low_corner = 0.0206;    ///< rad/m, Or
    double cross_corner = 0.4380;  ///< rad/m, Os

    [[nodiscard]] static TrackSpectrum low_disturbance() { return {}; }
    [[nodiscard]] static TrackSpectrum high_disturbance() { return {.vertical = 10.80e-7, .alignment = 6.125e-7}; }

    [[nodiscard]] double vertical_density(double wave_number) const { return vertical * shape(wave_number); }
    [[nodiscard]] double alignment_density(double wave_number) const { return alignment * shape(wave_number); }
    [[nodiscard]] double cross_level_density(double wave_number) const {
        const double o2 = wave_number * wave_number;
        return vertical / (half_distance * half_distance) * shape(wave_number) * o2 /
               (o2 + cross_corner * cross_corner);
    }

  private:
    [[nodiscard]] double shape(double wave_number) const {
        const double o2 = wave_number * wave_number, c2 = high_corner * high_corner;
        return c2 / ((o2 + low_corner * low_corner) * (o2 + c2));
    }
};

/// @throws SetupError naming the field that is negative or, except vertical and alignment, 0.
inline void validate(const TrackSpectrum& s) {
    const char* where = "vehicle::TrackSpectrum";
    require_not_negative(s.vertical, where, "vertical");
    require_not_negative(s.alignment, where, "alignment");
    require_positive(s.half_distance, where, "half_distance");
    require_positive(s.high_corner, where, "high_corner");
    require_positive(s.low_corner, where, "low_corner");
    require_positive(s.cross_corner, where, "cross_corner");
}

/// The waves of a realization.
struct WaveBand {
    double shortest = 3.0;   ///< m
    double longest = 200.0;  ///< m
    int waves = 512;
};

/// A sum of waves along the line.
class WaveSum {
  public:
    struct Wave {
        double amplitude;    ///< m or rad
        double wave_number;  ///< rad/m
        double phase;        ///< rad
    };

    WaveSum() = default;
    explicit WaveSum(std::vector<Wave> waves) : waves_(std::move(waves)) {}

    /// A realization of `density(wave number)` with the phases of the portable generator from `seed`.
    /// @throws SetupError if the band is empty, or a density negative or not finite.
    template <class Density>
    [[nodiscard]] static WaveSum of(const Density& density, const WaveBand& band, std::uint64_t seed) {
        const char* where = "vehicle::WaveSum";
        require_positive(band.shortest, where, "shortest");
        require(band.longest > band.shortest && is_finite(band.longest), where, "longest is ", band.longest,
                " m, must be above shortest, ", band.shortest);
        require(band.waves >= 1, where, "waves is ", band.waves, ", must be at least 1");
        const double two_pi = 2.0 * std::numbers::pi, first = two_pi / band.longest;
        const double width = (two_pi / band.shortest - first) / band.waves;
        Lcg random(seed);
        std::vector<Wave> waves;
        for (int k = 0; k < band.waves; ++k) {
            const double wave_number = first + (k + 0.5) * width, S = density(wave_number);
            require_not_negative(S, where, "the density at ", wave_number, " rad/m");
            waves.push_back({std::sqrt(2.0 * S * width), wave_number, two_pi * random.uniform()});
        }
        return WaveSum(std::move(waves));
    }

    /// @rt
    template <Real Scalar>
    [[nodiscard]] Along<Scalar> at(const Scalar& s) const noexcept {
        using std::cos, std::sin;
        Along<Scalar> sum;
        for (const Wave& w : waves_) {
            const Scalar angle = Scalar(w.wave_number) * s + Scalar(w.phase);
            const Scalar c = Scalar(w.amplitude) * cos(angle), d = Scalar(w.amplitude) * sin(angle);
            sum.value = sum.value + c;
            sum.slope = sum.slope - Scalar(w.wave_number) * d;
            sum.curvature = sum.curvature - Scalar(w.wave_number * w.wave_number) * c;
        }
        return sum;
    }

    /// Variance of the process, m^2 or rad^2.
    [[nodiscard]] double variance() const {
        double sum = 0.0;
        for (const Wave& w : waves_) sum += 0.5 * w.amplitude * w.amplitude;
        return sum;
    }
    [[nodiscard]] const std::vector<Wave>& waves() const noexcept { return waves_; }

  private:
    std::vector<Wave> waves_;
};

/// Three sums of waves, exact at every position. The cost is proportional to the number of waves; SampledTrack is
/// faster.
struct RandomTrack {
    WaveSum lateral, vertical, roll;

    /// Seeds in the order vertical, alignment, cross level. @throws SetupError as validate and WaveSum::of.
    [[nodiscard]] static RandomTrack of(const TrackSpectrum& spectrum, const WaveBand& band,
                                        const std::array<std::uint64_t, 3>& seeds) {
        validate(spectrum);
        return {WaveSum::of([&](double o) { return spectrum.alignment_density(o); }, band, seeds[1]),
                WaveSum::of([&](double o) { return spectrum.vertical_density(o); }, band, seeds[0]),
                WaveSum::of([&](double o) { return spectrum.cross_level_density(o); }, band, seeds[2])};
    }
    /// @rt
    template <Real Scalar>
    [[nodiscard]] TrackPoint<Scalar> at(const Scalar& s) const noexcept {
        return {lateral.at(s), vertical.at(s), roll.at(s)};
    }
};

/// Irregularities recorded or sampled at equal distances, with cubic splines between the samples. Outside the record,
/// the track is level. A record that does not begin and end with zeros needs a ramp (see `ramped`).
class SampledTrack {
  public:
    struct Samples {
        double start = 0.0;                           ///< m, position of the first sample
        double step = 0.25;                           ///< m
        std::vector<double> lateral, vertical, roll;  ///< m, m, rad; an empty one is level
    };

    /// @throws SetupError if the step is not positive, lengths differ, or a sample is missing (NaN: a gap in the file).
    explicit SampledTrack(Samples samples) : start_(samples.start), step_(samples.step) {
        const char* where = "vehicle::SampledTrack";
        require_finite(start_, where, "start");
        require_positive(step_, where, "step");
        const auto channel = [&](std::vector<double>& values, const char* name) {
            if (values.empty()) return;
            require(values.size() >= 4, where, name, " has ", values.size(), " samples, expected at least 4");
            require(count_ == 0 || values.size() == count_, where, name, " has ", values.size(),
                    " samples, another channel ", count_, ", must be equal");
            for (std::size_t i = 0; i < values.size(); ++i)
                require(is_finite(values[i]), where, name, "[", i, "] at ", start_ + step_ * static_cast<double>(i),
                        " m is not finite: the record must have no gaps");
            count_ = values.size();
        };
        channel(samples.lateral, "lateral");
        channel(samples.vertical, "vertical");
        channel(samples.roll, "roll");
        require(count_ > 0, where, "there is no channel, at least one is needed");
        lateral_ = Channel(std::move(samples.lateral), step_);
        vertical_ = Channel(std::move(samples.vertical), step_);
        roll_ = Channel(std::move(samples.roll), step_);
    }

    /// From the four records of both rails: heights, positive upward, and lateral positions, positive to the left.
    /// `half_distance` is the distance of each rail from the centre line. All in m.
    [[nodiscard]] static SampledTrack from_rails(double start, double step, const std::vector<double>& left_height,
                                                 const std::vector<double>& right_height,
                                                 const std::vector<double>& left_side,
                                                 const std::vector<double>& right_side, double half_distance) {
        const char* where = "vehicle::SampledTrack";
        require_positive(half_distance, where, "half_distance");
        require(left_height.size() == right_height.size() && left_side.size() == right_side.size() &&
                    left_height.size() == left_side.size(),
                where, "the four rails have ", left_height.size(), ", ", right_height.size(), ", ", left_side.size(),
                " and ", right_side.size(), " samples, must be equal");
        Samples s{start, step, {}, {}, {}};
        for (std::size_t i = 0; i < left_height.size(); ++i) {
            s.lateral.push_back(0.5 * (left_side[i] + right_side[i]));
            s.vertical.push_back(0.5 * (left_height[i] + right_height[i]));
            s.roll.push_back((left_height[i] - right_height[i]) / (2.0 * half_distance));
        }
        return SampledTrack(std::move(s));
    }

    /// Samples another track from `start` to `start + length`. Its irregularities are faded in over the first `ramp`
    /// and faded out over the last, with (1 - cos)/2. All in m.
    template <class Track>
    [[nodiscard]] static SampledTrack ramped(const Track& track, double start, double length, double step,
                                             double ramp) {
        const char* where = "vehicle::SampledTrack";
        require_positive(step, where, "step");
        require(length >= 4.0 * step && is_finite(length), where, "length is ", length,
                " m, must be at least four steps, ", 4.0 * step);
        require(ramp >= 0.0 && 2.0 * ramp <= length, where, "ramp is ", ramp, " m, must be from 0 to half the length, ",
                0.5 * length);
        Samples s{start, step, {}, {}, {}};
        const auto n = static_cast<long>(std::floor(length / step * (1.0 + 1e-12)));
        for (long i = 0; i <= n; ++i) {
            const double x = step * static_cast<double>(i), edge = std::min(x, step * static_cast<double>(n) - x);
            const double w = edge < ramp ? 0.5 - 0.5 * std::cos(std::numbers::pi * edge / ramp) : 1.0;
            const TrackPoint<double> t = track.at(start + x);
            s.lateral.push_back(w * t.lateral.value);
            s.vertical.push_back(w * t.vertical.value);
            s.roll.push_back(w * t.roll.value);
        }
        return SampledTrack(std::move(s));
    }

    /// @rt
    template <Real Scalar>
    [[nodiscard]] TrackPoint<Scalar> at(const Scalar& s) const noexcept {
        const double place = (value_of(s) - start_) / step_, last = static_cast<double>(count_ - 1);
        if (!(place >= 0.0) || !(place <= last)) return {};
        const auto i = static_cast<std::size_t>(std::min(std::floor(place), last - 1.0));
        const Scalar t = (s - Scalar(start_ + step_ * static_cast<double>(i))) / Scalar(step_);
        return {lateral_.at(i, t, step_), vertical_.at(i, t, step_), roll_.at(i, t, step_)};
    }

    [[nodiscard]] double start() const noexcept { return start_; }                                          ///< m
    [[nodiscard]] double end() const noexcept { return start_ + step_ * static_cast<double>(count_ - 1); }  ///< m

  private:
    /// A spline with equal steps and zero slope at both ends of the record.
    struct Channel {
        std::vector<double> y, m;

        Channel() = default;
        Channel(std::vector<double> values, double h) : y(std::move(values)), m(y.size(), 0.0) {
            const std::size_t n = y.size();
            if (n == 0) return;
            std::vector<double> above(n, 0.0);
            const double f = 6.0 / (h * h);
            above[0] = 0.5;
            m[0] = f * (y[1] - y[0]) / 2.0;
            for (std::size_t i = 1; i < n; ++i) {
                const bool end = i + 1 == n;
                const double right = end ? f * (y[i - 1] - y[i]) : f * (y[i + 1] - 2.0 * y[i] + y[i - 1]);
                const double pivot = (end ? 2.0 : 4.0) - above[i - 1];
                above[i] = 1.0 / pivot;
                m[i] = (right - m[i - 1]) / pivot;
            }
            for (std::size_t i = n - 1; i > 0; --i) m[i - 1] -= above[i - 1] * m[i];
        }

        template <Real Scalar>
        [[nodiscard]] Along<Scalar> at(std::size_t i, const Scalar& t, double h) const noexcept {
            if (y.empty()) return {};
            const Scalar u = Scalar(1.0) - t, one(1.0), three(3.0), a(m[i]), b(m[i + 1]);
            return {u * Scalar(y[i]) + t * Scalar(y[i + 1]) +
                        Scalar(h * h / 6.0) * (a * u * (u * u - one) + b * t * (t * t - one)),
                    Scalar((y[i + 1] - y[i]) / h) +
                        Scalar(h / 6.0) * (b * (three * t * t - one) - a * (three * u * u - one)),
                    a * u + b * t};
        }
    };

    double start_, step_;
    std::size_t count_ = 0;
    Channel lateral_, vertical_, roll_;
};

/// The sum of two tracks, for instance a defect on a random track.
template <class A, class B>
struct SuperposedTrack {
    A first;
    B second;
    /// @rt
    template <Real Scalar>
    [[nodiscard]] TrackPoint<Scalar> at(const Scalar& s) const noexcept {
        const TrackPoint<Scalar> a = first.at(s), b = second.at(s);
        return {a.lateral + b.lateral, a.vertical + b.vertical, a.roll + b.roll};
    }
};

/// @throws SetupError if the track is a record (alone, in a sum or on a curve) that ends before `end`, the place in m
/// of the leading wheelset at the end of a run.
template <class Track>
void require_track(const Track& track, double end, std::string_view where) {
    if constexpr (requires { track.end(); })
        require(end <= track.end() + 1e-6, where, "the record of the track goes from ", track.start(), " to ",
                track.end(), " m, but the leading wheelset runs up to ", end,
                " m: take a longer record or a shorter run");
    if constexpr (requires { track.irregularities; }) require_track(track.irregularities, end, where);
    if constexpr (requires {
                      track.first;
                      track.second;
                  })
        require_track(track.first, end, where), require_track(track.second, end, where);
}

static_assert(TrackInput<RandomTrack> && TrackInput<SampledTrack> &&
              TrackInput<SuperposedTrack<LevelTrack, SampledTrack>>);

}  // namespace panto::vehicle
