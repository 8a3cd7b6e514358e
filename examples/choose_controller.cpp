// SPDX-License-Identifier: BSD-3-Clause
// A controller chosen when the program runs. The variant is opened once, outside the loop; each alternative has its
// own loop, which the compiler can inline. PredictiveLqg, the default of panto_run, is left out: all of these work
// through an interaction mass and begin without load, which it does not. See first_day.cpp.
#include <panto/panto.hpp>

#include <array>
#include <exception>
#include <iomanip>
#include <iostream>
#include <string_view>
#include <variant>

using namespace panto;

namespace {

constexpr double dt = 2e-3;
constexpr std::array<std::string_view, 3> known{"lqg", "paper_lqg", "none"};
using AnyController = std::variant<control::Lqg, control::PaperLqg, control::Direct>;

/// A soft pad: with it even a drive without controller follows; a stiff one, 240 kN/m, needs lqg.
plant::RigParams soft_pad() {
    return {
        .pad_stiffness = 15e3, .pantograph = pantograph::preset("DSA380_HiL").params, .force_filter = {.cut_off = 0.0}};
}

AnyController make_controller(std::string_view name) {
    if (name == known[0]) return control::Lqg({.rig = soft_pad()}, dt);
    if (name == known[1]) return control::PaperLqg({.rig = soft_pad()}, dt);
    if (name == known[2]) return control::Direct();
    throw SetupError(unknown_name("choose_controller", "controller", name, known));
}

}  // namespace

int main(int argc, char* argv[]) {
    try {
        AnyController chosen = make_controller(argc > 1 ? argv[1] : "none");
        rig::Simulated stand({.rig = soft_pad()}, dt);
        catenary::RealTimeEngine<> wire(catenary::FiniteElements<>(catenary::stitched_hil(6)),
                                        {.speed = 250.0 / 3.6, .start = 65.0, .dt = dt});
        const auto report = std::visit(
            [&](auto& controller) {
                rig::Cycle cycle(stand.sensor, wire, controller, stand.drive,
                                 interaction::MassInteraction({.ramp_time = 0.7}, dt));
                return rig::run(cycle, stand.clock, {.duration = std::chrono::seconds(3)});
            },
            chosen);
        std::cout << report.reason() << " after " << report.cycles << " cycles, contact force " << std::fixed
                  << std::setprecision(1) << stand.contact_force() << " N\n";
        return usable(report.status) ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << '\n';
        return 2;
    }
}
