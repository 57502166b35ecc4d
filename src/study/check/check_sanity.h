/* Private to src/study/check: the part of `wring check` on the numbers of the problem (wring/sanity.h). */
#pragma once
#include <wring/sanity.h>

void wring_check_print_sanity(const wring_problem *p, const wring_sanity *s); // rank 0
