// SPDX-License-Identifier: BSD-3-Clause
// One of two units of the consumer: every header that needs Eigen alone, and a controller set up. UNIT is its function.
#include <panto/absorbing.hpp>
#include <panto/field.hpp>
#include <panto/ident.hpp>
#include <panto/opt.hpp>
#include <panto/panto.hpp>
#include <panto/poly.hpp>
#include <panto/sensitivity.hpp>
#include <panto/session.hpp>
#include <panto/transparent.hpp>
#include <panto/wave.hpp>
#ifdef NLOHMANN_JSON_VERSION_MAJOR
#error "a session needs no JSON"
#endif

double UNIT() {
    const panto::plant::RigParams rig{.pad_stiffness = 60e3,
                                      .pantograph = panto::pantograph::preset("DSA380_HiL").params};
    return panto::control::Lqg({.rig = rig}, 0.002).regulator_radius();
}
