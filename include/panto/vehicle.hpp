// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `vehicle`: wheel on rail, bogie, track. Include by name: whole vehicles (linear_march.hpp,
/// nonlinear_vehicle.hpp), tracks with curves (track_design.hpp), records (line_record.hpp, line_signals.hpp) and the
/// gradients (bogie_adjoint.hpp, linear_gradient.hpp).

#pragma once

#include <panto/vehicle/bogie.hpp>
#include <panto/vehicle/contact_geometry.hpp>
#include <panto/vehicle/creep.hpp>
#include <panto/vehicle/cubic_spline.hpp>
#include <panto/vehicle/hertz.hpp>
#include <panto/vehicle/hunting.hpp>
#include <panto/vehicle/irregularity.hpp>
#include <panto/vehicle/kalker.hpp>
#include <panto/vehicle/limit_cycle.hpp>
#include <panto/vehicle/profile.hpp>
#include <panto/vehicle/ride.hpp>
#include <panto/vehicle/track.hpp>
#include <panto/vehicle/wheelset.hpp>
#include <panto/vehicle/wheelset_dynamics.hpp>
