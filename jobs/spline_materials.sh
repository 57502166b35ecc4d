#!/usr/bin/env bash
# Writes the two materials of inputs/materials: neo-Hookean of Young's modulus 1e5 Pa and Poisson's ratio 0.3, which resists
# compression more (a'(s) = mu s - 10 mu (1 - s)^2 for s < 1) or tension more (mu s + 10 mu (s - 1)^2 for s > 1), as in
# [Liu, Bouaziz, Kavan 2017, figure 6]; c'(J) = (lambda log J - mu)/J.      usage: spline_materials.sh [DIRECTORY]
set -eu
cd "${1:-$(dirname "$0")/../inputs/materials}"

# table COMPRESSION TENSION: the factors of mu (s - 1)^2 on either side of rest.
table() {
  LC_ALL=C awk -v compression="$1" -v tension="$2" 'BEGIN {
    mu = 1e5 / 2.6; lambda = 1e5 * 0.3 / (1.3 * 0.4)
    print "function,x,value,slope"
    for (i = 0; i <= 12; i++) {
      s = i / 4; e = s - 1; k = mu * (e < 0 ? -compression : tension)
      printf "a,%g,%.15g,%.15g\n", s, mu * s + k * e * e, mu + 2 * k * e
    }
    n = split("0.05 0.075 0.1 0.15 0.2 0.25 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.1 1.2 1.35 1.5 1.75 2 2.5 3 4", x, " ")
    for (i = 1; i <= n; i++) {
      J = x[i]
      printf "c,%g,%.15g,%.15g\n", J, (lambda * log(J) - mu) / J, (lambda * (1 - log(J)) + mu) / (J * J)
    }
  }'
}
table 10 0 >stiff_in_compression.csv
table 0 10 >stiff_in_tension.csv
