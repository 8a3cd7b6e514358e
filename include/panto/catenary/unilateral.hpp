// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Equilibrium with droppers that can only pull and a contact that can only push, by trying active sets until the
/// signs are right. Each trial factors the whole matrix again: slow, simple and exact. The reference engine and static
/// loads use it; the real-time engine does not, so that the two can be compared.

#pragma once

#include <panto/catenary/passage.hpp>
#include <panto/core/finite.hpp>
#include <panto/core/status.hpp>

#include <vector>

namespace panto::catenary {

/// Solves  A u - sum_slack (k b b' u + F0 b) - N' F = r,  b = e_top - e_bottom:  a dropper whose elastic tension
/// F0 + k b'u would be negative exerts no elastic force. k and F0 are the stiffness and the static force of a dropper,
/// F the contact forces; N interpolates the wire at the contacts.
template <Real Scalar = double>
class Unilateral {
  public:
    using VectorX = Vector<Scalar, Dynamic>;

    /// @param base the matrix A, with all droppers taut and no contact.
    /// @param contacts the largest number of contacts
    Unilateral(const FiniteElements<Scalar>& model, const linalg::SymmetricBand<Scalar>& base, std::size_t contacts = 1)
        : model_(&model),
          base_(base),
          work_(base),
          cholesky_(base.size(), base.half_bandwidth()),
          slack_(model.droppers().size(), 0),
          joints_(contacts) {}

    static constexpr int pass_limit = 60;

    /// Solves for the load r alone. `u` receives the solution. Returns not_finite if the solution is not finite, and
    /// out_of_range, with nothing done, if the size of r or u does not fit the matrix. @rt
    [[nodiscard]] Status solve(const VectorX& r, VectorX& u) noexcept { return iterate(r, u, 0); }

    /// Solves for r and a contact at `point`, where the wire has this static height, m. @rt
    [[nodiscard]] Status solve(const VectorX& r, VectorX& u, const WirePoint& point, const Scalar& static_height,
                               const ImplicitContact<Scalar>& contact) noexcept {
        if (joints_.empty()) return Status::out_of_range;
        place(0, point, static_height, contact);
        return iterate(r, u, 1);
    }
    /// Solves for r and all contacts, as last set by place(). @rt
    [[nodiscard]] Status solve_with_contacts(const VectorX& r, VectorX& u) noexcept {
        return iterate(r, u, joints_.size());
    }
    /// Sets a contact at `point`, where the wire has this static height, m. Does nothing if there is no such contact.
    /// @rt
    void place(std::size_t contact, const WirePoint& point, const Scalar& static_height,
               const ImplicitContact<Scalar>& with) noexcept {
        if (contact >= joints_.size()) return;
        Joint& j = joints_[contact];
        j.point = point;
        j.stiffness = with.stiffness / (Scalar(1.0) + with.stiffness * with.head_compliance);
        j.reach = with.head_height - static_height;
    }

    /// False if there is no such dropper.
    [[nodiscard]] bool is_slack(std::size_t dropper) const noexcept {
        return dropper < slack_.size() && slack_[dropper] != 0;
    }
    /// Contact force of the last solve, N; NaN if there is no such contact.
    [[nodiscard]] Scalar contact_force(std::size_t contact = 0) const noexcept {
        return contact < joints_.size() ? joints_[contact].force : no_number<Scalar>();
    }
    [[nodiscard]] int passes() const noexcept { return passes_; }

    /// Elastic tension of a dropper at the deviation u, N; 0 if slack, NaN if there is no such dropper or `u` has the
    /// wrong size. @rt
    [[nodiscard]] Scalar tension(std::size_t dropper, const VectorX& u) const noexcept {
        if (dropper >= model_->droppers().size() || u.size() != model_->size()) return no_number<Scalar>();
        const Scalar t = linear_tension(model_->droppers()[dropper], u);
        return t < Scalar(0.0) ? Scalar(0.0) : t;
    }

    /// Tension if the dropper could push as well, N. @rt
    [[nodiscard]] static Scalar linear_tension(const DropperLink<Scalar>& d, const VectorX& u) noexcept {
        return d.static_force + d.stiffness * (u[d.top] - u[d.bottom]);
    }

  private:
    struct Joint {
        WirePoint point{};
        Scalar stiffness{0.0};  // N/m, contact and pantograph in series
        Scalar reach{0.0};      // m, free height of the head above the static wire
        Scalar force{0.0};      // N
        bool touches = true;
    };

    /// @param contacts number of joints in this solve
    Status iterate(const VectorX& r, VectorX& u, std::size_t contacts) noexcept {
        if (r.size() != base_.size() || u.size() != base_.size()) return Status::out_of_range;
        constexpr int patience = 20;  // then one change per pass, because exchanging all at once may cycle
        for (passes_ = 1; passes_ <= pass_limit; ++passes_) {
            if (!assemble_and_solve(r, u, contacts)) return Status::not_finite;
            bool right = true;
            for (std::size_t c = 0; c < contacts && (right || passes_ < patience); ++c) {
                Joint& joint = joints_[c];
                const Scalar gap =
                    joint.reach - interpolate<Scalar>(joint.point.row, joint.point.value, [&](int i) { return u[i]; });
                if (!is_finite(value_of(gap))) return Status::not_finite;
                const bool touches = Scalar(0.0) < gap;
                if (touches != joint.touches) right = false, joint.touches = touches;
                joint.force = touches ? Scalar(joint.stiffness * gap) : Scalar(0.0);
            }
            for (std::size_t j = 0; j < slack_.size() && (right || passes_ < patience); ++j) {
                const Scalar tension = linear_tension(model_->droppers()[j], u);
                if (!is_finite(value_of(tension))) return Status::not_finite;
                const bool slack = tension < Scalar(0.0);
                if (slack != is_slack(j)) right = false, slack_[j] = slack;
            }
            if (right) return Status::ok;
        }
        return Status::not_converged;
    }

    bool assemble_and_solve(const VectorX& r, VectorX& u, std::size_t contacts) noexcept {
        work_ = base_;
        u = r;
        for (std::size_t j = 0; j < slack_.size(); ++j) {
            if (!is_slack(j)) continue;
            const DropperLink<Scalar>& d = model_->droppers()[j];
            work_.add(d.top, d.top, -d.stiffness);
            work_.add(d.bottom, d.bottom, -d.stiffness);
            work_.add(d.top, d.bottom, d.stiffness);
            u[d.top] += d.static_force;
            u[d.bottom] -= d.static_force;
        }
        for (std::size_t c = 0; c < contacts; ++c) {
            const Joint& joint = joints_[c];
            if (!joint.touches) continue;
            const WirePoint& p = joint.point;
            for (std::size_t a = 0; a < 4; ++a) {
                if (p.row[a] < 0) continue;
                u[p.row[a]] += joint.stiffness * joint.reach * Scalar(p.value[a]);
                for (std::size_t b = 0; b <= a; ++b)
                    if (p.row[b] >= 0) work_.add(p.row[a], p.row[b], joint.stiffness * Scalar(p.value[a] * p.value[b]));
            }
        }
        if (!cholesky_.factor(work_)) return false;
        cholesky_.solve(u);
        return true;
    }

    const FiniteElements<Scalar>* model_;
    linalg::SymmetricBand<Scalar> base_, work_;
    linalg::BandCholesky<Scalar> cholesky_;
    std::vector<unsigned char> slack_;
    std::vector<Joint> joints_;
    int passes_ = 0;
};

}  // namespace panto::catenary
