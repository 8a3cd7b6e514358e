// SPDX-License-Identifier: BSD-3-Clause
#include <panto/catenary/finite_element.hpp>

#include "../../support/allocations.hpp"
#include "../../support/approx.hpp"
#include "sections.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace panto::catenary;
using Eigen::VectorXd;
using panto::test::random_section;
using panto::test::seed;

namespace finite_element_test {
namespace {

std::vector<Section<>> samples() {
    std::vector<Section<>> list{en50318_2002(3), ac_simple_2015(3), stitched_hil(3)};
    for (unsigned i = 0; i < 5; ++i) list.push_back(random_section(seed() + i));
    return list;
}

VectorXd product(const panto::linalg::SymmetricBand<>& A, const VectorXd& x) {
    VectorXd y = VectorXd::Zero(x.size());
    A.multiply(x, y);
    return y;
}

/// 1 at every free deflection, 0 at every slope: what a rise of the whole section does.
VectorXd rise(const FiniteElements<>& model) {
    const RawUnknowns raw(model.mesh());
    const auto& mesh = model.mesh();
    // The numbering that the model makes, from its public parts: all unknowns but the held ones, along the track.
    std::vector<bool> held(static_cast<std::size_t>(raw.size()), false), slope(held);
    const auto mark = [](std::vector<bool>& list, int unknown) { list[static_cast<std::size_t>(unknown)] = true; };
    mark(held, raw.contact(0));
    mark(held, raw.contact(mesh.contact.size() - 1));
    for (std::size_t s = 0; s < mesh.supports.size(); ++s)
        if (!model.section().supports[s].messenger_stiffness) mark(held, raw.messenger(mesh.messenger_supports[s]));
    for (std::size_t i = 0; i < mesh.contact.size(); ++i) mark(slope, raw.contact(i) + 1);
    for (std::size_t i = 0; i < mesh.messenger.size(); ++i) mark(slope, raw.messenger(i) + 1);
    const Numbering number(raw, [&](int r) { return !held[static_cast<std::size_t>(r)]; });
    VectorXd up = VectorXd::Zero(model.size());
    for (int r = 0; r < raw.size(); ++r)
        if (number[r] >= 0 && !slope[static_cast<std::size_t>(r)]) up[number[r]] = 1.0;
    return up;
}

/// Mass of all parts, kg.
double total_mass(const FiniteElements<>& model) {
    const Section<>& s = model.section();
    double mass = s.length() * (s.contact_wire.mass_per_length + s.messenger_wire.mass_per_length);
    for (const auto& d : model.droppers())
        mass += d.length * s.dropper.mass_per_length + s.dropper.clamp_mass_contact + s.dropper.clamp_mass_messenger;
    for (const auto& support : s.supports) {
        if (support.steady_arm) mass += support.steady_arm->mass_per_length * support.steady_arm->length / 3.0;
        if (support.stitch_wire)
            mass += support.stitch_wire->length * support.stitch_wire->mass_per_length +
                    2.0 * support.stitch_wire->clamp_mass;
    }
    return mass;
}

/// Part of a rising wire's kinetic mass that goes with a held node: e'M n + n'M e - n'M n of the two elements there.
double mass_of_held(const std::vector<double>& nodes, std::size_t node, double mass_per_length) {
    const double before = node > 0 ? nodes[node] - nodes[node - 1] : 0.0;
    const double after = node + 1 < nodes.size() ? nodes[node + 1] - nodes[node] : 0.0;
    return (before + after) * mass_per_length * (1.0 - 156.0 / 420.0);
}

}  // namespace

TEST_SUITE("catenary::FiniteElements") {
    TEST_CASE("mass, stiffness and the damped part of the stiffness are positive definite") {
        for (const Section<>& s : samples()) {
            CAPTURE(s.name);
            const FiniteElements<> model(s);
            CHECK_NOTHROW(panto::linalg::BandCholesky<>{model.mass()});
            CHECK_NOTHROW(panto::linalg::BandCholesky<>{model.stiffness()});
            auto damped = model.stiffness();
            for (int i = 0; i < model.size(); ++i) {
                CHECK(model.undamped()[i] >= 0.0);
                damped.add(i, i, -model.undamped()[i]);
            }
            CHECK_NOTHROW(panto::linalg::BandCholesky<>{damped});  // the ends still hold both wires
        }
    }

    TEST_CASE("the whole mass rises, except what the held nodes keep down") {
        for (const Section<>& s : samples()) {
            CAPTURE(s.name);
            const FiniteElements<> model(s);
            const Mesh& mesh = model.mesh();
            double expected = total_mass(model);
            for (const std::size_t end : {std::size_t{0}, mesh.contact.size() - 1})
                expected -= mass_of_held(mesh.contact, end, s.contact_wire.mass_per_length);
            for (std::size_t i = 0; i < mesh.supports.size(); ++i)
                if (!s.supports[i].messenger_stiffness)
                    expected -=
                        mass_of_held(mesh.messenger, mesh.messenger_supports[i], s.messenger_wire.mass_per_length);
            const VectorXd up = rise(model);
            CHECK(up.dot(product(model.mass(), up)) == approx(expected).epsilon(1e-12));
        }
    }

    TEST_CASE("a rise of the whole section strains only springs to ground and the elements at held nodes") {
        const FiniteElements<> model(en50318_2002(3));
        const VectorXd force = product(model.stiffness(), rise(model));
        CHECK(force.cwiseAbs().maxCoeff() > 1e4);
        for (std::size_t node = 2; node + 2 < model.mesh().contact.size(); ++node)
            for (const int row : model.contact_row(node)) CHECK(std::abs(force[row]) < 1e-6);  // entries of 1e5 cancel
        double springs = 0.0;
        for (int i = 0; i < model.size(); ++i)
            if (model.undamped()[i] != 0.0) springs += force[i];
        CHECK(springs == approx(2 * 5e5).epsilon(1e-10));
    }

    TEST_CASE("the damping is that of Rayleigh without the springs of supports and arms, and the dampers") {
        for (const Section<>& s : samples()) {
            const FiniteElements<> model(s);
            VectorXd x(model.size());
            for (int i = 0; i < model.size(); ++i) x[i] = std::sin(0.37 * i);
            const VectorXd expected =
                s.damping.alpha * product(model.mass(), x) +
                s.damping.beta * (product(model.stiffness(), x) - model.undamped().cwiseProduct(x)) +
                model.dampers().cwiseProduct(x);
            CHECK((product(model.damping(), x) - expected).norm() <= 1e-12 * expected.norm());
        }
    }

    TEST_CASE("the undamped springs are those of messenger supports and steady arms") {
        Section<> s = stitched_hil(3);
        s.supports[1].messenger_stiffness = 5e5;
        s.supports[2].steady_arm->stiffness = 120.0;
        const FiniteElements<> model(s);
        CHECK(model.undamped().sum() == approx(5e5 + 120.0));
        CHECK((model.undamped().array() > 0.0).count() == 2);
        CHECK(model.undamped()[model.contact_row(model.mesh().contact_supports[2])[0]] == 120.0);
    }

    TEST_CASE("a dropper is as stiff as given, or as its length makes it") {
        Section<> s = stitched_hil(2);
        const FiniteElements<> by_length(s);
        for (const auto& d : by_length.droppers()) CHECK(d.stiffness == approx(110e3 / d.length).epsilon(1e-14));
        s.dropper.stiffness = 7e4;
        const FiniteElements<> model(s);
        for (std::size_t j = 0; j < model.droppers().size(); ++j) {
            const auto& d = model.droppers()[j];
            CHECK(d.stiffness == 7e4);
            CHECK(d.static_force == model.shape().dropper_force[j]);
            CHECK(d.length == model.shape().dropper_length[j]);
            CHECK(d.position == model.mesh().droppers[j].position);
        }
    }

    TEST_CASE("a dropper's spring acts on the difference of its ends") {
        Section<> s = en50318_2002(2);
        const FiniteElements<> soft(s);
        *s.dropper.stiffness *= 2.0;
        const FiniteElements<> stiff(s);
        const auto& d = soft.droppers()[4];
        VectorXd x = VectorXd::Zero(soft.size());
        x[d.top] = 0.3;
        x[d.bottom] = 0.1;
        const VectorXd more = product(stiff.stiffness(), x) - product(soft.stiffness(), x);
        CHECK(more[d.top] == approx(1e5 * 0.2).epsilon(1e-9));
        CHECK(more[d.bottom] == approx(-1e5 * 0.2).epsilon(1e-9));
        CHECK(more.cwiseAbs().sum() == approx(2.0 * 1e5 * 0.2).epsilon(1e-9));
    }

    TEST_CASE("a point of the wire shares a force between its two nodes, and reproduces a rigid motion") {
        const FiniteElements<> model(stitched_hil(2));
        for (double x = 0.0; x <= 130.0; x += 0.377) {
            const WirePoint p = model.point(x);
            CHECK(p.value[0] + p.value[2] == approx(1.0).epsilon(1e-14));
            CHECK(std::abs(p.slope[0] + p.slope[2]) < 1e-13);
            CHECK(std::abs(p.curvature[0] + p.curvature[2]) < 1e-12);
            for (std::size_t i = 0; i < 4; ++i) CHECK((p.row[i] >= 0 || x < 2.0 || x > 128.0));
        }
    }

    TEST_CASE("height and slope are continuous from element to element") {
        const FiniteElements<> model(ac_simple_2015(2));
        VectorXd u(model.size());
        for (int i = 0; i < model.size(); ++i) u[i] = std::sin(0.7 * i);
        const auto at = [&](double x, bool slope) {
            const WirePoint p = model.point(x);
            double sum = 0.0;
            for (std::size_t i = 0; i < 4; ++i)
                if (p.row[i] >= 0) sum += (slope ? p.slope[i] : p.value[i]) * u[p.row[i]];
            return sum;
        };
        for (const double node : model.mesh().contact) {
            // 1e-10 m beside a node: slopes of 10 and curvatures of 100 leave 1e-8.
            CHECK(std::abs(at(node - 1e-10, false) - at(node + 1e-10, false)) < 1e-8);
            CHECK(std::abs(at(node - 1e-10, true) - at(node + 1e-10, true)) < 1e-7);
        }
    }

    TEST_CASE("outside the section the nearest end answers") {
        const FiniteElements<> model(en50318_2002(2));
        for (const double beyond : {1e-3, 10.0, 1e6}) {
            CHECK(model.point(-beyond).value == model.point(0.0).value);
            CHECK(model.point(120.0 + beyond).value == model.point(120.0).value);
            CHECK(model.point(120.0 + beyond).row == model.point(120.0).row);
        }
        CHECK(model.point(0.0).row[0] == -1);
        CHECK(model.point(120.0).row[2] == -1);
        CHECK(model.length() == 120.0);
    }

    TEST_CASE("the static height meets the prescribed ones, and its derivatives are its own") {
        const FiniteElements<> model(ac_simple_2015(2));
        for (const auto& d : model.mesh().droppers)
            CHECK(std::abs(model.static_height(d.position)[0] - d.contact_wire_height) < 1e-14);
        const double step = 1e-6;
        for (const double x : {20.3, 31.0, 55.2, 77.7}) {
            const auto before = model.static_height(x - step), here = model.static_height(x),
                       after = model.static_height(x + step);
            CHECK(std::abs((after[0] - before[0]) / (2.0 * step) - here[1]) < 1e-8);
            CHECK(std::abs((after[1] - before[1]) / (2.0 * step) - here[2]) < 1e-8);
        }
    }

    TEST_CASE("knows its longest element") {
        CHECK(FiniteElements<>(en50318_2002(2), {.contact = 100.0}).longest_contact_element() == approx(6.5));
        CHECK(FiniteElements<>(en50318_2002(2), {.contact = 1.3}).longest_contact_element() == approx(1.3));
    }

    TEST_CASE("a point and a height are found without allocating") {
        // @rt-tested: FiniteElements::point FiniteElements::static_height
        const FiniteElements<> model(en50318_2002(2));
        double sum = 0.0;
        CHECK(panto::test::allocations_in([&] { sum = model.point(33.3).value[0] + model.static_height(33.3)[0]; }) ==
              0);
        CHECK(std::isfinite(sum));
    }
}

}  // namespace finite_element_test
