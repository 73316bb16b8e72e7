#pragma once

namespace tapedeck::base {

/// A deleter for std::unique_ptr that calls a function of a C library: `std::unique_ptr<X509, FreedBy<&X509_free>>`.
template <auto function>
struct FreedBy {
  template <class T>
  void operator()(T* pointer) const {
    function(pointer);
  }
};

}  // namespace tapedeck::base
