// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `io`: files, reports, progress.

#pragma once

#include <panto/io/chart.hpp>
#include <panto/io/chart_dygraphs.hpp>
#include <panto/io/chart_gnuplot.hpp>
#include <panto/io/comparison.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/evaluation.hpp>
#include <panto/io/file.hpp>
#include <panto/io/gnuplot.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/loop_record.hpp>
#include <panto/io/machine.hpp>
#include <panto/io/page.hpp>
#include <panto/io/page_parts.hpp>
#include <panto/io/pantograph_json.hpp>
#include <panto/io/progress.hpp>
#include <panto/io/report.hpp>
#include <panto/io/report_plots.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/io/results_table.hpp>
#include <panto/io/run_csv.hpp>
#include <panto/io/run_plan.hpp>
#include <panto/io/run_record.hpp>
#include <panto/io/section_json.hpp>
#include <panto/io/session.hpp>
#include <panto/io/simulate.hpp>
#include <panto/io/spool.hpp>
#include <panto/io/stop_signal.hpp>
#include <panto/io/summary_json.hpp>
