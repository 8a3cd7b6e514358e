// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The experiment of the predictive paper: --controller mpc.

#pragma once

#include "job.hpp"

namespace panto_run {

/// A linear drive on the pantograph, under one span of the line in the train's frame, or under the section itself with
/// --engine realtime. Unless a static force is given, the uplift force rises from 130 to 220 N during the run, as in
/// the paper.
/// @param results  the run is recorded there while it goes on
/// @throws SetupError if the line is not periodic, or speed and cycle do not divide its span.
panto::io::RunRecord mpc_run(const Options& options, const Job& job, panto::io::RunRecord run,
                             const panto::io::ResultFolder& results);

}  // namespace panto_run
