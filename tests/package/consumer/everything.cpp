// SPDX-License-Identifier: BSD-3-Clause
// A user's file at its worst: headers of the C library with their macros come first, every room comes along, and two
// namespaces are opened. Compiled with more warnings than most people have, as errors.
#include <panto/absorbing.hpp>
#include <panto/field.hpp>
#include <panto/ident.hpp>
#include <panto/opt.hpp>
#include <panto/panto.hpp>
#include <panto/poly.hpp>
#include <panto/sensitivity.hpp>
#include <panto/session.hpp>
#include <panto/testing.hpp>
#include <panto/transparent.hpp>
#include <panto/version.hpp>
#include <panto/wave.hpp>

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#if __has_include(<panto/study.hpp>) && __has_include(<panto/study/run.hpp>)
#include <panto/study.hpp>
#endif

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace panto;
using namespace std;

struct Cell {
    Result<double> read() noexcept { return {120.0}; }
};
static_assert(ForceSensor<Cell> && Real<double>);
static_assert(version.size() > 0 && version_major >= 0 && version_minor >= 0 && version_patch >= 0);
static_assert(sum_size(Dynamic, 3) == Dynamic);

/// Descriptions as users write them, with the rest left to its defaults.
int described() {
    const Motion motion{.height = 1.0};
    const Exchange exchange_of_cycle{.strip = motion};
    const catenary::Span span{.length = 65.0};
    const catenary::Support<> support{.messenger_height = 1.2};
    const catenary::Section<> section{.name = "mine", .spans = {span}, .supports = {support, {}}};
    const catenary::DropperType<> dropper{.stiffness = 1e5};
    const plant::ChainParams<> chain{.mass = Eigen::Vector2d(5.0, 10.0)};
    const interaction::ForceRecord record{.force = {120.0}};
    const interaction::CriteriaParams criteria{.uplift_space = 0.1};
    const ident::Channel channel{.name = "force"};
    const opt::Bounds bounds{.lower = Parameters::Zero(2)};
    const opt::Minimum minimum{.value = 1.0};
    const sensitivity::ExactIndices indices{.mean = 1.0};
    const rig::CycleRecord of_cycle{.status = Status::not_running};
    return static_cast<int>(section.spans.size() + record.force.size()) +
           static_cast<int>(dropper.stiffness.has_value()) +
           static_cast<int>(chain.mass.size() + channel.time.size() + bounds.upper.size() + minimum.x.size()) +
           static_cast<int>(indices.first.size()) + static_cast<int>(criteria.uplift_space.has_value()) +
           static_cast<int>(exchange_of_cycle.strip.height + motion.speed) + static_cast<int>(of_cycle.status);
}

/// What the library shares with the C library and std by name, as everybody calls it.
double called(double x) {
    const auto d = Dual<1>::variable(x, 0);
    const double both = value_of(sin(d) + abs(d) + exp(d) * max(d, d)) + sin(x) + abs(x) + exp(x) + max(x, 0.0);
    double sum = both + static_cast<double>(is_finite(x)) + static_cast<double>(is_nan(x));
    sum += static_cast<double>(finite(x)) + static_cast<double>(isfinite(x)) + hypot(x, x) + cbrt(x) + pow(x, 2.0);
    sum += static_cast<double>(system(nullptr)) + static_cast<double>(clock()) + static_cast<double>(time(nullptr));
    sum += static_cast<double>(strlen(index("a=b", '='))) + jn(0, x) + y0(1.0 + abs(x)) + drem(x, 3.0);
    if (access("/", R_OK) == 0 && usable(Status::ok) && !shown(x).empty() && exchange(sum, x) < 0.0) sum += 1.0;
    require(sum < 1e300, "everything", "the sum is ", sum);
    require_finite(sum, "everything", "sum");
    const string_view known[] = {"mass", "stiffness"};
    return sum + static_cast<double>(nearest_name("mas", known).size()) + static_cast<double>(name(Status::ok).size());
}

/// The models in single precision: what they compute in double on the way is narrowed by name.
float in_float() {
    const wave::BeamParams<float> wire{.mass_per_length = 1.35f, .bending_stiffness = 150.0f, .tension = 2e4f};
    const auto scheme = wave::beam_stencil(wire, 0.25, 0.5 * static_cast<double>(wave::beam_largest_step(wire, 0.25)));
    return wave::retimed(scheme, 0.5 * scheme.dt).next[0];
}
template class catenary::NearLine<float>;

double everything() {
    const Vector<double, 2> v = Vector<double, 2>::Ones();
    const panto::Matrix<double, 2> m = panto::Matrix<double, 2>::Identity();
    return static_cast<double>(described()) + called(v.dot(m * v)) + static_cast<double>(in_float());
}
