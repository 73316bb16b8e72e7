#include "api/interaction.h"

namespace tapedeck::api {

std::string_view to_string(Completeness completeness) {
  switch (completeness) {
    case Completeness::complete:
      return "complete";
    case Completeness::broken:
      return "broken";
    case Completeness::withheld:
      return "withheld";
  }
  return "unknown";
}

}  // namespace tapedeck::api
