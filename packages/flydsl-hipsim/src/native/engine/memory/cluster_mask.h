// Loads that several workgroups of a cluster ask for together: each of them has a bit in the mask, and asks.
#pragma once
#include "engine/core/wave.h"

namespace flysim {

inline void check_cluster_mask(const Wave &w, uint32_t mask) {
  const Cluster &cluster = *w.group->cluster;
  if (!mask || cluster.members == 1) return;
  const uint32_t *place = w.group->place;
  if (mask >> cluster.members)
    throw Fault("a load whose mask names more workgroups than a cluster of " + std::to_string(cluster.members) +
                " workgroups has");
  if (!(mask >> (place[0] + cluster.size[0] * (place[1] + cluster.size[1] * place[2])) & 1))
    throw Fault("a load that by its mask is not for the workgroup that asks");
}

} // namespace flysim
