// The C face that cadical.go sees of CaDiCaL's C++ class. It exists, instead of
// ccadical.h, because that one takes literals one by one, has no counter of
// conflicts, and lets an exception for exhausted memory end the process.

#include "shim.h"

#include <atomic>
#include <climits>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include <cadical.hpp> // if this is missing: apt-get install libcadical-dev

struct assay_cadical : CaDiCaL::Terminator, CaDiCaL::Learner {
  CaDiCaL::Solver solver;
  std::atomic<int> stop{0};
  std::atomic<int> paused{0};
  std::mutex mutex; // of the changes of stop and paused that end a pause
  std::condition_variable changed;
  int64_t learned = 0;
  FILE *proof = nullptr; // a stream into proof_bytes
  char *proof_bytes = nullptr;
  size_t proof_size = 0;

  // Polled by CaDiCaL every few decisions and conflicts.
  bool terminate() override {
    if (paused.load(std::memory_order_relaxed)) {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [this] { return stop || !paused; });
    }
    return stop.load(std::memory_order_relaxed) != 0;
  }

  void set(std::atomic<int> &flag, int value) {
    std::lock_guard<std::mutex> lock(mutex);
    flag = value;
    changed.notify_all();
  }

  // Called for each learned clause, before its literals would be exported.
  bool learning(int) override {
    learned++;
    return false;
  }
  void learn(int) override {}
};

assay_cadical *assay_cadical_new(void) {
  try {
    assay_cadical *s = new assay_cadical;
    s->solver.connect_terminator(s);
    s->solver.connect_learner(s);
    return s;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void assay_cadical_delete(assay_cadical *s) {
  s->solver.disconnect_terminator();
  s->solver.disconnect_learner();
  if (s->proof) s->solver.close_proof_trace();
  FILE *proof = s->proof;
  char **bytes = &s->proof_bytes;
  if (proof) {
    fclose(proof);
    free(*bytes);
  }
  delete s;
}

int assay_cadical_trace(assay_cadical *s) {
  s->proof = open_memstream(&s->proof_bytes, &s->proof_size);
  if (!s->proof) return ASSAY_CADICAL_NO_MEMORY;
  s->solver.trace_proof(s->proof, "memory");
  return 0;
}

const char *assay_cadical_proof(assay_cadical *s, int64_t *size) {
  s->solver.flush_proof_trace();
  fflush(s->proof);
  *size = (int64_t)s->proof_size;
  return s->proof_bytes;
}

int assay_cadical_set(assay_cadical *s, const char *name, int value) {
  return s->solver.set(name, value);
}

int assay_cadical_add(assay_cadical *s, const int32_t *flat, int64_t n) {
  try {
    for (int64_t i = 0; i < n; i++) {
      if (flat[i] == INT_MIN) return ASSAY_CADICAL_BAD_LITERAL;
      s->solver.add(flat[i]);
    }
    return 0;
  } catch (const std::bad_alloc &) {
    return ASSAY_CADICAL_NO_MEMORY;
  }
}

int assay_cadical_solve(assay_cadical *s, const int32_t *assumptions, int64_t a,
                        const int32_t *constraint, int64_t c, int limit) {
  try {
    for (int64_t i = 0; i < a; i++) s->solver.assume(assumptions[i]);
    if (c > 0) {
      for (int64_t i = 0; i < c; i++) s->solver.constrain(constraint[i]);
      s->solver.constrain(0);
    }
    if (limit >= 0) s->solver.limit("conflicts", limit);
    return s->solver.solve();
  } catch (const std::bad_alloc &) {
    return ASSAY_CADICAL_NO_MEMORY;
  }
}

void assay_cadical_stop(assay_cadical *s) { s->set(s->stop, 1); }

void assay_cadical_pause(assay_cadical *s, int paused) { s->set(s->paused, paused); }

void assay_cadical_resume(assay_cadical *s) { s->stop.store(0, std::memory_order_relaxed); }

void assay_cadical_values(assay_cadical *s, int32_t first, int8_t *values, int64_t n) {
  int64_t known = (int64_t)s->solver.vars() - first + 1;
  for (int64_t i = 0; i < n; i++)
    values[i] = i < known && s->solver.val((int)(first + i)) > 0 ? 1 : -1;
}

void assay_cadical_failed(assay_cadical *s, const int32_t *lits, int8_t *failed, int64_t n) {
  for (int64_t i = 0; i < n; i++) failed[i] = s->solver.failed(lits[i]);
}

int assay_cadical_constraint_failed(assay_cadical *s) { return s->solver.constraint_failed(); }

void assay_cadical_fixed(assay_cadical *s, const int32_t *lits, int8_t *fixed, int64_t n) {
  for (int64_t i = 0; i < n; i++) fixed[i] = (int8_t)s->solver.fixed(lits[i]);
}

int64_t assay_cadical_learned(assay_cadical *s) { return s->learned; }
