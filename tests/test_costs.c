/* The model of costs by which qn and auto renew the operator and build a Hessian. docs/theory.md (5.14), (5.40) */
#include "check.h"
#include "solver/lbfgs/costs.h"

/* ---- renewal of the operator ------------------------------------------------------------------------------------- */

/* Evaluations of solve i, `age` solves after the last renewal before it; 0: there is none. */
typedef PetscInt length_of(const PetscInt *given, PetscInt i, PetscInt age);

typedef struct {
  PetscInt count, at, when; // renewals; solve and evaluation before the first; -1: none
} renewals;

/* At most n solves, each counted in single steps. */
static renewals march(PetscInt price, length_of *length, const PetscInt *given, PetscInt n)
{
  wring_renewal r   = {.price = price};
  renewals      all = {.at = -1, .when = -1};
  PetscInt      age = 0;
  for (PetscInt i = 0; i < n && length(given, i, age) > 0; i++, age++) {
    const PetscInt end = length(given, i, age);
    PetscInt       k   = 1; // evaluations
    wring_renewal_begin(&r, (PetscBool)(i == 0));
    for (; k < end; k++) {
      if (wring_renewal_is_due(&r, k)) {
        wring_renewal_done(&r, k, (PetscBool)(k > 1));
        if (all.count++ == 0) all.at = i, all.when = k;
        age = 0;
      }
      wring_renewal_count(&r, k);
    }
    wring_renewal_count(&r, k);
  }
  return all;
}

static PetscInt as_given(const PetscInt *given, PetscInt i, PetscInt age)
{
  (void)age;
  return given[i];
}

/* Fails if (5.14) is not the rule: cheaper solves reduce the excess, the first one is the reference, 0 means never. */
static void test_rule(void)
{
  static const struct {
    PetscInt price, n[6], at, when;
  } cases[] = {
    {10, {8, 12, 12, 12, 12, 0}, 3, 11}, // 4 + 4 lost, and the third in the last solve: 8 + (11 - 8) > 10
    {10, {8, 12, 4, 12, 12, 0}, -1, -1}, // 4, 0, 4, 8
    {10, {8, 14, 13, 20, 8, 0}, 3, 1},   // 6 + 5 lost: at once
    {10, {60, 5, 5, 0}, 0, 41},          // a long first solve
    {0, {8, 100, 100, 0}, -1, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const renewals r = march(cases[i].price, as_given, cases[i].n, 6);
    CHECK(r.at == cases[i].at && r.when == cases[i].when, "case %d: in solve %d before evaluation %d", (int)i,
          (int)r.at, (int)r.when);
  }
}

static PetscInt long_and_equal(const PetscInt *given, PetscInt i, PetscInt age)
{
  (void)given, (void)i, (void)age;
  return 200;
}

static PetscInt up_and_down(const PetscInt *given, PetscInt i, PetscInt age)
{
  (void)given, (void)age;
  return i % 2 ? 40 : 20;
}

static PetscInt growing(const PetscInt *given, PetscInt i, PetscInt age)
{
  (void)given, (void)i;
  return 10 + 2 * age;
}

/*
  Fails if solves that are long with every operator have it renewed in each of them, if operators that save nothing are
  renewed for ever, or if those that do are not.
*/
static void test_price(void)
{
  static const struct {
    length_of *length;
    PetscInt   least, most;
  } cases[] = {
    {long_and_equal, 1, 3}, // in the first solve only, after 120 evaluations and more; its length is then known
    {up_and_down, 2, 9},    // after 30, 60, 120, ... lost evaluations; without a price 300
    {growing, 40, 80},      // about every 8 solves
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const PetscInt count = march(30, cases[i].length, NULL, 400).count;
    CHECK(count >= cases[i].least && count <= cases[i].most, "case %d: %d renewals", (int)i, (int)count);
  }
}

/* Fails if rejected steps are not lost evaluations, or if evaluations that are no steps are. */
static void test_rejected(void)
{
  wring_renewal r = {.price = 10};
  wring_renewal_begin(&r, PETSC_TRUE);
  r.solve.evaluations = 20;
  wring_renewal_count(&r, 31); // ten of eleven are rejected
  CHECK(r.with.rejected == 10 && !wring_renewal_is_due(&r, 31), "%d rejected", (int)r.with.rejected);
  wring_renewal_count(&r, 33);
  CHECK(wring_renewal_is_due(&r, 33), "11 rejected steps are less than a price of 10");
}

/* ---- a Hessian --------------------------------------------------------------------------------------------------- */

/* n iterations of cost 1, each of which multiplies |grad g| by `factor`. */
static void iterate(wring_trade *t, PetscInt n, double factor)
{
  double norm = t->best;
  for (PetscInt i = 0; i < n; i++) wring_trade_add(t, 1, norm *= factor);
}

/*
  Fails if (5.41) is not the rule: the price is waited for, with what the first Hessian costs more, unless the rest at
  the rate so far costs more than most of it, and a solve that is nearly done is ended without.
*/
static void test_due(void)
{
  wring_trade t = {.price = 50, .first = 70, .best = 1}, never = {.price = INFINITY, .best = 1}, slow = t, many = t;
  wring_trade still = t;
  iterate(&t, 119, 0.95);
  CHECK(!wring_trade_is_due(&t, 0.1 * t.best), "due after %g of 120", t.since.cost); // rest: 45
  iterate(&t, 1, 0.95);
  CHECK(!wring_trade_is_due(&t, 0.1 * t.best), "due with %g left", wring_trade_rest(&t, 0.1 * t.best));
  CHECK(wring_trade_is_due(&t, 0.04 * t.best), "not due after 120"); // rest: 63
  for (int i = 0; i < 192; i++, many.best = 1) {                     // solves of ten iterations
    CHECK(!wring_trade_is_due(&many, 0.5), "due in solve %d: %g", i, wring_trade_rest(&many, 0.5));
    iterate(&many, 10, 0.5);
  }
  CHECK(wring_trade_is_due(&many, 0.5), "not tried after 16 prices");
  iterate(&slow, 59, 0.95);
  CHECK(!wring_trade_is_due(&slow, 1e-2 * slow.best), "a rate is believed after 59");
  iterate(&slow, 1, 0.95);
  CHECK(wring_trade_is_due(&slow, 1e-2 * slow.best), "not due with 90 left, of 84");
  CHECK(!wring_trade_is_due(&slow, 2e-2 * slow.best), "due with 76 left, of 84");
  iterate(&still, 59, 1.1);
  CHECK(!wring_trade_is_due(&still, 1e-6), "due after 59 without a rate");
  iterate(&still, 1, 1.1);
  CHECK(wring_trade_is_due(&still, 1e-6), "not due where the operator gains nothing");
  iterate(&never, 1000, 1);
  CHECK(!wring_trade_is_due(&never, 0), "a Hessian that cannot be built is due");
}

/* A trade whose operator has cost 200 and gained `factor` in each iteration, and a Hessian for 100. */
static wring_trade with_hessian(double factor)
{
  wring_trade t = {.price = 100, .best = 1};
  iterate(&t, 200, factor);
  wring_trade_build(&t);
  return t;
}

/*
  Fails if (5.42) is not the rule: a Hessian is kept for its price, and where the rest costs less than another; one that
  has become slow is rebuilt before.
*/
static void test_keep(void)
{
  wring_trade t = with_hessian(0.99);
  iterate(&t, 99, 0.97);
  CHECK(wring_trade_judge(&t, 0) == WRING_KEEP, "not kept after %g of 100", t.since.cost);
  iterate(&t, 1, 0.97);
  CHECK(wring_trade_judge(&t, 1e-3 * t.best) == WRING_REBUILD, "kept with 227 iterations left");
  CHECK(wring_trade_judge(&t, 0.06 * t.best) == WRING_KEEP, "rebuilt with 93 iterations left");
  CHECK(wring_trade_judge(&t, t.best) == WRING_KEEP, "rebuilt at the end");
  t = with_hessian(0.99);
  iterate(&t, 10, 0.5); // 3 decades, at 110 with the price: 0.027 a piece
  CHECK(wring_trade_judge(&t, 1e-9) == WRING_KEEP, "a fast Hessian is not kept");
  iterate(&t, 10, 0.99);
  CHECK(wring_trade_judge(&t, 1e-9) == WRING_REBUILD, "a Hessian that has become slow is kept");
}

/*
  Fails if a Hessian that is faster than the operator is left, or a slower one before it has cost 330, or if an operator
  that has gained little is returned to.
*/
static void test_leave(void)
{
  wring_trade t = with_hessian(0.99);
  for (int i = 0; i < 10; i++) {
    iterate(&t, 100, 0.97);
    CHECK(wring_trade_judge(&t, 0) == WRING_REBUILD, "a faster Hessian is left");
    wring_trade_build(&t);
  }
  for (int little = 0; little < 2; little++) {
    t = with_hessian(little ? 0.995 : 0.99); // 0.44 or 0.87 decades
    for (int i = 0; i < 2; i++) {
      iterate(&t, 100, little ? 0.999 : 0.985);
      const wring_verdict verdict = wring_trade_judge(&t, 0);
      CHECK(verdict == (i == 0 || little ? WRING_REBUILD : WRING_LEAVE), "slower, %d, %d: %d", little, i, (int)verdict);
      if (i == 0) wring_trade_build(&t);
    }
  }
  t = with_hessian(1);
  wring_trade_leave(&t);
  iterate(&t, 119, 1);
  CHECK(!wring_trade_is_due(&t, 0), "due after %g of 120 without a rate", t.since.cost);
  iterate(&t, 1, 1);
  CHECK(wring_trade_is_due(&t, 0), "not due after 120 without a rate");
  t = with_hessian(0.99);
  wring_trade_leave(&t);
  iterate(&t, 219, 0.99);
  CHECK(t.use == WRING_USE_OPERATOR && !wring_trade_is_due(&t, 0.25 * t.best), "due after %g of 220", t.since.cost);
  iterate(&t, 1, 0.99);
  CHECK(wring_trade_is_due(&t, 0.25 * t.best), "not due after 220");
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  test_rule();
  test_price();
  test_rejected();
  test_due();
  test_keep();
  test_leave();
  return PetscFinalize();
}
