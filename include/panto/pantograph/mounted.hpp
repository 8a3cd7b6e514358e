// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where a force element sits in a pantograph: between two of its masses, or between a mass and the roof.

#pragma once

#include <panto/element/implicit_step.hpp>

#include <tuple>
#include <utility>

namespace panto::pantograph {

/// The number that stands for the roof as an end of an element.
inline constexpr int roof = -1;

/// An element between two masses, or between a mass and the roof. Masses are numbered from 0, the pan-head. The motion
/// of the element is x = u_from - u_to - relaxed; its force acts on `to`, and reversed on `from`. With the upper end as
/// `from`, x is a stretch, and a positive force pulls; with the lower end as `from`, x is a compression, and a positive
/// force pushes, as that of a PenaltyContact or of an air spring. For springs and dampers that act alike in both
/// directions the order of the ends makes no difference.
template <class E>
struct Mounted {
    using Scalar = typename E::Memory::Scalar;
    E element;
    int from = 0;
    int to = roof;
    Scalar relaxed{0.0};  ///< m, u_from - u_to at which x is 0; the roof has the height 0
};

namespace detail {
template <Real Scalar, class Part>
[[nodiscard]] auto as_element(Part part) {
    if constexpr (requires { validate(part); }) validate(part);
    if constexpr (ForceLaw<Part, Scalar>)
        return element::Memoryless<Part, Scalar>(std::move(part));
    else
        return part;
}
}  // namespace detail

/// What can be mounted: a force law, or an element with memory.
template <class Part, class Scalar = double>
concept Mountable = ForceLaw<Part, Scalar> || element::SteppedElement<Part, Scalar>;

/// A law or an element, to be mounted between two masses, or a mass and the roof; see Mounted.
/// @tparam Scalar  that of the pantograph
/// @param relaxed  m
/// @throws SetupError as validate, for laws that have one.
template <Real Scalar = double, Mountable<Scalar> Part>
[[nodiscard]] auto between(int from, int to, Part part, const Scalar& relaxed = Scalar(0.0)) {
    auto element = detail::as_element<Scalar>(std::move(part));
    return Mounted<decltype(element)>{std::move(element), from, to, relaxed};
}

template <class Chain, class... Es>
class WithElements;

/// All elements of a pantograph; a value.
template <class... Es>
class Elements {
  public:
    Elements(Mounted<Es>... mounted) : mounted_(std::move(mounted)...) {}
    /// The pantograph made of these masses and elements; needs with_elements.hpp.
    /// @throws SetupError as WithElements.
    template <class Chain>
    [[nodiscard]] WithElements<Chain, Es...> on(Chain chain) const;
    [[nodiscard]] const std::tuple<Mounted<Es>...>& mounted() const noexcept { return mounted_; }

  private:
    std::tuple<Mounted<Es>...> mounted_;
};

}  // namespace panto::pantograph
