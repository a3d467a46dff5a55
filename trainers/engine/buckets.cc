#include "trainers/engine/buckets.h"

#include <algorithm>

namespace linerate::trainers {
namespace {

constexpr std::size_t kGrain = 16;  // float32 of a cache line

std::size_t round_up(std::size_t count, std::size_t grain) {
  return (count + grain - 1) / grain * grain;
}

// Fills a bucket until its cap, then begins the next one in front of it.
class Filler {
 public:
  Filler(const BucketCaps& caps, std::size_t element_bytes)
      : caps_(caps), element_bytes_(element_bytes) {}

  void add(std::size_t begin, std::size_t end, const std::vector<std::size_t>& parameters) {
    if (full_) {
      buckets_.push_back({.begin = begin, .end = end});
      full_ = false;
    }
    auto& bucket = buckets_.back();
    bucket.begin = begin;
    bucket.parameters.insert(bucket.parameters.end(), parameters.begin(), parameters.end());
    const auto cap = buckets_.size() == 1 ? std::min(caps_.first_bytes, caps_.bytes) : caps_.bytes;
    full_ = bucket.count() * element_bytes_ >= cap;
  }
  std::vector<Bucket> take() { return std::move(buckets_); }

 private:
  const BucketCaps& caps_;
  const std::size_t element_bytes_;
  std::vector<Bucket> buckets_;
  bool full_ = true;
};

}  // namespace

FlatLayout flat_layout(const ParameterTable& table, std::size_t shards) {
  FlatLayout layout{.begin = {0}, .grain = kGrain * shards};
  for (const auto count : table.unit_counts)
    layout.begin.push_back(layout.begin.back() + round_up(count, layout.grain));
  return layout;
}

std::vector<Bucket> buckets_of_parameters(const ParameterTable& table, const FlatLayout& layout,
                                          const BucketCaps& caps, std::size_t element_bytes) {
  Filler filler(caps, element_bytes);
  for (auto i = table.parameters.size(); i-- > 0;) {
    const auto& parameter = table.parameters[i];
    const auto begin = layout.begin[parameter.unit] + parameter.offset;
    filler.add(begin, begin + parameter.count(), {i});
  }
  return filler.take();
}

std::vector<Bucket> buckets_of_units(const ParameterTable& table, const FlatLayout& layout,
                                     const BucketCaps& caps, std::size_t element_bytes) {
  Filler filler(caps, element_bytes);
  for (auto unit = table.units(); unit-- > 0;) {
    std::vector<std::size_t> parameters;
    for (std::size_t i = 0; i < table.parameters.size(); ++i)
      if (table.parameters[i].unit == unit) parameters.push_back(i);
    filler.add(layout.begin[unit], layout.begin[unit + 1], parameters);
  }
  return filler.take();
}

}  // namespace linerate::trainers
