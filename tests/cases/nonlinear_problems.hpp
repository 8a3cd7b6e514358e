// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Problems with published answers: the 27 nonlinear regressions of NIST's Statistical Reference Datasets, as templates
/// on the scalar: with dual numbers they have exact Jacobians. What such problems are judged by.

#pragma once

#include <panto/ident/gradient.hpp>
#include <panto/opt/concepts.hpp>

#include "../support/golden_json.hpp"

#include <Eigen/QR>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace panto::test {

/// One of NIST's regressions: model minus data.
struct NistProblem {
    std::string name;
    Parameters start[2];
    Parameters certified;
    double certified_value = 0.0;  ///< residual sum of squares
    Parameters y, x, x2;

    template <class S>
    [[nodiscard]] S model(const Vector<S, Dynamic>& b, double t, double t2) const {
        using std::atan, std::cos, std::exp, std::pow, std::sin;
        const auto starts = [this](const char* with) { return name.starts_with(with); };
        if (name == "Misra1a" || name == "BoxBOD") return b[0] * (1.0 - exp(-b[1] * t));
        if (name == "Misra1b") return b[0] * (1.0 - pow(1.0 + b[1] * t / 2.0, -2.0));
        if (name == "Misra1c") return b[0] * (1.0 - pow(1.0 + 2.0 * b[1] * t, -0.5));
        if (name == "Misra1d") return b[0] * b[1] * t / (1.0 + b[1] * t);
        if (starts("Chwirut")) return exp(-b[0] * t) / (b[1] + b[2] * t);
        if (starts("Lanczos")) return b[0] * exp(-b[1] * t) + b[2] * exp(-b[3] * t) + b[4] * exp(-b[5] * t);
        if (starts("Gauss")) {
            const S u = (t - b[3]) / b[4], v = (t - b[6]) / b[7];
            return b[0] * exp(-b[1] * t) + b[2] * exp(-u * u) + b[5] * exp(-v * v);
        }
        if (name == "DanWood") return b[0] * pow(t, b[1]);
        if (name == "Kirby2") return (b[0] + t * (b[1] + t * b[2])) / (1.0 + t * (b[3] + t * b[4]));
        if (name == "Hahn1" || name == "Thurber")
            return (b[0] + t * (b[1] + t * (b[2] + t * b[3]))) / (1.0 + t * (b[4] + t * (b[5] + t * b[6])));
        if (name == "Nelson") return b[0] - b[1] * t * exp(-b[2] * t2);
        if (name == "MGH17") return b[0] + b[1] * exp(-t * b[3]) + b[2] * exp(-t * b[4]);
        if (name == "Roszman1") return b[0] - b[1] * t - atan(b[2] / (t - b[3])) / std::numbers::pi;
        if (name == "ENSO") {
            const double w = 2.0 * std::numbers::pi * t;
            return b[0] + b[1] * std::cos(w / 12.0) + b[2] * std::sin(w / 12.0) + b[4] * cos(w / b[3]) +
                   b[5] * sin(w / b[3]) + b[7] * cos(w / b[6]) + b[8] * sin(w / b[6]);
        }
        if (name == "MGH09") return b[0] * (t * t + t * b[1]) / (t * t + t * b[2] + b[3]);
        if (name == "Rat42") return b[0] / (1.0 + exp(b[1] - b[2] * t));
        if (name == "MGH10") return b[0] * exp(b[1] / (t + b[2]));
        if (name == "Eckerle4") {
            const S u = (t - b[2]) / b[1];
            return b[0] / b[1] * exp(-0.5 * u * u);
        }
        if (name == "Rat43") return b[0] / pow(1.0 + exp(b[1] - b[2] * t), 1.0 / b[3]);
        if (name == "Bennett5") return b[0] * pow(b[1] + t, -1.0 / b[2]);
        throw std::runtime_error("no regression is called " + name);
    }

    template <class S>
    [[nodiscard]] Vector<S, Dynamic> operator()(const Vector<S, Dynamic>& b) const {
        Vector<S, Dynamic> r(y.size());
        for (Eigen::Index i = 0; i < y.size(); ++i) r[i] = model(b, x[i], x2.size() > 0 ? x2[i] : 0.0) - y[i];
        return r;
    }
};

inline std::vector<NistProblem> nist_problems() {
    std::vector<NistProblem> all;
    const nlohmann::json sets = golden("nist/nonlinear_regression.json");
    for (const auto& [name, set] : sets.items()) {
        NistProblem p;
        p.name = name;
        p.start[0] = golden_matrix(set.at("start_1")), p.start[1] = golden_matrix(set.at("start_2"));
        p.certified = golden_matrix(set.at("certified"));
        p.certified_value = set.at("sum_of_squares");
        p.y = golden_matrix(set.at("y")), p.x = golden_matrix(set.at("x"));
        if (set.contains("x2")) p.x2 = golden_matrix(set.at("x2"));
        if (name == "Nelson") p.y = p.y.array().log().matrix();
        all.push_back(std::move(p));
    }
    return all;
}

/// Digits of the worst parameter, at most 11: as many as NIST certifies.
inline double digits(const Parameters& found, const Parameters& certified) {
    const double worst = (found - certified).cwiseQuotient(certified).cwiseAbs().maxCoeff();
    return std::min(11.0, -std::log10(std::max(worst, 1e-16)));
}

/// Residuals alone: solvers difference them.
template <class F>
struct ByDifferences {
    const F& f;
    Status residuals(const Parameters& x, Parameters& r) const { return r = f(x), Status::ok; }
};

/// The share of r'r that a full step of Gauss and Newton promises to take away at x, from an exact Jacobian whose
/// columns are made equally long: 0 at a stationary point. By pivoted Householder reflections, which no solver uses.
template <class F>
double promised_share(const F& f, const Parameters& x, double rank_tolerance = 1e-13) {
    Parameters r;
    Matrix<double, Dynamic> J;
    if (ident::DualResiduals<F>(f).linearize(x, r, J) != Status::ok) return 1.0;
    if (!(r.norm() > 0.0)) return 0.0;
    for (Eigen::Index k = 0; k < J.cols(); ++k)
        if (J.col(k).norm() > 0.0) J.col(k) /= J.col(k).norm();
    Eigen::ColPivHouseholderQR<Matrix<double, Dynamic>> qr(J);
    qr.setThreshold(rank_tolerance);
    const Parameters q = qr.householderQ().adjoint() * r;
    return q.head(qr.rank()).squaredNorm() / r.squaredNorm();
}

}  // namespace panto::test
