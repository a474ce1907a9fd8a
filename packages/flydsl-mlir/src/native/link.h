// Object files in, a linked ELF image out.
#pragma once

#include "api.h"

namespace flydsl {

/// Runs lld in this process, on a thread of its own; one at a time.
void linkObjects(const std::vector<std::string> &objects, const std::vector<std::string> &args, bool shared,
                 Outcome<std::string> &out);

} // namespace flydsl
