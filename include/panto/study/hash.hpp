// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A fingerprint of everything that the results of a study depend on, so that no other study continues its journal:
/// FNV-1a with 64 bits, the same on every machine. Not cryptographic.

#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>

namespace panto::study {

/// `Hash().add("beam").add(options.dt).add(points).value()`. The order matters, and so do the lengths: "ab" and then
/// "c" gives another value than "a" and then "bc".
class Hash {
  public:
    Hash& add(std::string_view text) {
        add(text.size());
        for (const char c : text) byte(static_cast<unsigned char>(c));
        return *this;
    }
    Hash& add(const char* text) { return add(std::string_view(text)); }

    /// Adds the bits of the number: 0.0 and -0.0 differ.
    Hash& add(double number) { return word(std::bit_cast<std::uint64_t>(number)); }

    template <std::integral Integer>
    Hash& add(Integer number) {
        return word(static_cast<std::uint64_t>(number));
    }

    /// Adds a vector, an array, a vector of vectors, or a vector or matrix of Eigen or a part of one (column by column,
    /// in any storage order). For a file, add the content of the file; adding its path does not compile.
    template <class Range>
        requires std::ranges::range<const Range> && (!std::convertible_to<const Range&, std::string_view>) &&
                 (!std::same_as<std::ranges::range_value_t<const Range>, Range>)  // a path is a range of paths
    Hash& add(const Range& range) {
        add(static_cast<std::uint64_t>(std::ranges::distance(range)));
        for (const auto& entry : range) add(entry);
        return *this;
    }
    template <class Dense>
        requires(!std::ranges::range<const Dense>) && requires(const Dense& m) {
            { m(0, 0) } -> std::convertible_to<double>;
            { m.rows() } -> std::convertible_to<std::ptrdiff_t>;
            { m.cols() } -> std::convertible_to<std::ptrdiff_t>;
        }
    Hash& add(const Dense& m) {
        add(m.rows()).add(m.cols());
        for (std::ptrdiff_t k = 0; k < m.cols(); ++k)
            for (std::ptrdiff_t i = 0; i < m.rows(); ++i) add(static_cast<double>(m(i, k)));
        return *this;
    }

    [[nodiscard]] std::uint64_t value() const { return hash_; }

    /// The hash as 16 hexadecimal digits, as used in journals and messages.
    [[nodiscard]] std::string digits() const { return digits(hash_); }
    [[nodiscard]] static std::string digits(std::uint64_t hash) {
        std::string text(16, '0');
        for (std::size_t i = text.size(); i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 0xf];
        return text;
    }

  private:
    void byte(unsigned char b) {
        hash_ ^= b;
        hash_ *= 0x100000001b3;
    }
    Hash& word(std::uint64_t w) {
        for (int i = 0; i < 8; ++i, w >>= 8) byte(static_cast<unsigned char>(w & 0xff));
        return *this;
    }

    std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace panto::study
