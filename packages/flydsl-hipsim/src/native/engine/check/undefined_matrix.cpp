// Undefined bits through matrix instructions: from rows of A and columns of B to the results that they meet in.
#include "undefined.h"

#include "engine/vector/lanes.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace flysim {
namespace {

struct Shape { unsigned m = 0, n = 0, blocks = 1; };

// `v_mfma_f32_32x32x4_2b_f16`: 32 rows, 32 columns, 2 blocks. No shape for layouts other than those of matrix.h.
Shape shape_of(std::string_view name, const FlySimRecord &r) {
  Shape shape;
  if (!name.starts_with("v_mfma_") || name.starts_with("v_mfma_f64") || r.cbsz || r.abid || r.blgp) return shape;
  const size_t x = name.find('x'), begin = name.rfind('_', x) + 1;
  const char *end = name.data() + name.size();
  if (const size_t k = name.find('x', x + 1); name.find('_', k) == name.npos || name.ends_with("_1k"))
    return shape; // gfx90a's names
  std::from_chars(name.data() + begin, end, shape.m);
  std::from_chars(name.data() + x + 1, end, shape.n);
  if (const size_t b = name.find("b_", x); b != name.npos && b > 1 && name[b - 1] >= '0' && name[b - 1] <= '9')
    std::from_chars(name.data() + name.rfind('_', b) + 1, end, shape.blocks);
  return shape;
}

uint64_t lanes_of(Wave &shadow, const FlySimOperand &operand) {
  uint64_t lanes = 0;
  for (unsigned k = 0; operand.kind == FLYSIM_VGPR && k < operand.count; ++k)
    lanes |= pack_bits(shadow.row(operand.index + k), kLanes);
  return lanes & shadow.full();
}

// Places of a vector operand of `rows` rows that have undefined bits: [block * rows + row].
std::array<bool, 64> places_of(uint64_t lanes, unsigned rows, unsigned blocks) {
  std::array<bool, 64> places{};
  for (unsigned l = 0; l < unsigned(kLanes); ++l)
    if (lanes >> l & 1) places[l / rows % blocks * rows + l % rows] = true;
  return places;
}

} // namespace

// An undefined element of A reaches its row, one of B its column, one of C itself. Where the layout is not known here:
// everything.
void Undefined::matrix(State &s, const Effects &e) {
  const FlySimRecord &r = e.record;
  if (e.writes.empty()) return;
  const Registers to = e.writes[0];
  const bool adds = r.operand_count > 3 && r.operands[3].kind == FLYSIM_VGPR && r.operands[3].count == to.count;
  const uint64_t a = lanes_of(s.wave, r.operands[1]), b = lanes_of(s.wave, r.operands[2]);
  bool others = false;
  for (int k = adds ? 4 : 3; k < r.operand_count; ++k) others |= lanes_of(s.wave, r.operands[k]) != 0;
  const Shape shape = shape_of(e.name, r);
  const bool all = others || ((a | b) && !shape.m);
  const bool in_place = e.name.starts_with("v_smfmac") || e.name.starts_with("v_swmmac");
  const auto rows = places_of(shape.m ? a : 0, std::max(shape.m, 1u), shape.blocks),
             columns = places_of(shape.m ? b : 0, std::max(shape.n, 1u), shape.blocks);
  for (unsigned v = 0; v < to.count; ++v) {
    uint32_t *made = s.wave.row(to.first + v);
    const uint32_t *before = in_place ? made : adds ? s.wave.row(r.operands[3].index + v) : nullptr;
    for (unsigned l = 0; l < unsigned(kLanes); ++l) {
      bool undefined = all || (before && before[l]);
      if (shape.m) {
        const unsigned group = v / 4 * (kLanes / shape.n) + l / shape.n, block = group / (shape.m / 4) % shape.blocks;
        undefined |=
            rows[block * shape.m + group % (shape.m / 4) * 4 + v % 4] || columns[block * shape.n + l % shape.n];
      }
      made[l] = undefined ? ~0u : 0;
    }
  }
}

} // namespace flysim
