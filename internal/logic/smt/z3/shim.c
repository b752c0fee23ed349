// The part of the binding that is C: it keeps Z3's objects in numbered slots, so
// that no pointer of Z3 is ever seen in Go, and builds a whole formula in one
// call. Errors are recorded by a handler that returns, and read after the call.
//
// The context counts references by hand (Z3_mk_context_rc): every object that
// Z3 returns gets one reference, which is dropped when the context goes. (A
// context that is deleted with references left searches its whole table again
// and again for roots: minutes instead of milliseconds, for deep formulas.)

#include "shim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <z3.h> // if this is missing: apt-get install libz3-dev

struct assay_z3 {
  Z3_context ctx;
  Z3_solver solver;
  Z3_model model;

  Z3_ast *slots;  // Bool, bit-vector, or array
  Z3_ast *floats; // the same as a floating-point number, where that is known
  uint32_t n, cap;

  Z3_ast *kept; // everything with a reference
  uint64_t num_kept, cap_kept;

  // Elements of the array read last.
  uint64_t *indices;
  Z3_ast *elements;
  Z3_ast other;
  int64_t num_elements, cap_elements;

  Z3_error_code error;
  char message[256];

  pthread_mutex_t mutex; // of checking
  int checking;
};

// The error handler gets only the context; a thread uses one solver at a time.
static __thread assay_z3 *current;

static void on_error(Z3_context ctx, Z3_error_code code) {
  assay_z3 *s = current;
  if (!s || s->error != Z3_OK) return;
  s->error = code;
  strncpy(s->message, Z3_get_error_msg(ctx, code), sizeof s->message - 1);
}

static pthread_mutex_t creation = PTHREAD_MUTEX_INITIALIZER;

assay_z3 *assay_z3_new(void) {
  assay_z3 *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  current = s;
  pthread_mutex_lock(&creation);
  Z3_config config = Z3_mk_config();
  s->ctx = Z3_mk_context_rc(config);
  Z3_del_config(config);
  pthread_mutex_unlock(&creation);
  if (!s->ctx) {
    free(s);
    return NULL;
  }
  Z3_set_error_handler(s->ctx, on_error);
  pthread_mutex_init(&s->mutex, NULL);
  s->n = 1;
  return s;
}

static void drop_model(assay_z3 *s) {
  if (s->model) Z3_model_dec_ref(s->ctx, s->model);
  s->model = NULL;
}

void assay_z3_delete(assay_z3 *s) {
  current = s;
  drop_model(s);
  if (s->solver) Z3_solver_dec_ref(s->ctx, s->solver);
  while (s->num_kept > 0) Z3_dec_ref(s->ctx, s->kept[--s->num_kept]);
  pthread_mutex_lock(&creation);
  Z3_del_context(s->ctx);
  pthread_mutex_unlock(&creation);
  pthread_mutex_destroy(&s->mutex);
  free(s->kept);
  free(s->slots);
  free(s->floats);
  free(s->indices);
  free(s->elements);
  current = NULL;
  free(s);
}

int assay_z3_error(assay_z3 *s, const char **message) {
  int code = s->error;
  s->error = Z3_OK;
  *message = s->message;
  return code;
}

// In megabytes, UINT32_MAX without a bound; see LimitMemory.
static _Atomic uint32_t memory_bound = UINT32_MAX;

void assay_z3_memory(uint32_t soft, uint32_t hard) {
  char text[16];
  memory_bound = soft ? soft : UINT32_MAX;
  snprintf(text, sizeof text, "%u", soft);
  Z3_global_param_set("memory_high_watermark", text);
  snprintf(text, sizeof text, "%u", hard);
  Z3_global_param_set("memory_max_size", text);
}

// Gives a its reference. If memory runs out here, a is kept for ever.
static Z3_ast keep(assay_z3 *s, Z3_ast a) {
  if (!a) return NULL;
  Z3_inc_ref(s->ctx, a);
  if (s->num_kept == s->cap_kept) {
    uint64_t cap = 2 * s->cap_kept + 1024;
    Z3_ast *kept = realloc(s->kept, cap * sizeof *kept);
    if (!kept) return a;
    s->kept = kept;
    s->cap_kept = cap;
  }
  s->kept[s->num_kept++] = a;
  return a;
}

static Z3_sort keep_sort(assay_z3 *s, Z3_sort t) {
  if (t) keep(s, Z3_sort_to_ast(s->ctx, t));
  return t;
}

static Z3_sort bits(assay_z3 *s, uint32_t width) { return keep_sort(s, Z3_mk_bv_sort(s->ctx, width)); }

static Z3_sort sort_of(assay_z3 *s, const assay_z3_step *p) {
  if (p->width == 0) return keep_sort(s, Z3_mk_bool_sort(s->ctx));
  Z3_sort t = bits(s, p->width);
  if (p->aux == 0) return t;
  return keep_sort(s, Z3_mk_array_sort(s->ctx, bits(s, p->aux), t));
}

static Z3_ast numeral(assay_z3 *s, uint32_t width, uint64_t v) {
  return keep(s, Z3_mk_unsigned_int64(s->ctx, v, bits(s, width)));
}

static Z3_ast wide_numeral(assay_z3 *s, uint32_t width, const uint32_t *words) {
  bool *b = malloc(width * sizeof *b);
  if (!b) return NULL;
  for (uint32_t i = 0; i < width; i++) b[i] = words[i / 32] >> (i % 32) & 1;
  Z3_ast a = Z3_mk_bv_numeral(s->ctx, width, b);
  free(b);
  return keep(s, a);
}

// Floating point.

typedef struct {
  uint32_t width, exponent, fraction;
} format;

static format format_of(uint32_t width) {
  format f = {width, width == 16 ? 5 : width == 32 ? 8 : 11, width == 16 ? 10 : width == 32 ? 23 : 52};
  return f;
}

static uint64_t bias(format f) { return ((uint64_t)1 << (f.exponent - 1)) - 1; }

static Z3_sort float_sort(assay_z3 *s, format f) {
  return keep_sort(s, Z3_mk_fpa_sort(s->ctx, f.exponent, f.fraction + 1));
}

static uint32_t width_of(assay_z3 *s, uint32_t slot) {
  return Z3_get_bv_sort_size(s->ctx, Z3_get_sort(s->ctx, s->slots[slot]));
}

static Z3_ast float_from_bits(assay_z3 *s, uint32_t width, uint64_t v) {
  return keep(s, Z3_mk_fpa_to_fp_bv(s->ctx, numeral(s, width, v), float_sort(s, format_of(width))));
}

// The number whose bit pattern is in the slot.
static Z3_ast as_float(assay_z3 *s, uint32_t slot) {
  if (!s->floats[slot])
    s->floats[slot] =
        keep(s, Z3_mk_fpa_to_fp_bv(s->ctx, s->slots[slot], float_sort(s, format_of(width_of(s, slot)))));
  return s->floats[slot];
}

// The bit pattern of r. Z3 leaves open which NaN it is; we do not.
static Z3_ast as_bits(assay_z3 *s, Z3_ast r, uint32_t width) {
  format f = format_of(width);
  uint64_t nan = (((uint64_t)1 << (f.exponent + 1)) - 1) << (f.fraction - 1);
  Z3_ast pattern = keep(s, Z3_mk_fpa_to_ieee_bv(s->ctx, r));
  return Z3_mk_ite(s->ctx, keep(s, Z3_mk_fpa_is_nan(s->ctx, r)), numeral(s, width, nan), pattern);
}

// C's fmod from the IEEE remainder. For m = fmod(|x|, |y|), the remainder of
// |x| and |y| is m or m - |y|, the latter exactly if it is negative. m is a
// multiple of the smaller of the two units in the last place and smaller than
// |y|, so it is representable, and the sum below is exact in any rounding mode.
static Z3_ast fmod_of(assay_z3 *s, Z3_ast x, Z3_ast y) {
  Z3_context c = s->ctx;
  Z3_ast rne = keep(s, Z3_mk_fpa_rne(c));
  Z3_ast a = keep(s, Z3_mk_fpa_abs(c, x)), b = keep(s, Z3_mk_fpa_abs(c, y));
  Z3_ast r = keep(s, Z3_mk_fpa_rem(c, a, b));
  Z3_ast zero = keep(s, Z3_mk_fpa_zero(c, Z3_get_sort(c, x), false));
  Z3_ast sum = keep(s, Z3_mk_fpa_add(c, rne, r, b));
  Z3_ast m = keep(s, Z3_mk_ite(c, keep(s, Z3_mk_fpa_lt(c, r, zero)), sum, keep(s, Z3_mk_fpa_abs(c, r))));
  return keep(s, Z3_mk_ite(c, keep(s, Z3_mk_fpa_is_negative(c, x)), keep(s, Z3_mk_fpa_neg(c, m)), m));
}

// x < 2^k, or x >= -2^k, where x is an integral value or infinite.
static Z3_ast below_power(assay_z3 *s, Z3_ast x, format f, uint32_t k, int negative) {
  Z3_context c = s->ctx;
  uint64_t sign = (uint64_t)negative << (f.width - 1);
  uint64_t infinity = (((uint64_t)1 << f.exponent) - 1) << f.fraction;
  if (k <= bias(f)) {
    Z3_ast bound = float_from_bits(s, f.width, sign | (k + bias(f)) << f.fraction);
    return keep(s, negative ? Z3_mk_fpa_geq(c, x, bound) : Z3_mk_fpa_lt(c, x, bound));
  }
  // 2^k is larger than all finite numbers of the format.
  Z3_ast bound = float_from_bits(s, f.width, sign | infinity);
  return keep(s, negative ? Z3_mk_fpa_gt(c, x, bound) : Z3_mk_fpa_lt(c, x, bound));
}

// The integer, truncated, or 0 if there is none of that width.
static Z3_ast to_integer(assay_z3 *s, uint32_t slot, uint32_t width, int is_signed) {
  Z3_context c = s->ctx;
  format f = format_of(width_of(s, slot));
  Z3_ast rtz = keep(s, Z3_mk_fpa_rtz(c));
  Z3_ast x = keep(s, Z3_mk_fpa_round_to_integral(c, rtz, as_float(s, slot)));
  Z3_ast high = below_power(s, x, f, is_signed ? width - 1 : width, 0);
  Z3_ast low;
  if (is_signed)
    low = below_power(s, x, f, width - 1, 1);
  else
    low = keep(s, Z3_mk_fpa_geq(c, x, keep(s, Z3_mk_fpa_zero(c, Z3_get_sort(c, x), false))));
  Z3_ast both[2] = {low, high};
  // Z3 4.8.12 cannot translate a conversion to a signed number of one bit.
  uint32_t wide = width > 1 ? width : 2;
  Z3_ast integer = keep(s, is_signed ? Z3_mk_fpa_to_sbv(c, rtz, x, wide) : Z3_mk_fpa_to_ubv(c, rtz, x, wide));
  if (wide != width) integer = keep(s, Z3_mk_extract(c, width - 1, 0, integer));
  return Z3_mk_ite(c, keep(s, Z3_mk_and(c, 2, both)), integer, numeral(s, width, 0));
}

static Z3_ast rounding(assay_z3 *s, uint32_t mode) {
  Z3_context c = s->ctx;
  switch (mode) {
  case 0: return keep(s, Z3_mk_fpa_rne(c));
  case 1: return keep(s, Z3_mk_fpa_rtz(c));
  case 2: return keep(s, Z3_mk_fpa_rtn(c));
  case 3: return keep(s, Z3_mk_fpa_rtp(c));
  }
  return keep(s, Z3_mk_fpa_rna(c));
}

// The floating-point result of a step, or NULL if it is none of these.
static Z3_ast float_step(assay_z3 *s, const assay_z3_step *p) {
  Z3_context c = s->ctx;
  Z3_ast rne = keep(s, Z3_mk_fpa_rne(c));
  uint32_t a = p->args[0], b = p->args[1];
  switch (p->op) {
  case STEP_FADD: return Z3_mk_fpa_add(c, rne, as_float(s, a), as_float(s, b));
  case STEP_FMUL: return Z3_mk_fpa_mul(c, rne, as_float(s, a), as_float(s, b));
  case STEP_FDIV: return Z3_mk_fpa_div(c, rne, as_float(s, a), as_float(s, b));
  case STEP_FREM: return fmod_of(s, as_float(s, a), as_float(s, b));
  case STEP_FSQRT: return Z3_mk_fpa_sqrt(c, rne, as_float(s, a));
  case STEP_FMA: return Z3_mk_fpa_fma(c, rne, as_float(s, a), as_float(s, b), as_float(s, p->args[2]));
  case STEP_FROUND: return Z3_mk_fpa_round_to_integral(c, rounding(s, p->aux), as_float(s, a));
  case STEP_SITOF: return Z3_mk_fpa_to_fp_signed(c, rne, s->slots[a], float_sort(s, format_of(p->width)));
  case STEP_UITOF: return Z3_mk_fpa_to_fp_unsigned(c, rne, s->slots[a], float_sort(s, format_of(p->width)));
  case STEP_FTOF: return Z3_mk_fpa_to_fp_float(c, rne, as_float(s, a), float_sort(s, format_of(p->width)));
  }
  return NULL;
}

// The result of a step; result slots are n.
static Z3_ast step(assay_z3 *s, const assay_z3_step *p, const uint32_t *words) {
  Z3_context c = s->ctx;
  Z3_ast x[3];
  for (int i = 0; i < 3; i++) x[i] = p->op > STEP_VAR && p->args[i] < s->n ? s->slots[p->args[i]] : NULL;
  switch (p->op) {
  case STEP_TRUE: return Z3_mk_true(c);
  case STEP_FALSE: return Z3_mk_false(c);
  case STEP_CONST:
    if (p->width > 64) return wide_numeral(s, p->width, words + p->args[0]);
    return numeral(s, p->width, p->args[0] | (uint64_t)p->args[1] << 32);
  case STEP_VAR: return Z3_mk_const(c, Z3_mk_int_symbol(c, (int)s->n), sort_of(s, p));
  case STEP_NOT: return Z3_mk_not(c, x[0]);
  case STEP_AND: return Z3_mk_and(c, 2, x);
  case STEP_OR: return Z3_mk_or(c, 2, x);
  case STEP_XOR: return Z3_mk_xor(c, x[0], x[1]);
  case STEP_EQ: return Z3_mk_eq(c, x[0], x[1]);
  case STEP_ITE: return Z3_mk_ite(c, x[0], x[1], x[2]);
  case STEP_ADD: return Z3_mk_bvadd(c, x[0], x[1]);
  case STEP_MUL: return Z3_mk_bvmul(c, x[0], x[1]);
  case STEP_NEG: return Z3_mk_bvneg(c, x[0]);
  case STEP_UDIV: return Z3_mk_bvudiv(c, x[0], x[1]);
  case STEP_UREM: return Z3_mk_bvurem(c, x[0], x[1]);
  case STEP_SDIV: return Z3_mk_bvsdiv(c, x[0], x[1]);
  case STEP_SREM: return Z3_mk_bvsrem(c, x[0], x[1]);
  case STEP_SHL: return Z3_mk_bvshl(c, x[0], x[1]);
  case STEP_LSHR: return Z3_mk_bvlshr(c, x[0], x[1]);
  case STEP_ASHR: return Z3_mk_bvashr(c, x[0], x[1]);
  case STEP_BVNOT: return Z3_mk_bvnot(c, x[0]);
  case STEP_BVAND: return Z3_mk_bvand(c, x[0], x[1]);
  case STEP_BVOR: return Z3_mk_bvor(c, x[0], x[1]);
  case STEP_BVXOR: return Z3_mk_bvxor(c, x[0], x[1]);
  case STEP_ULT: return Z3_mk_bvult(c, x[0], x[1]);
  case STEP_ULE: return Z3_mk_bvule(c, x[0], x[1]);
  case STEP_SLT: return Z3_mk_bvslt(c, x[0], x[1]);
  case STEP_SLE: return Z3_mk_bvsle(c, x[0], x[1]);
  case STEP_CONCAT: return Z3_mk_concat(c, x[0], x[1]);
  case STEP_EXTRACT: return Z3_mk_extract(c, p->aux + p->width - 1, p->aux, x[0]);
  case STEP_ZEXT: return Z3_mk_zero_ext(c, p->width - width_of(s, p->args[0]), x[0]);
  case STEP_SEXT: return Z3_mk_sign_ext(c, p->width - width_of(s, p->args[0]), x[0]);
  case STEP_SELECT: return Z3_mk_select(c, x[0], x[1]);
  case STEP_STORE: return Z3_mk_store(c, x[0], x[1], x[2]);
  case STEP_CONST_ARRAY: return Z3_mk_const_array(c, bits(s, p->aux), x[0]);
  case STEP_FEQ: return Z3_mk_fpa_eq(c, as_float(s, p->args[0]), as_float(s, p->args[1]));
  case STEP_FLT: return Z3_mk_fpa_lt(c, as_float(s, p->args[0]), as_float(s, p->args[1]));
  case STEP_FLE: return Z3_mk_fpa_leq(c, as_float(s, p->args[0]), as_float(s, p->args[1]));
  case STEP_FTOSI: return to_integer(s, p->args[0], p->width, 1);
  case STEP_FTOUI: return to_integer(s, p->args[0], p->width, 0);
  }
  Z3_ast r = keep(s, float_step(s, p));
  if (!r) return NULL;
  s->floats[s->n] = r;
  return as_bits(s, r, p->width);
}

void assay_z3_build(assay_z3 *s, const assay_z3_step *steps, int64_t n, const uint32_t *words) {
  current = s;
  if (s->n + n > s->cap) {
    uint32_t cap = (uint32_t)(s->n + n + s->cap / 2);
    Z3_ast *slots = realloc(s->slots, cap * sizeof *slots);
    if (slots) s->slots = slots;
    Z3_ast *floats = realloc(s->floats, cap * sizeof *floats);
    if (floats) s->floats = floats;
    if (!slots || !floats) {
      s->error = Z3_MEMOUT_FAIL;
      return;
    }
    s->cap = cap;
  }
  for (int64_t i = 0; i < n && s->error == Z3_OK; i++) {
    s->floats[s->n] = NULL;
    Z3_ast a = keep(s, step(s, &steps[i], words));
    s->slots[s->n] = a;
    if (!a && s->error == Z3_OK) {
      s->error = Z3_INVALID_ARG;
      strcpy(s->message, "no result");
    }
    s->n++;
  }
}

// unflattened is a tactic that leaves conjunctions and disjunctions as deep as they
// are: if the ones of a program's guards, which share their prefixes, are made flat,
// what was linear becomes quadratic. It takes over t.
static Z3_tactic unflattened(Z3_context ctx, Z3_tactic t) {
  Z3_params params = Z3_mk_params(ctx);
  Z3_params_inc_ref(ctx, params);
  Z3_params_set_bool(ctx, params, Z3_mk_string_symbol(ctx, "flat"), false);
  Z3_tactic u = Z3_tactic_using_params(ctx, t, params);
  if (u) Z3_tactic_inc_ref(ctx, u);
  Z3_tactic_dec_ref(ctx, t);
  Z3_params_dec_ref(ctx, params);
  return u;
}

// tactics is the sequence of the tactics in a list of names with single blanks
// between them, with one reference.
static Z3_tactic tactics(Z3_context ctx, const char *names) {
  char name[64];
  size_t n = strcspn(names, " ");
  if (n >= sizeof name) n = sizeof name - 1;
  memcpy(name, names, n);
  name[n] = 0;
  Z3_tactic t = Z3_mk_tactic(ctx, name);
  if (!t) return 0;
  Z3_tactic_inc_ref(ctx, t);
  if (!names[n]) return t;
  Z3_tactic rest = tactics(ctx, names + n + 1);
  if (!rest) {
    Z3_tactic_dec_ref(ctx, t);
    return 0;
  }
  Z3_tactic all = Z3_tactic_and_then(ctx, t, rest);
  if (all) Z3_tactic_inc_ref(ctx, all);
  Z3_tactic_dec_ref(ctx, t);
  Z3_tactic_dec_ref(ctx, rest);
  return all;
}

void assay_z3_solver(assay_z3 *s, const char *logic, const char *tactic, int flat) {
  current = s;
  drop_model(s);
  if (s->solver) Z3_solver_dec_ref(s->ctx, s->solver);
  if (logic)
    s->solver = Z3_mk_solver_for_logic(s->ctx, Z3_mk_string_symbol(s->ctx, logic));
  else if (tactic) {
    Z3_tactic t = tactics(s->ctx, tactic);
    if (t && !flat) t = unflattened(s->ctx, t);
    s->solver = Z3_mk_solver_from_tactic(s->ctx, t);
    if (t) Z3_tactic_dec_ref(s->ctx, t);
  } else
    s->solver = Z3_mk_simple_solver(s->ctx);
  if (s->solver) Z3_solver_inc_ref(s->ctx, s->solver);
}

void assay_z3_assert(assay_z3 *s, const uint32_t *slots, int64_t n) {
  current = s;
  for (int64_t i = 0; i < n; i++) Z3_solver_assert(s->ctx, s->solver, s->slots[slots[i]]);
}

void assay_z3_imply(assay_z3 *s, uint32_t proxy, uint32_t formula) {
  current = s;
  Z3_solver_assert(s->ctx, s->solver, keep(s, Z3_mk_implies(s->ctx, s->slots[proxy], s->slots[formula])));
}

static void set_checking(assay_z3 *s, int checking) {
  pthread_mutex_lock(&s->mutex);
  s->checking = checking;
  pthread_mutex_unlock(&s->mutex);
}

int assay_z3_check(assay_z3 *s, const uint32_t *slots, int64_t n, uint32_t conflicts, uint32_t resources, const char **reason) {
  current = s;
  drop_model(s);
  *reason = "";
  Z3_params params = Z3_mk_params(s->ctx);
  Z3_params_inc_ref(s->ctx, params);
  Z3_params_set_uint(s->ctx, params, Z3_mk_string_symbol(s->ctx, "max_conflicts"), conflicts);
  Z3_params_set_uint(s->ctx, params, Z3_mk_string_symbol(s->ctx, "max_memory"), memory_bound);
  Z3_params_set_uint(s->ctx, params, Z3_mk_string_symbol(s->ctx, "rlimit"), resources);
  Z3_solver_set_params(s->ctx, s->solver, params);
  Z3_params_dec_ref(s->ctx, params);
  Z3_ast *assumptions = malloc((n + 1) * sizeof *assumptions);
  if (!assumptions) {
    s->error = Z3_MEMOUT_FAIL;
    return 0;
  }
  for (int64_t i = 0; i < n; i++) assumptions[i] = s->slots[slots[i]];
  set_checking(s, 1);
  Z3_lbool r;
  if (n > 0)
    r = Z3_solver_check_assumptions(s->ctx, s->solver, (unsigned)n, assumptions);
  else
    r = Z3_solver_check(s->ctx, s->solver);
  set_checking(s, 0);
  free(assumptions);
  if (s->error != Z3_OK) return 0;
  if (r == Z3_L_UNDEF) *reason = Z3_solver_get_reason_unknown(s->ctx, s->solver);
  if (r == Z3_L_TRUE) {
    s->model = Z3_solver_get_model(s->ctx, s->solver);
    if (s->model) Z3_model_inc_ref(s->ctx, s->model);
  }
  return r;
}

void assay_z3_interrupt(assay_z3 *s) {
  pthread_mutex_lock(&s->mutex);
  if (s->checking) Z3_interrupt(s->ctx);
  pthread_mutex_unlock(&s->mutex);
}

void assay_z3_core(assay_z3 *s, const uint32_t *slots, int8_t *failed, int64_t n) {
  current = s;
  Z3_ast_vector core = Z3_solver_get_unsat_core(s->ctx, s->solver);
  if (!core) return;
  Z3_ast_vector_inc_ref(s->ctx, core);
  unsigned m = Z3_ast_vector_size(s->ctx, core);
  for (int64_t i = 0; i < n; i++) failed[i] = 0;
  for (unsigned k = 0; k < m; k++) {
    Z3_ast a = Z3_ast_vector_get(s->ctx, core, k);
    for (int64_t i = 0; i < n; i++)
      if (s->slots[slots[i]] == a) failed[i] = 1;
  }
  Z3_ast_vector_dec_ref(s->ctx, core);
}

// Reading models.

static const char *read_numeral(assay_z3 *s, Z3_ast a, uint64_t *low) {
  *low = 0;
  Z3_lbool b = Z3_get_sort_kind(s->ctx, Z3_get_sort(s->ctx, a)) == Z3_BOOL_SORT
                   ? Z3_get_bool_value(s->ctx, a)
                   : Z3_L_UNDEF;
  if (b != Z3_L_UNDEF) {
    *low = b == Z3_L_TRUE;
    return NULL;
  }
  if (!Z3_is_numeral_ast(s->ctx, a)) {
    if (s->error == Z3_OK) {
      s->error = Z3_INVALID_ARG;
      strcpy(s->message, "model value is no numeral");
    }
    return NULL;
  }
  if (Z3_get_numeral_uint64(s->ctx, a, low)) return NULL;
  return Z3_get_numeral_string(s->ctx, a);
}

static Z3_ast in_model(assay_z3 *s, uint32_t slot) {
  Z3_ast v = NULL;
  if (!s->model || !Z3_model_eval(s->ctx, s->model, s->slots[slot], true, &v)) return NULL;
  return keep(s, v);
}

const char *assay_z3_value(assay_z3 *s, uint32_t slot, uint64_t *low) {
  current = s;
  *low = 0;
  Z3_ast v = in_model(s, slot);
  return v ? read_numeral(s, v, low) : NULL;
}

static int add_element(assay_z3 *s, Z3_ast index, Z3_ast value) {
  if (s->num_elements == s->cap_elements) {
    int64_t cap = 2 * s->cap_elements + 16;
    uint64_t *indices = realloc(s->indices, cap * sizeof *indices);
    if (indices) s->indices = indices;
    Z3_ast *elements = realloc(s->elements, cap * sizeof *elements);
    if (elements) s->elements = elements;
    if (!indices || !elements) return 0;
    s->cap_elements = cap;
  }
  uint64_t i;
  if (!Z3_is_numeral_ast(s->ctx, index) || !Z3_get_numeral_uint64(s->ctx, index, &i)) return 0;
  s->indices[s->num_elements] = i;
  s->elements[s->num_elements++] = keep(s, value);
  return 1;
}

// The elements of (_ as-array f): the entries of f's interpretation.
static int read_function(assay_z3 *s, Z3_func_decl f) {
  Z3_context c = s->ctx;
  Z3_func_interp fi = Z3_model_get_func_interp(c, s->model, f);
  if (!fi) return 0;
  Z3_func_interp_inc_ref(c, fi);
  int ok = 1;
  unsigned n = Z3_func_interp_get_num_entries(c, fi);
  for (unsigned i = 0; i < n && ok; i++) {
    Z3_func_entry e = Z3_func_interp_get_entry(c, fi, i);
    Z3_func_entry_inc_ref(c, e);
    ok = add_element(s, Z3_func_entry_get_arg(c, e, 0), Z3_func_entry_get_value(c, e));
    Z3_func_entry_dec_ref(c, e);
  }
  s->other = keep(s, Z3_func_interp_get_else(c, fi));
  Z3_func_interp_dec_ref(c, fi);
  return ok && s->other;
}

int64_t assay_z3_array(assay_z3 *s, uint32_t slot) {
  current = s;
  Z3_context c = s->ctx;
  s->num_elements = 0;
  Z3_ast a = in_model(s, slot);
  while (a && Z3_is_app(c, a)) {
    Z3_app app = Z3_to_app(c, a);
    Z3_func_decl f = Z3_get_app_decl(c, app);
    switch (Z3_get_decl_kind(c, f)) {
    case Z3_OP_STORE:
      if (!add_element(s, Z3_get_app_arg(c, app, 1), Z3_get_app_arg(c, app, 2))) return -1;
      a = Z3_get_app_arg(c, app, 0);
      continue;
    case Z3_OP_CONST_ARRAY:
      s->other = keep(s, Z3_get_app_arg(c, app, 0));
      return s->num_elements;
    case Z3_OP_AS_ARRAY:
      return read_function(s, Z3_get_as_array_func_decl(c, a)) ? s->num_elements : -1;
    default:
      return -1;
    }
  }
  return -1;
}

uint64_t assay_z3_array_index(assay_z3 *s, int64_t element) { return s->indices[element]; }

const char *assay_z3_array_value(assay_z3 *s, int64_t element, uint64_t *low) {
  current = s;
  return read_numeral(s, element < 0 ? s->other : s->elements[element], low);
}

uint64_t assay_z3_resources(assay_z3 *s) {
  current = s;
  if (!s->solver) return 0;
  Z3_stats st = Z3_solver_get_statistics(s->ctx, s->solver);
  if (!st) return 0;
  Z3_stats_inc_ref(s->ctx, st);
  uint64_t used = 0;
  unsigned n = Z3_stats_size(s->ctx, st);
  for (unsigned i = 0; i < n; i++)
    if (!strcmp(Z3_stats_get_key(s->ctx, st, i), "rlimit count") && Z3_stats_is_uint(s->ctx, st, i))
      used = Z3_stats_get_uint_value(s->ctx, st, i);
  Z3_stats_dec_ref(s->ctx, st);
  return used;
}

void assay_z3_statistics(assay_z3 *s, uint64_t *conflicts, uint64_t *bytes) {
  current = s;
  *conflicts = 0;
  *bytes = Z3_get_estimated_alloc_size();
  if (!s->solver) return;
  Z3_stats st = Z3_solver_get_statistics(s->ctx, s->solver);
  if (!st) return;
  Z3_stats_inc_ref(s->ctx, st);
  unsigned n = Z3_stats_size(s->ctx, st);
  for (unsigned i = 0; i < n; i++) {
    const char *key = Z3_stats_get_key(s->ctx, st, i);
    if ((!strcmp(key, "conflicts") || !strcmp(key, "sat conflicts")) && Z3_stats_is_uint(s->ctx, st, i))
      *conflicts += Z3_stats_get_uint_value(s->ctx, st, i);
  }
  Z3_stats_dec_ref(s->ctx, st);
}
