// What no compiler emits by itself: faces of cube maps and sums of masked differences.
#include "engine/core/access.h"
#include "float_lanes.h"

namespace flysim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

// The axis with the largest magnitude: z before y before x.
int major_axis(float x, float y, float z) {
  const float a = std::fabs(x), b = std::fabs(y), c = std::fabs(z);
  return c >= a && c >= b ? 2 : b >= a ? 1 : 0;
}
const Registration cubes({
    vop("v_cubeid_f32",
        [](float x, float y, float z) {
          const float of[] = {x, y, z};
          const int axis = major_axis(x, y, z);
          return float(2 * axis + (of[axis] < 0));
        }),
    vop("v_cubema_f32",
        [](float x, float y, float z) {
          const float of[] = {x, y, z};
          return 2.0f * of[major_axis(x, y, z)];
        }),
    vop("v_cubesc_f32",
        [](float x, float y, float z) {
          switch (major_axis(x, y, z)) {
          case 2: return z < 0 ? -x : x;
          case 1: return x;
          default: return x < 0 ? z : -z;
          }
        }),
    vop("v_cubetc_f32", [](float x, float y, float z) { return major_axis(x, y, z) == 1 ? (y < 0 ? -z : z) : -y; }),
});

// Four sums, of four windows into the first source: bytes that are 0 in the second one do not count.
void four_masked_sums(Wave &w, const Inst &i) {
  const FlySimOperand &sums = i.record->operands[3];
  const u32 *window = fetch(w, i, 0), *bytes = fetch(w, i, 1);
  for (int l = 0; l < w.lanes; ++l) {
    const u64 a = window[l] | u64(window[l + kLanes]) << 32;
    u32 made[4];
    for (int k = 0; k < 4; ++k) {
      made[k] = sums.kind == FLYSIM_VGPR ? w.row(sums.index + k)[l] : sums.value;
      for (int b = 0; b < 32; b += 8) {
        const int x = a >> (8 * k + b) & 0xff, y = bytes[l] >> b & 0xff;
        made[k] += y ? u32(std::abs(x - y)) : 0;
      }
    }
    for (int k = 0; k < 4; ++k) w.out[l + k * kLanes] = made[k];
  }
  each_lane(w.exec(), [&](int l) {
    for (int k = 0; k < 4; ++k) w.row(i.dst + k)[l] = w.out[l + k * kLanes];
  });
}
const Registration sums({{"v_mqsad_u32_u8", four_masked_sums, "r=qur"}});

} // namespace
} // namespace flysim
