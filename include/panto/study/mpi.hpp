// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Evaluations in several processes, on one machine or several, by MPI. Every process runs the same program. Process 0
/// keeps the results and also evaluates; a free process gets the next index. Waiting processes sleep between polls.
/// Link panto::study_mpi and start the program with mpirun; without mpirun there is one process.
///
/// Numbers have the same bits on machines that compute alike: same program, same mathematical library, and processors
/// for which that library uses the same code. If a process dies, mpirun ends the others; the journal keeps the
/// evaluations done so far.

#pragma once

#include <panto/core/check.hpp>
#include <panto/study/concepts.hpp>
#include <panto/study/record.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mpi.h>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

namespace panto::study {

class Mpi {
  public:
    /// Starts MPI if it is not running; in this case the destructor ends it, so use one object for a whole program.
    /// @throws SetupError if MPI was started without support for threads.
    explicit Mpi(MPI_Comm world = MPI_COMM_WORLD) {
        int running = 0, level = MPI_THREAD_SINGLE;
        MPI_Initialized(&running);
        if (running) {
            MPI_Query_thread(&level);
        } else {
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
            mine_ = true;
        }
        require(level >= MPI_THREAD_FUNNELED, "study::Mpi",
                "MPI runs without threads; it needs MPI_Init_thread with MPI_THREAD_FUNNELED or more");
        MPI_Comm_dup(world, &world_);
        MPI_Comm_rank(world_, &rank_);
        MPI_Comm_size(world_, &size_);
    }
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;
    ~Mpi() {
        // If an exception has been thrown here, the other processes may never reach MPI_Finalize: mpirun ends them when
        // this process ends.
        if (std::uncaught_exceptions() > exceptions_) return;
        MPI_Comm_free(&world_);
        if (mine_) MPI_Finalize();
    }

    /// True if this program was started by mpirun (Open MPI, or another one with PMI).
    [[nodiscard]] static bool launched() {
        return std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMIX_RANK") || std::getenv("PMI_RANK");
    }

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool keeps_results() const { return rank_ == 0; }

    /// @throws SetupError in process 0 if another process evaluates another study.
    void run(const Description& study, std::span<const std::size_t> pending, const Evaluate& evaluate,
             const Take& take) {
        if (rank_ > 0) return work(study, evaluate);
        Handout handout{pending, take};
        if (size_ == 1) {
            while (const auto i = handout.next()) handout.receive(*i, evaluate(*i));
        } else {
            keep(study, evaluate, handout);
        }
        if (handout.trouble) std::rethrow_exception(handout.trouble);
    }

    [[nodiscard]] std::string share(const std::function<std::string()>& make) {
        if (size_ == 1) return {};
        std::string text = rank_ == 0 ? make() : std::string();
        std::uint64_t size = text.size();
        broadcast(&size, sizeof size);
        text.resize(size);
        broadcast(text.data(), text.size());
        return text;
    }

  private:
    static constexpr int to_keeper = 1, to_worker = 2;
    static constexpr std::uint64_t no_more = UINT64_MAX;
    static constexpr std::chrono::microseconds shortest_sleep{20}, longest_sleep{200};

    /// Hands out the next index, and receives the results.
    struct Handout {
        std::span<const std::size_t> pending;
        const Take& take;
        std::size_t given = 0;
        bool stopped = false;
        std::exception_ptr trouble{};

        std::optional<std::size_t> next() {
            if (stopped || given == pending.size()) return {};
            return pending[given++];
        }
        void receive(std::size_t i, Outcome&& outcome) {
            if (stopped) return;
            try {
                stopped = !take(i, std::move(outcome));
            } catch (...) {
                fail(std::current_exception());
            }
        }
        void fail(std::exception_ptr reason) {
            if (!trouble) trouble = std::move(reason);
            stopped = true;
        }
    };

    /// The evaluations of process 0, on a thread of their own, so that the other processes need not wait for them.
    class Own {
      public:
        explicit Own(const Evaluate& evaluate) : thread_([this, &evaluate] { loop(evaluate); }) {}
        Own(const Own&) = delete;
        Own& operator=(const Own&) = delete;
        ~Own() {
            {
                const std::lock_guard lock(mutex_);
                over_ = true;
            }
            changed_.notify_all();
            thread_.join();
        }

        void give(std::size_t i) {
            {
                const std::lock_guard lock(mutex_);
                job_ = i;
            }
            changed_.notify_all();
        }

        /// The evaluation if it is finished; waits for it at most `patience`.
        std::optional<Record> done(std::chrono::microseconds patience) {
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, patience, [&] { return result_.has_value(); });
            return std::exchange(result_, std::nullopt);
        }

      private:
        void loop(const Evaluate& evaluate) {
            std::unique_lock lock(mutex_);
            for (;;) {
                changed_.wait(lock, [&] { return job_ || over_; });
                if (!job_) return;
                const std::size_t i = *job_;
                lock.unlock();
                Record record{i, evaluate(i)};
                lock.lock();
                job_.reset();
                result_ = std::move(record);
                changed_.notify_all();
            }
        }

        std::mutex mutex_;
        std::condition_variable changed_;
        std::optional<std::size_t> job_;
        std::optional<Record> result_;
        bool over_ = false;
        std::thread thread_;  // last member: starts when the others are initialized
    };

    void keep(const Description& study, const Evaluate& evaluate, Handout& handout) {
        Own own(evaluate);
        bool busy = false;
        int others = size_ - 1;  // processes that have not been told to end
        std::chrono::microseconds sleep = shortest_sleep;
        const auto give_own = [&] {
            const auto i = handout.next();
            busy = i.has_value();
            if (i) own.give(*i);
        };
        give_own();
        while (others > 0 || busy) {
            MPI_Status from;
            int here = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, to_keeper, world_, &here, &from);
            if (here) {
                receive(study, from, handout);
                const auto i = handout.next();
                const std::uint64_t answer = i ? *i : no_more;
                MPI_Send(&answer, 1, MPI_UINT64_T, from.MPI_SOURCE, to_worker, world_);
                others -= i ? 0 : 1;
            }
            sleep = here ? std::chrono::microseconds(0) : std::clamp(2 * sleep, shortest_sleep, longest_sleep);
            if (auto record = own.done(sleep)) {
                handout.receive(record->index, std::move(record->outcome));
                give_own();
            }
        }
    }

    void receive(const Description& study, const MPI_Status& from, Handout& handout) {
        int size = 0;
        MPI_Get_count(&from, MPI_CHAR, &size);
        std::string message(static_cast<std::size_t>(size), '\0');
        MPI_Recv(message.data(), size, MPI_CHAR, from.MPI_SOURCE, to_keeper, world_, MPI_STATUS_IGNORE);
        if (message == hello(study)) return;
        if (auto record = from_record(study, study.fingerprint(), message))
            return handout.receive(record->index, std::move(record->outcome));
        handout.fail(std::make_exception_ptr(
            SetupError("study '" + study.name + "': process " + std::to_string(from.MPI_SOURCE) +
                       " evaluates another study than process 0; name, count, outputs and inputs must agree")));
    }

    void work(const Description& study, const Evaluate& evaluate) {
        std::string message = hello(study);
        for (;;) {
            std::uint64_t i = no_more;
            MPI_Request answer = MPI_REQUEST_NULL;
            MPI_Irecv(&i, 1, MPI_UINT64_T, 0, to_worker, world_, &answer);
            MPI_Send(message.data(), static_cast<int>(message.size()), MPI_CHAR, 0, to_keeper, world_);
            wait(answer);
            if (i == no_more) return;
            const auto index = static_cast<std::size_t>(i);
            message = to_record(study.fingerprint(), index, evaluate(index));
        }
    }

    [[nodiscard]] static std::string hello(const Description& study) {
        return "ready for " + Hash::digits(study.fingerprint());
    }

    void broadcast(void* data, std::size_t size) {
        constexpr std::size_t largest = std::size_t{1} << 30;  // MPI counts bytes with int
        for (auto* at = static_cast<char*>(data); size > 0;) {
            const std::size_t part = std::min(size, largest);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Ibcast(at, static_cast<int>(part), MPI_BYTE, 0, world_, &request);
            wait(request);
            at += part;
            size -= part;
        }
    }

    /// Waits with pauses; MPI_Wait would keep a core busy.
    static void wait(MPI_Request& request) {
        std::chrono::microseconds sleep = shortest_sleep;
        for (int done = 0;;) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (done) return;
            std::this_thread::sleep_for(sleep);
            sleep = std::min(2 * sleep, longest_sleep);
        }
    }

    MPI_Comm world_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    bool mine_ = false;
    int exceptions_ = std::uncaught_exceptions();
};
static_assert(StudyExecutor<Mpi>);

}  // namespace panto::study
