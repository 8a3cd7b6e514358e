// SPDX-License-Identifier: BSD-3-Clause
// Absorbing layers as ends of the line in the train's frame.
#include <panto/catenary/moving_engine.hpp>
#include <panto/catenary/moving_layer.hpp>

#include "allocations.hpp"
#include "message.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace moving_layer_test {
namespace {

using namespace panto;
using namespace panto::catenary;

/// A string and a damped, stiff wire, held by a mast and two droppers, 8 m spans.
PeriodicLine small_line(double bending) {
    PeriodicLine line{
        .period = 8.0,
        .contact_wire = {.mass_per_length = 1.3, .bending_stiffness = bending, .tension = 20e3},
        .messenger_wire = {
            .mass_per_length = 1.0, .viscous_damping = 0.3, .bending_stiffness = bending, .tension = 14e3}};
    line.droppers = {{1.1, 3000.0, 2.0, 50.0}, {5.3, 2000.0, 0.0, 50.0}};
    line.on_messenger = {{.position = 0.3, .stiffness = 5e4, .mass = 0.5}};
    return line;
}
MovingGrid grid(int spans) {
    return {.speed = 40.0, .dt = 0.0025, .cells = 16, .spans = spans, .least_damping = 0.0, .accept_growth = true};
}

}  // namespace

TEST_CASE("an undamped layer is a longer wire") {
    // Strings without droppers: a span with a layer of 15 points on either side, held at the 16th, is the middle one of
    // three spans, held at their ends.
    PeriodicLine line = small_line(0.0);
    line.droppers.clear();
    line.on_messenger.clear();
    const auto w = moving_wires(line, grid(1));
    using wave::mirrored;
    const MovingEnds<LayerEnd> ends{LayerEnd(w.contact, 15, 0.0), LayerEnd(mirrored(w.contact), 15, 0.0),
                                    LayerEnd(w.messenger, 15, 0.0), LayerEnd(mirrored(w.messenger), 15, 0.0)};
    MovingEngine<LayerEnd> layered(line, grid(1), ends);
    MovingEngine<wave::Support<>> longer(line, grid(3), clamped_ends(moving_wires(line, grid(3))));
    double worst = 0.0, most = 0.0;
    for (int n = 0; n < 400; ++n) {
        const double force = n < 40 ? 100.0 : 0.0;
        layered.step(force);
        longer.step(force);
        worst = std::max(worst, (layered.contact_wire() - longer.contact_wire().segment(16, 17)).cwiseAbs().maxCoeff());
        most = std::max(most, layered.contact_wire().cwiseAbs().maxCoeff());
    }
    CHECK(most > 1e-2);
    CHECK(worst < 1e-12);
}

TEST_CASE("a damped layer takes what an undamped one sends back") {
    PeriodicLine line = small_line(0.0);
    line.droppers.clear();
    line.on_messenger.clear();
    const auto w = moving_wires(line, grid(1));
    // What is left on the grid after a push and a pull of 25 ms, once its waves have been to the far end of 40 m and
    // back.
    const auto left = [&](double remainder) {
        MovingEngine<LayerEnd> engine(line, grid(1), absorbing_layers(w, {.points = 80, .remainder = remainder}));
        double most = 0.0, rest = 0.0;
        for (int n = 0; n < 800; ++n) {
            engine.step(n < 10 ? 100.0 : n < 20 ? -100.0 : 0.0);
            double& at = n < 40 ? most : rest;
            if (n < 40 || n > 200) at = std::max(at, engine.contact_wire().cwiseAbs().maxCoeff());
        }
        return rest / most;
    };
    // Of waves that are short against the layer a hundredth comes back; the longer ones in such a push bring more.
    CHECK(left(0.99) > 1.0);
    CHECK(left(0.01) < 0.1 * left(0.99));
}

TEST_CASE("a line with layers comes to rest; its state is saved and restored whole, and no step takes memory") {
    const PeriodicLine line = small_line(80.0);
    MovingGrid g = grid(1);
    g.least_damping = 1e-4, g.accept_growth = false;
    MovingEngine<LayerEnd> engine(line, g, absorbing_layers(moving_wires(line, g), {.points = 20}));
    CHECK(engine.period_radius() < 1.0);
    REQUIRE(engine.states() == 4 * 17 + 4 * 2 * 20);
    for (int n = 0; n < 30; ++n) engine.step(100.0);
    auto copy = engine;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(engine.states());
    // @rt-tested: LayerEnd::apply LayerEnd::reset LayerEnd::get LayerEnd::put
    CHECK(test::allocations_in([&] {
              engine.get(x);
              engine.reset();
              engine.put(x, 30);
              engine.advance(0.0);
          }) == 0);
    copy.get(x);
    copy.put(x, 30);
    copy.advance(0.0);
    for (int n = 0; n < 50; ++n) {
        engine.advance(10.0);
        copy.advance(10.0);
    }
    CHECK((engine.contact_wire() - copy.contact_wire()).cwiseAbs().maxCoeff() == 0.0);
    CHECK(engine.contact_wire().cwiseAbs().maxCoeff() > 1e-4);
}

TEST_CASE("what makes no layer is refused") {
    const auto w = moving_wires(small_line(80.0), grid(1));
    const auto refused = [&](const LayerParams& p) { return test::message([&] { (void)absorbing_layers(w, p); }); };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(has(refused({.points = 0}), "points is 0"));
    CHECK(has(refused({.remainder = 0.0}), "remainder is 0"));
    CHECK(has(refused({.remainder = 1.0}), "remainder is 1"));
    CHECK(has(refused({.remainder = std::numeric_limits<double>::quiet_NaN()}), "remainder is nan"));
    CHECK_THROWS_AS(LayerEnd(w.contact, 10, -1.0), SetupError);
    wave::Stencil<> wide = w.contact;
    wide.next.front() = 0.1;
    CHECK(has(test::message([&] { (void)LayerEnd(wide, 10, 1.0); }), "neighbours only"));
}

}  // namespace moving_layer_test
