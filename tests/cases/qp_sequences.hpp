// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The receding-horizon sequences of tests/golden/qp, condensed from plant and weights.

#pragma once

#include <panto/opt/quadratic_program.hpp>

#include <Eigen/Core>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace panto::test {

[[nodiscard]] inline Eigen::MatrixXd read_matrix(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::vector<std::vector<double>> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.empty()) continue;
        rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
    }
    Eigen::MatrixXd m(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.at(0).size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows[i].size(); ++j)
            m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i].at(j);
    return m;
}

struct QpSequence {
    Eigen::MatrixXd A, B, Q, R, S, bounds, fref, reference, previous, state, solutions;
    Eigen::MatrixXd H, rates;  ///< condensed
    Eigen::Index horizon = 0;

    QpSequence(const std::string& golden, const std::string& name) {
        const auto read = [&](const char* file) { return read_matrix(golden + "/qp/" + name + "/" + file + ".csv"); };
        A = read("Ad"), B = read("Bd"), Q = read("Q"), R = read("R"), S = read("S");
        bounds = read("bounds"), fref = read("fref"), reference = read("r");
        previous = read("uprev"), state = read("x0"), solutions = read("xref");
        const Eigen::Index nu = B.cols(), n = bounds.rows();
        horizon = n / nu;
        rates = Eigen::MatrixXd::Identity(n, n);
        for (Eigen::Index i = nu; i < n; ++i) rates(i, i - nu) = -1.0;
        // Column block j of G: what u_j does to the states after it.
        const Eigen::Index nx = A.rows();
        G = Eigen::MatrixXd::Zero(horizon * nx, n);
        F = Eigen::MatrixXd::Zero(horizon * nx, nx);
        Eigen::MatrixXd power = Eigen::MatrixXd::Identity(nx, nx);
        for (Eigen::Index i = 0; i < horizon; ++i) {
            for (Eigen::Index j = 0; i + j < horizon; ++j) G.block((i + j) * nx, j * nu, nx, nu) = power * B;
            power = (A * power).eval();
            F.middleRows(i * nx, nx) = power;
        }
        Eigen::MatrixXd QG(G.rows(), G.cols()), moves = Eigen::MatrixXd::Zero(n, n);
        for (Eigen::Index i = 0; i < horizon; ++i) {
            QG.middleRows(i * nx, nx) = Q * G.middleRows(i * nx, nx);
            moves.block(i * nu, i * nu, nu, nu) = S;
        }
        H = G.transpose() * QG + rates.transpose() * moves * rates;
        for (Eigen::Index i = 0; i < horizon; ++i) H.block(i * nu, i * nu, nu, nu) += R;
        H = (0.5 * (H + H.transpose())).eval();
    }

    [[nodiscard]] Eigen::Index count() const { return state.rows(); }

    [[nodiscard]] Eigen::VectorXd gradient(Eigen::Index k) const {
        const Eigen::Index nx = A.rows();
        Eigen::VectorXd error = F * state.row(k).transpose();
        for (Eigen::Index i = 0; i < horizon; ++i)
            error.segment(i * nx, nx) = (Q * (error.segment(i * nx, nx) - reference.row(k).transpose())).eval();
        Eigen::VectorXd g = G.transpose() * error;
        g.head(B.cols()) -= S * previous.row(k).transpose();
        return g;
    }

    [[nodiscard]] opt::QuadraticLimits<> limits(Eigen::Index k) const {
        opt::QuadraticLimits<> l{bounds.col(0), bounds.col(1), bounds.col(2), bounds.col(3)};
        l.row_lower.head(B.cols()) += previous.row(k).transpose();
        l.row_upper.head(B.cols()) += previous.row(k).transpose();
        return l;
    }

  private:
    Eigen::MatrixXd G, F;
};

}  // namespace panto::test
