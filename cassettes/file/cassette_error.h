#pragma once
// One clear line for a cassette that cannot be used or written.

#include <stdexcept>
#include <string>

namespace tapedeck::cassettes {

class CassetteError : public std::runtime_error {
 public:
  enum class Kind {
    not_found,       ///< no such file
    not_a_cassette,  ///< another kind of file
    too_new,         ///< of another format; the message has both numbers
    damaged,         ///< not the schema or the content that the format promises
    in_use,          ///< another recorder has it
    io,              ///< the system said no: permission, disk full
  };
  CassetteError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace tapedeck::cassettes
