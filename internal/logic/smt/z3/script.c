// SMT-LIB text for Z3, with the state of the commands kept between calls. See
// script.go.

#include "script.h"

#include <pthread.h>
#include <stdlib.h>

#include <z3.h> // if this is missing: apt-get install libz3-dev

struct assay_z3_script {
  Z3_context ctx;
  pthread_mutex_t mutex; // of running
  int running;
};

// The handler gets only the context; a thread evaluates one script at a time.
static __thread int error_seen;

static void on_error(Z3_context ctx, Z3_error_code code) {
  (void)ctx;
  (void)code;
  error_seen = 1;
}

static pthread_mutex_t creation = PTHREAD_MUTEX_INITIALIZER;

assay_z3_script *assay_z3_script_new(const char *arithmetic) {
  assay_z3_script *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  pthread_mutex_lock(&creation);
  Z3_config config = Z3_mk_config();
  s->ctx = Z3_mk_context(config);
  Z3_del_config(config);
  if (s->ctx) { // the choice is one of the process, and is read where a context's solver begins
    Z3_global_param_set("smt.arith.solver", arithmetic);
    Z3_eval_smtlib2_string(s->ctx, "(push)(pop)");
    Z3_global_param_set("smt.arith.solver", "6");
  }
  pthread_mutex_unlock(&creation);
  if (!s->ctx) {
    free(s);
    return NULL;
  }
  Z3_set_error_handler(s->ctx, on_error);
  pthread_mutex_init(&s->mutex, NULL);
  return s;
}

void assay_z3_script_delete(assay_z3_script *s) {
  pthread_mutex_lock(&creation);
  Z3_del_context(s->ctx);
  pthread_mutex_unlock(&creation);
  pthread_mutex_destroy(&s->mutex);
  free(s);
}

const char *assay_z3_script_eval(assay_z3_script *s, const char *text, int *failed) {
  error_seen = 0;
  pthread_mutex_lock(&s->mutex);
  s->running = 1;
  pthread_mutex_unlock(&s->mutex);
  const char *out = Z3_eval_smtlib2_string(s->ctx, text);
  pthread_mutex_lock(&s->mutex);
  s->running = 0;
  pthread_mutex_unlock(&s->mutex);
  *failed = error_seen;
  return out ? out : "";
}

void assay_z3_script_interrupt(assay_z3_script *s) {
  pthread_mutex_lock(&s->mutex);
  if (s->running) Z3_interrupt(s->ctx);
  pthread_mutex_unlock(&s->mutex);
}
