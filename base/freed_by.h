#pragma once

namespace tapedeck::base {

/// For a std::unique_ptr that is freed by a function of a C library: `std::unique_ptr<X509, FreedBy<&X509_free>>`.
template <auto function>
struct FreedBy {
  template <class T>
  void operator()(T* pointer) const {
    function(pointer);
  }
};

}  // namespace tapedeck::base
