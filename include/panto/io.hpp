// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All of the room `io`: files, pages, charts, and descriptions in JSON. Until the next release, all of the room
/// `session` as well, which was part of it.

#pragma once

#include <panto/io/chart.hpp>
#include <panto/io/chart_dygraphs.hpp>
#include <panto/io/chart_gnuplot.hpp>
#include <panto/io/csv.hpp>
#include <panto/io/file.hpp>
#include <panto/io/gnuplot.hpp>
#include <panto/io/json_object.hpp>
#include <panto/io/machine.hpp>
#include <panto/io/page.hpp>
#include <panto/io/page_parts.hpp>
#include <panto/io/pantograph_json.hpp>
#include <panto/io/progress.hpp>
#include <panto/io/result_folder.hpp>
#include <panto/io/section_json.hpp>
#include <panto/io/spool.hpp>
#include <panto/io/stop_signal.hpp>
#include <panto/session.hpp>
#include <panto/session/comparison_json.hpp>
#include <panto/session/summary_json.hpp>
