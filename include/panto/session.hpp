// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `session` that needs Eigen alone: a run from commissioning to evaluation, report and files. The two
/// headers that write and read summary.json, session/summary_json.hpp and session/comparison_json.hpp, are asked for by
/// name.

#pragma once

#include <panto/session/evaluation.hpp>
#include <panto/session/loop_record.hpp>
#include <panto/session/recorded_run.hpp>
#include <panto/session/report.hpp>
#include <panto/session/report_plots.hpp>
#include <panto/session/results_table.hpp>
#include <panto/session/run_csv.hpp>
#include <panto/session/run_plan.hpp>
#include <panto/session/run_record.hpp>
#include <panto/session/session.hpp>
#include <panto/session/simulate.hpp>
