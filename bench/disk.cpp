#include "bench/disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>

namespace tapedeck::bench {

std::vector<double> sync_times(const std::filesystem::path& file, int count) {
  using Clock = std::chrono::steady_clock;
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) throw std::runtime_error("cannot write " + file.string());
  constexpr int blocks = 1024;
  const std::string block(16 * 1024, 'x');
  const auto put = [&](int place) {
    const auto offset = static_cast<off_t>(place % blocks) * static_cast<off_t>(block.size());
    return pwrite(descriptor, block.data(), block.size(), offset) == static_cast<ssize_t>(block.size());
  };
  bool good = true;
  for (int place = 0; place < blocks; ++place) good = good && put(place);
  good = good && fsync(descriptor) == 0;
  std::vector<double> microseconds;
  for (int i = 0; i < count && good; ++i) {
    good = put(i);
    const Clock::time_point start = Clock::now();
    good = good && fdatasync(descriptor) == 0;
    microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  close(descriptor);
  std::filesystem::remove(file);
  if (!good) throw std::runtime_error("the disk does not take the probe");
  return microseconds;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  return values[std::min(place, values.size() - 1)];
}

double size_of(const std::filesystem::path& file) {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(file, none);
  return none ? 0.0 : static_cast<double>(size);
}

void read_once(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> buffer(1u << 20);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
  }
}

}  // namespace tapedeck::bench
