// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The room `ident`: parameters from measurements. Include rig_fit.hpp by name.

#pragma once

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
#include <panto/ident/heat_slab.hpp>
#include <panto/ident/infinite_product.hpp>
#include <panto/ident/misfit.hpp>
#include <panto/ident/modal_beam.hpp>
#include <panto/ident/modal_field.hpp>
#include <panto/ident/placement.hpp>
#include <panto/ident/records.hpp>
#include <panto/ident/regularization.hpp>
#include <panto/ident/spring_beam.hpp>
#include <panto/ident/transfer_functions.hpp>
