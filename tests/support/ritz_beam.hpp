// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The clamped beam under tension by Ritz' method with polynomials (1 - s^2)^2 P_k(s), s = -1..1: no modes, no grid. It
/// shares nothing with ident::ModalBeam but the equation.

#pragma once

#include <panto/field/modal_beam.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace panto::test {

class RitzBeam {
  public:
    RitzBeam(double length, const wave::BeamParams<double>& p, int functions)
        : length_(length),
          mass_(Eigen::MatrixXd::Zero(functions, functions)),
          damping_(mass_),
          stiffness_(mass_),
          functions_(functions) {
        const int nodes = functions + 8;
        const double half = 0.5 * length;
        for (int i = 0; i < nodes; ++i) {
            double s = std::cos(std::numbers::pi * (i + 0.75) / (nodes + 0.5));  // Gauss' node and weight
            for (int k = 0; k < 50; ++k) {
                const auto P = legendre(nodes, s);
                s -= P[0] / P[1];
            }
            const double slope = legendre(nodes, s)[1], weight = 2.0 / ((1.0 - s * s) * slope * slope) * half;
            const auto [value, first, second] = functions_at(s);
            const Eigen::VectorXd turn = first / half, bend = second / (half * half);
            mass_ += weight * p.mass_per_length * value * value.transpose();
            damping_ +=
                weight * (p.viscous_damping * value * value.transpose() + p.material_damping * bend * bend.transpose());
            stiffness_ +=
                weight * (p.bending_stiffness * bend * bend.transpose() + p.tension * turn * turn.transpose());
        }
    }

    /// rad/s, undamped, ascending.
    [[nodiscard]] Eigen::VectorXd frequencies() const {
        return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness_, mass_, Eigen::EigenvaluesOnly)
            .eigenvalues()
            .cwiseSqrt();
    }

    /// m at x under 1 N at `at`.
    [[nodiscard]] double compliance(double x, double at) const {
        return functions_at(2.0 * x / length_ - 1.0)[0].dot(
            stiffness_.ldlt().solve(functions_at(2.0 * at / length_ - 1.0)[0]));
    }

    /// As ModalBeam::response for one sensor: the sines are ramped between steps of dt/parts.
    [[nodiscard]] Eigen::VectorXd response(double at, const std::vector<ident::SineForce>& force, double sensor,
                                           double dt, int steps, int parts) const {
        const Eigen::Index n = functions_;
        // In coordinates with unit mass: z = L' q, M = L L'.
        const Eigen::LLT<Eigen::MatrixXd> llt(mass_);
        const Eigen::MatrixXd L = llt.matrixL();
        const auto whiten = [&](const Eigen::MatrixXd& K) {
            const Eigen::MatrixXd left = L.triangularView<Eigen::Lower>().solve(K);
            return Eigen::MatrixXd(L.triangularView<Eigen::Lower>().solve(left.transpose()).transpose());
        };
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n, 2 * n), B = Eigen::MatrixXd::Zero(2 * n, 1);
        A.topRightCorner(n, n).setIdentity();
        A.bottomLeftCorner(n, n) = -whiten(stiffness_);
        A.bottomRightCorner(n, n) = -whiten(damping_);
        B.bottomRows(n) = L.triangularView<Eigen::Lower>().solve(functions_at(2.0 * at / length_ - 1.0)[0]);
        const Eigen::VectorXd seen =
            L.triangularView<Eigen::Lower>().solve(functions_at(2.0 * sensor / length_ - 1.0)[0]);
        const auto step = linalg::first_order_hold(A, B, dt / parts);
        const auto newton = [&](double t) {
            double sum = 0.0;
            for (const auto& s : force) sum += s.newton * std::sin(2.0 * std::numbers::pi * s.hertz * t + s.phase);
            return sum;
        };
        Eigen::VectorXd x = Eigen::VectorXd::Zero(2 * n), y(steps);
        for (int k = 0; k < steps * parts; ++k) {
            x = (step.A * x + step.B_before * newton(k * dt / parts) + step.B_now * newton((k + 1) * dt / parts))
                    .eval();
            if ((k + 1) % parts == 0) y[(k + 1) / parts - 1] = seen.dot(x.head(n));
        }
        return y;
    }

  private:
    /// P_n and its slope.
    static std::array<double, 2> legendre(int n, double s) {
        double before = 1.0, now = s;
        for (int k = 1; k < n; ++k) {
            const double next = ((2 * k + 1) * s * now - k * before) / (k + 1);
            before = now, now = next;
        }
        return {now, n * (s * now - before) / (s * s - 1.0)};
    }

    /// Values, first and second derivatives by s.
    [[nodiscard]] std::array<Eigen::VectorXd, 3> functions_at(double s) const {
        const double w = (1.0 - s * s) * (1.0 - s * s), w1 = -4.0 * s * (1.0 - s * s), w2 = -4.0 + 12.0 * s * s;
        std::array<Eigen::VectorXd, 3> f{Eigen::VectorXd(functions_), Eigen::VectorXd(functions_),
                                         Eigen::VectorXd(functions_)};
        double P = 1.0, P1 = 0.0, P2 = 0.0, Q = 0.0, Q1 = 0.0, Q2 = 0.0;  // of k, and of k - 1
        for (int k = 0; k < functions_; ++k) {
            const double size = std::pow(k + 2.0, 1.5);  // about the norm of the curvature over that of the value
            f[0][k] = w * P / size, f[1][k] = (w1 * P + w * P1) / size;
            f[2][k] = (w2 * P + 2.0 * w1 * P1 + w * P2) / size;
            const double a = (2 * k + 1.0) / (k + 1.0), b = k / (k + 1.0);
            const double R = a * s * P - b * Q, R1 = a * (P + s * P1) - b * Q1, R2 = a * (2.0 * P1 + s * P2) - b * Q2;
            Q = P, Q1 = P1, Q2 = P2, P = R, P1 = R1, P2 = R2;
        }
        return f;
    }

    double length_;
    Eigen::MatrixXd mass_, damping_, stiffness_;
    int functions_;
};

}  // namespace panto::test
