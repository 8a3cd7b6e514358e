// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `ident`: parameters from measurements. Include rig_fit.hpp by name. Until the next release, the room
/// `field` as well, which was part of it.

#pragma once

#include <panto/field.hpp>
#include <panto/ident/adjoint.hpp>
#include <panto/ident/beam.hpp>
#include <panto/ident/beam_adjoint.hpp>
#include <panto/ident/beam_fit.hpp>
#include <panto/ident/beam_front.hpp>
#include <panto/ident/beam_profile.hpp>
#include <panto/ident/boundary_adjoint.hpp>
#include <panto/ident/boundary_fit.hpp>
#include <panto/ident/boundary_law.hpp>
#include <panto/ident/boundary_model.hpp>
#include <panto/ident/boundary_record.hpp>
#include <panto/ident/boundary_recovery.hpp>
#include <panto/ident/confidence.hpp>
#include <panto/ident/fisher.hpp>
#include <panto/ident/gradient.hpp>
#include <panto/ident/misfit.hpp>
#include <panto/ident/placement.hpp>
#include <panto/ident/records.hpp>
#include <panto/ident/regularization.hpp>
