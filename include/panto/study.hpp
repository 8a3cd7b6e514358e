// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The headers of the room `study` that need no other library. The executors for threads and for several machines are
/// in panto/study/threads.hpp (oneTBB) and panto/study/mpi.hpp (MPI).

#pragma once

#include <panto/study/concepts.hpp>
#include <panto/study/hash.hpp>
#include <panto/study/journal.hpp>
#include <panto/study/outcome.hpp>
#include <panto/study/progress.hpp>
#include <panto/study/record.hpp>
#include <panto/study/run.hpp>
#include <panto/study/serial.hpp>
