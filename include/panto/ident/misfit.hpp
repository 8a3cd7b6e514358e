// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The misfit between the signal x of a model and a record x_m, with the error e = x - x_m, the trapezoid weights w and
/// the standard deviation sigma of the noise:
///     least squares        sum w e^2 / sum w x_m^2          least modulus   sum w |e| / sum w |x_m|
///     maximum likelihood   1/2 sum (e/sigma)^2              correlation     mean_k e_k e_{k-lag}
///     peaks                amplitude and time of the maxima, paired
/// Several channels add up, each divided by its scale first. There are no weights 1/x_m^2 at each sample, which
/// would divide by zero wherever the signal crosses zero.

#pragma once

#include <panto/ident/records.hpp>
#include <panto/linalg/fft.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace panto::ident {

enum class MisfitKind { least_squares, least_modulus, maximum_likelihood, correlation, peaks };

/// The band of frequencies to compare, Hz. Only those lines of the discrete Fourier transforms of both signals that lie
/// in the band are kept.
struct FrequencyBand {
    double lowest = 0.0;
    double highest = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool all() const { return !(lowest > 0.0) && !is_finite(highest); }
};

struct MisfitParams {
    MisfitKind kind = MisfitKind::least_squares;
    bool normalized = true;  ///< divide by the record as above; for least squares and least modulus
    FrequencyBand band{};    ///< needs even sampling without missing samples
    MissingSamples missing = MissingSamples::refused;
    int lag = 0;                   ///< samples, lag of the correlation; 0: mean square
    double peak_window = 0.05;     ///< s; peaks further apart are not paired
    double peak_threshold = 0.05;  ///< as a fraction of the largest sample; lower maxima are ignored
};

/// A maximum of a signal.
struct Peak {
    double time = 0.0;  ///< s
    double height = 0.0;
};

/// Interior maxima above `least_height`. A maximum of several equal samples, as from a coarse converter, is at their
/// middle.
/// @throws SetupError if there is not a time for each sample.
template <class = void>
[[nodiscard]] std::vector<Peak> peaks(const Vector<double, Dynamic>& time, const Vector<double, Dynamic>& x,
                                      double least_height) {
    require(time.size() == x.size(), "ident::peaks", time.size(), " times for ", x.size(), " samples, must be equal");
    std::vector<Peak> all;
    for (Eigen::Index i = 1, last = 1; i + 1 < x.size(); i = last + 1) {
        for (last = i; last + 1 < x.size() && !(x[last + 1] < x[i]) && !(x[last + 1] > x[i]);) ++last;
        if (last + 1 < x.size() && x[i] > x[i - 1] && x[i] > x[last + 1] && x[i] > least_height)
            all.push_back({0.5 * (time[i] + time[last]), x[i]});
    }
    return all;
}

/// Every measured peak in order of time takes the nearest free one of the model within the window; the remaining peaks
/// between two pairs are paired in order if both sides have equally many. J = [sum ((dA/A_max)^2 + (dt/window)^2) +
/// |n_m - n|]/n_m, with n_m measured peaks and n of the model. J jumps when a peak appears or disappears: use methods
/// without derivatives.
/// @throws SetupError if the record has no peak, or peaks are not in order of time.
template <class = void>
[[nodiscard]] double peak_misfit(const std::vector<Peak>& measured, const std::vector<Peak>& model, double largest,
                                 double window) {
    require(!measured.empty(), "ident::peak_misfit", "the record has no peak, at least one is needed");
    for (const auto* list : {&measured, &model})
        for (std::size_t k = 1; k < list->size(); ++k)
            require((*list)[k].time >= (*list)[k - 1].time, "ident::peak_misfit", "a peak at ", (*list)[k].time,
                    " s follows one at ", (*list)[k - 1].time, " s, they must be in order of time");
    std::vector<int> partner(measured.size(), -1);
    std::size_t begin = 0;  // the model's peaks before are taken, or too early for this one and all that follow
    std::vector<char> taken(model.size(), 0);
    for (std::size_t i = 0; i < measured.size(); ++i) {
        double nearest = window;
        while (begin < model.size() && (taken[begin] || measured[i].time - model[begin].time > window)) ++begin;
        for (std::size_t k = begin; k < model.size() && model[k].time - measured[i].time <= nearest; ++k) {
            const double apart = std::abs(model[k].time - measured[i].time);
            if (!taken[k] && apart <= nearest && (apart < nearest || partner[i] < 0))
                nearest = apart, partner[i] = static_cast<int>(k);
        }
        if (partner[i] >= 0) taken[static_cast<std::size_t>(partner[i])] = 1;
    }
    std::vector<std::size_t> waiting;
    int last = -1;
    const auto close = [&](int end) {
        std::vector<std::size_t> free;
        for (int k = last + 1; k < end; ++k)
            if (!taken[static_cast<std::size_t>(k)]) free.push_back(static_cast<std::size_t>(k));
        if (free.size() == waiting.size())
            for (std::size_t k = 0; k < free.size(); ++k) partner[waiting[k]] = static_cast<int>(free[k]);
        waiting.clear();
        last = end;
    };
    const std::vector<int> first_round = partner;
    for (std::size_t i = 0; i < measured.size(); ++i)
        if (first_round[i] < 0)
            waiting.push_back(i);
        else
            close(first_round[i]);
    close(static_cast<int>(model.size()));
    double sum = std::abs(static_cast<double>(measured.size()) - static_cast<double>(model.size()));
    for (std::size_t i = 0; i < measured.size(); ++i) {
        if (partner[i] < 0) continue;
        const Peak& p = model[static_cast<std::size_t>(partner[i])];
        const double dA = (measured[i].height - p.height) / largest, dt = (measured[i].time - p.time) / window;
        sum += dA * dA + dt * dt;
    }
    return sum / static_cast<double>(measured.size());
}

/// The part of an evenly sampled signal that lies in the band: an orthogonal projection, which is its own transpose.
template <class = void>
[[nodiscard]] Vector<double, Dynamic> band_limited(const Vector<double, Dynamic>& x, double dt,
                                                   const FrequencyBand& band) {
    if (band.all()) return x;
    const auto n = static_cast<std::size_t>(x.size());
    linalg::Complexes lines = linalg::fft(linalg::Complexes(x.begin(), x.end()), -1.0);
    for (std::size_t m = 0; 2 * m <= n && m < n; ++m) {
        const double f = static_cast<double>(m) / (static_cast<double>(n) * dt);
        if (f >= band.lowest && f <= band.highest) continue;
        lines[m] = 0.0;
        if (m > 0) lines[n - m] = 0.0;
    }
    lines = linalg::fft(std::move(lines), +1.0);
    Vector<double, Dynamic> y(x.size());
    for (std::size_t k = 0; k < n; ++k) y[static_cast<Eigen::Index>(k)] = lines[k].real() / static_cast<double>(n);
    return y;
}

class Misfit {
    using Vec = Vector<double, Dynamic>;
    static constexpr const char* where = "ident::Misfit";

  public:
    /// @throws SetupError as check_record; or if maximum likelihood has no noise, samples are uneven or missing
    /// although there is a band, the band contains nothing of a channel, the lag is below 0 or not below the number of
    /// samples, or a channel has no peak where peaks are compared.
    explicit Misfit(std::vector<Channel> record, const MisfitParams& params = {})
        : record_(std::move(record)), p_(params) {
        check_record(record_, p_.missing);
        require_positive(p_.peak_window, where, "peak_window");
        require(p_.peak_threshold >= 0.0 && p_.peak_threshold < 1.0, where, "peak_threshold is ", p_.peak_threshold,
                ", must be at least 0 and below 1");
        require(p_.band.lowest <= p_.band.highest, where, "the band is from ", p_.band.lowest, " to ", p_.band.highest,
                " Hz, expected two numbers, the lower one first");
        require(p_.lag >= 0 && p_.lag < samples(), where, "lag is ", p_.lag,
                ", must be at least 0 and below the number of samples, ", samples());
        for (Channel& c : record_) {
            if (p_.kind == MisfitKind::maximum_likelihood)
                require_positive(c.noise, where, "noise of channel '", c.name, "'");
            if (!p_.band.all()) limit(c);
            weights_.push_back(trapezoid_weights(c));
            Vec clean = c.values;
            for (double& v : clean)
                if (!is_finite(v)) v = 0.0;
            clean /= c.scale;
            square_ += weights_.back().dot(clean.cwiseAbs2());
            modulus_ += weights_.back().dot(clean.cwiseAbs());
            clean_.push_back(std::move(clean));
            if (p_.kind == MisfitKind::peaks)
                require(!peaks_of(clean_.size() - 1, c.values).empty(), where, "channel '", c.name,
                        "' has no peak above peak_threshold, at least one is needed");
        }
        require_positive(norm(), where, "the norm of the scaled record");
    }

    [[nodiscard]] Eigen::Index samples() const { return record_.front().time.size(); }  ///< of each channel
    [[nodiscard]] const std::vector<Channel>& record() const { return record_; }

    /// J of the model's signals, whose samples are given channel by channel.
    /// @throws SetupError if their number differs from that of the record.
    [[nodiscard]] double operator()(const Vec& model) const {
        double J = 0.0;
        for (std::size_t c = 0; c < record_.size(); ++c) {
            if (p_.kind == MisfitKind::peaks) {
                J += of_peaks(c, part(model, c));
                continue;
            }
            const Vec e = error(c, model);
            switch (p_.kind) {
                case MisfitKind::least_modulus: J += weights_[c].dot(e.cwiseAbs()); break;
                case MisfitKind::maximum_likelihood: J += 0.5 * likelihood(c, e); break;
                case MisfitKind::correlation: J += correlation(c, e); break;
                default: J += weights_[c].dot(e.cwiseAbs2());
            }
        }
        return J / norm();
    }

    /// dJ/dmodel, sample by sample: the source for an adjoint, and the factor for dual numbers or sensitivities.
    /// @throws SetupError for peaks, which have no gradient. The gradient of least modulus is 0 where an error is 0.
    [[nodiscard]] Vec gradient(const Vec& model) const {
        require(p_.kind != MisfitKind::peaks, where,
                "peaks have no derivative: they come and go; use a method without derivatives");
        Vec g(model.size());
        for (std::size_t c = 0; c < record_.size(); ++c) {
            const Vec e = error(c, model);
            Vec d(e.size());
            const double pairs = static_cast<double>(e.size() - p_.lag), sigma = record_[c].noise / record_[c].scale;
            for (Eigen::Index k = 0; k < e.size(); ++k) switch (p_.kind) {
                    case MisfitKind::least_modulus:
                        d[k] = weights_[c][k] * (e[k] > 0.0 ? 1.0 : e[k] < 0.0 ? -1.0 : e[k]);  // NaN stays NaN
                        break;
                    case MisfitKind::maximum_likelihood: d[k] = e[k] / (sigma * sigma); break;
                    case MisfitKind::correlation:
                        d[k] = ((k >= p_.lag ? e[k - p_.lag] : 0.0) + (k + p_.lag < e.size() ? e[k + p_.lag] : 0.0)) /
                               pairs;
                        break;
                    default: d[k] = 2.0 * weights_[c][k] * e[k];
                }
            if (!p_.band.all()) d = band_limited(d, dt(record_[c]), p_.band);
            g.segment(static_cast<Eigen::Index>(c) * samples(), samples()) = d / (record_[c].scale * norm());
        }
        return g;
    }

    /// Residuals r with r'r = J, for methods of least squares.
    /// @throws SetupError for kinds that are no sum of squares.
    [[nodiscard]] Vec residuals(const Vec& model) const {
        Vec r(model.size());
        for (std::size_t c = 0; c < record_.size(); ++c)
            r.segment(static_cast<Eigen::Index>(c) * samples(), samples()) =
                root(c).cwiseProduct(error(c, model)) / std::sqrt(norm());
        return r;
    }

    /// dr/dp from the model's sensitivities dx/dp, a column for each parameter.
    /// @throws SetupError as residuals(), or if there is not a row for each sample of each channel.
    [[nodiscard]] Matrix<double, Dynamic> residual_jacobian(const Matrix<double, Dynamic>& sensitivity) const {
        const Eigen::Index wanted = samples() * static_cast<Eigen::Index>(record_.size());
        require(sensitivity.rows() == wanted, where, "the sensitivity has ", sensitivity.rows(),
                " rows and the record ", wanted, " samples, must be equal");
        Matrix<double, Dynamic> J(sensitivity.rows(), sensitivity.cols());
        for (std::size_t c = 0; c < record_.size(); ++c)
            for (Eigen::Index k = 0; k < sensitivity.cols(); ++k) {
                const auto at = static_cast<Eigen::Index>(c) * samples();
                const Vec s = sensitivity.col(k).segment(at, samples());
                const Vec limited = p_.band.all() ? s : band_limited(s, dt(record_[c]), p_.band);
                J.col(k).segment(at, samples()) =
                    root(c).cwiseProduct(limited) / (record_[c].scale * std::sqrt(norm()));
            }
        return J;
    }

  private:
    [[nodiscard]] static double dt(const Channel& c) {
        return (c.time[c.time.size() - 1] - c.time[0]) / static_cast<double>(c.time.size() - 1);
    }

    void limit(Channel& c) const {
        const double step = dt(c);
        for (Eigen::Index i = 0; i < c.time.size(); ++i) {
            require(std::abs(c.time[i] - c.time[0] - static_cast<double>(i) * step) < 1e-6 * step, where, "channel '",
                    c.name, "' is not sampled evenly at ", c.time[i], " s, a band needs even sampling");
            require(is_finite(c.values[i]), where, "channel '", c.name, "' misses a sample at ", c.time[i],
                    " s, a band allows no gap");
        }
        const double rounding = 1e-12 * c.values.cwiseAbs().maxCoeff();
        c.values = band_limited(c.values, step, p_.band);
        require(c.values.cwiseAbs().maxCoeff() > rounding, where, "the band from ", p_.band.lowest, " to ",
                p_.band.highest, " Hz contains nothing of channel '", c.name, "'");
    }

    [[nodiscard]] Vec part(const Vec& model, std::size_t c) const {
        const auto wanted = samples() * static_cast<Eigen::Index>(record_.size());
        require(model.size() == wanted, where, "the model has ", model.size(), " samples and the record ", wanted,
                ", must be equal");
        Vec x = model.segment(static_cast<Eigen::Index>(c) * samples(), samples());
        return p_.band.all() ? x : band_limited(x, dt(record_[c]), p_.band);
    }

    /// The scaled error of channel c; 0 where the record has no sample.
    [[nodiscard]] Vec error(std::size_t c, const Vec& model) const {
        Vec e = part(model, c) / record_[c].scale - clean_[c];
        for (Eigen::Index k = 0; k < e.size(); ++k)
            if (!is_finite(record_[c].values[k])) e[k] = 0.0;
        return e;
    }

    [[nodiscard]] double likelihood(std::size_t c, const Vec& e) const {
        const double sigma = record_[c].noise / record_[c].scale;
        return e.squaredNorm() / (sigma * sigma);
    }

    [[nodiscard]] double correlation(std::size_t, const Vec& e) const {
        const Eigen::Index pairs = e.size() - p_.lag;
        return e.head(pairs).dot(e.tail(pairs)) / static_cast<double>(pairs);
    }

    [[nodiscard]] double largest(std::size_t c) const { return clean_[c].cwiseAbs().maxCoeff() * record_[c].scale; }

    /// The peaks of a signal at the samples of the record, without the missing ones, which must not appear as dents.
    [[nodiscard]] std::vector<Peak> peaks_of(std::size_t c, const Vec& x) const {
        Vec time(samples()), present(samples());
        Eigen::Index n = 0;
        for (Eigen::Index k = 0; k < samples(); ++k)
            if (is_finite(record_[c].values[k])) time[n] = record_[c].time[k], present[n++] = x[k];
        return peaks(time.head(n), present.head(n), p_.peak_threshold * largest(c));
    }

    /// J of the peaks of channel c. NaN if the model is not finite, since such a model must not pass as one without
    /// peaks.
    [[nodiscard]] double of_peaks(std::size_t c, const Vec& x) const {
        for (Eigen::Index k = 0; k < samples(); ++k)
            if (is_finite(record_[c].values[k]) && !is_finite(x[k])) return std::numeric_limits<double>::quiet_NaN();
        return peak_misfit(peaks_of(c, record_[c].values), peaks_of(c, x), largest(c), p_.peak_window);
    }

    [[nodiscard]] Vec root(std::size_t c) const {
        if (p_.kind == MisfitKind::maximum_likelihood) {
            Vec w = Vec::Constant(samples(), std::sqrt(0.5) * record_[c].scale / record_[c].noise);
            for (Eigen::Index k = 0; k < w.size(); ++k)
                if (!is_finite(record_[c].values[k])) w[k] = 0.0;
            return w;
        }
        require(p_.kind == MisfitKind::least_squares, where,
                "only least squares and maximum likelihood are sums of squares; minimize the misfit itself");
        return weights_[c].cwiseSqrt();
    }

    [[nodiscard]] double norm() const {
        if (!p_.normalized) return 1.0;
        return p_.kind == MisfitKind::least_squares ? square_ : p_.kind == MisfitKind::least_modulus ? modulus_ : 1.0;
    }

    std::vector<Channel> record_;
    MisfitParams p_;
    std::vector<Vec> weights_, clean_;
    double square_ = 0.0, modulus_ = 0.0;
};

}  // namespace panto::ident
