// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <array>

namespace cartpole {
namespace kernels {
extern const Kernels baseline;
#ifdef CARTPOLE_HAS_AVX2
extern const Kernels avx2;
#endif
} // namespace kernels

std::span<const Kernels* const> usable_kernels() {
#ifdef CARTPOLE_HAS_AVX2
  static constexpr std::array all{&kernels::baseline, &kernels::avx2};
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return std::span(all).first(has_avx2 ? 2 : 1);
#else
  static constexpr std::array all{&kernels::baseline};
  return all;
#endif
}

const Kernels& best_kernels() {
  static const Kernels* const best = usable_kernels().back();
  return *best;
}

} // namespace cartpole
