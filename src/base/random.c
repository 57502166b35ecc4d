/* SplitMix64 [Steele et al. 2014]. */
#include <wring/base.h>

uint64_t wring_mix(uint64_t z)
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double wring_uniform(uint64_t counter)
{
  return (double)(wring_mix(0x77696e67u + (counter + 1) * 0x9e3779b97f4a7c15u) >> 11) / 9007199254740992.0;
}
