#include <wring/base.h>

/* SplitMix64 [Steele et al. 2014]. */
double wring_uniform(uint64_t counter)
{
  uint64_t z = 0x77696e67u + (counter + 1) * 0x9e3779b97f4a7c15u;
  z          = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z          = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}
