#pragma once

namespace tapedeck::base {

/// For std::unique_ptr of what a C library frees by a function of its own: `std::unique_ptr<X509, FreedBy<&X509_free>>`.
template <auto function>
struct FreedBy {
  template <class T>
  void operator()(T* pointer) const {
    function(pointer);
  }
};

}  // namespace tapedeck::base
