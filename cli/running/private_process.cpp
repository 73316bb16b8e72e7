#include "cli/running/private_process.h"

#include <sys/prctl.h>

namespace tapedeck::cli {

void keep_memory_private() { prctl(PR_SET_DUMPABLE, 0); }

}  // namespace tapedeck::cli
