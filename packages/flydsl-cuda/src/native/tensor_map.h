/* Tensor maps for the copy engine: what a launch knows of a tensor, and the recipe of flydsl_cuda.tensor_map. */
#ifndef FLYCUDA_TENSOR_MAP_H
#define FLYCUDA_TENSOR_MAP_H

#include <fly_abi.h>

#include <stdio.h>
#include <string.h>

enum { MAP_GRANULE = 16 }; /* addresses and strides are multiples of so many bytes */

/* Constants of the driver's function, and the box in elements: little-endian, the contiguous dimension first. */
typedef struct TensorMapRecipe {
  uint32_t type, element_bytes, interleave, swizzle, promotion, fill;
  uint32_t box[FLY_TENSOR_MAP_RANK];
  uint32_t is_written; /* kernels store through the map */
} TensorMapRecipe;

typedef int (*TensorMapEncode)(void *map, uint32_t type, uint32_t rank, void *address, const uint64_t *extents,
                               const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides,
                               uint32_t interleave, uint32_t swizzle, uint32_t promotion, uint32_t fill);

/* Why the copy engine cannot have the tensor, into `text`; an empty one when it can. */
static void check_tensor_map(const FlyTensorMapSpec *spec, const TensorMapRecipe *recipe, char *text, size_t size) {
  *text = 0;
  const uint64_t address = (uint64_t)(uintptr_t)spec->address;
  if (address % MAP_GRANULE) {
    snprintf(text, size, "the tensor begins at %#llx, which is no multiple of %d bytes: copy it to memory of its own",
             (unsigned long long)address, MAP_GRANULE);
    return;
  }
  for (uint32_t i = 0; i < spec->rank && !*text; ++i) {
    const long long extent = spec->shape[i], stride = spec->strides[i];
    if (extent < 0 || extent > 1ll << 32)
      snprintf(text, size, "a dimension of %lld elements is more than the copy engine counts", extent);
    else if (i == 0 && stride != (long long)recipe->element_bytes && extent > 1)
      snprintf(text, size, "the elements of the contiguous dimension are %lld bytes apart, not %u", stride,
               recipe->element_bytes);
    else if (i && extent > 1 && (stride <= 0 || stride % MAP_GRANULE || stride >= 1ll << 40))
      snprintf(text, size,
               "a stride of %lld bytes is no positive multiple of %d: pad the rows of the tensor, or copy it", stride,
               MAP_GRANULE);
  }
  const long long row = spec->shape[0] * (long long)recipe->element_bytes;
  if (!*text && recipe->is_written && row % MAP_GRANULE)
    snprintf(text, size,
             "rows of %lld bytes: the copy engine stores whole %d bytes, and would overwrite what is behind them; take "
             "a tensor with rows of a multiple of that",
             row, MAP_GRANULE);
}

/* Write a map of a tensor with elements. A dimension of one element has no stride to speak of. */
static int write_tensor_map(TensorMapEncode encode, const FlyTensorMapSpec *spec, const TensorMapRecipe *recipe,
                            void *map) {
  uint64_t extents[FLY_TENSOR_MAP_RANK] = {0}, strides[FLY_TENSOR_MAP_RANK] = {0};
  uint32_t steps[FLY_TENSOR_MAP_RANK];
  for (uint32_t i = 0; i < FLY_TENSOR_MAP_RANK; ++i) steps[i] = 1;
  for (uint32_t i = 0; i < spec->rank; ++i) extents[i] = (uint64_t)spec->shape[i];
  for (uint32_t i = 1; i < spec->rank; ++i)
    strides[i - 1] = spec->shape[i] > 1 ? (uint64_t)spec->strides[i] : MAP_GRANULE;
  return encode(map, recipe->type, spec->rank, spec->address, extents, strides, recipe->box, steps, recipe->interleave,
                recipe->swizzle, recipe->promotion, recipe->fill);
}

#endif
