// Object files in, a linked ELF image out; for callers that are inside `guarded` already.
#pragma once

#include "api.h"

namespace flydsl {

/// Runs lld in this process; one at a time.
void linkObjects(const std::vector<std::string> &objects, const std::vector<std::string> &args, bool shared,
                 Outcome<std::string> &out);

} // namespace flydsl
