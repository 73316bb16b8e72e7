#pragma once
// The error for a cassette that cannot be used or written.

#include <stdexcept>
#include <string>

namespace tapedeck::cassettes {

class CassetteError : public std::runtime_error {
 public:
  enum class Kind {
    not_found,       ///< no such file
    not_a_cassette,  ///< a file of another kind
    too_new,         ///< a newer or older format version; the message names both versions
    damaged,         ///< the schema or content violates the format
    in_use,          ///< used by another recorder
    io,              ///< an error of the system, such as permissions or a full disk
  };
  CassetteError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace tapedeck::cassettes
