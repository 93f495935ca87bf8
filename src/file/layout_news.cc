#include "file/layout_news.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace longshore {

LayoutNews news_of(const Layout& layout, StripingOutcome striping) {
  LayoutNews news;
  news.striping = striping;
  const auto words = layout.encode();
  news.words = static_cast<int64_t>(words.size());
  std::copy_n(words.begin(), std::min(words.size(), LayoutNews::kRoom), news.first.begin());
  return news;
}

Result<Layout> share_layout(Communicator& comm, const LayoutNews& news, const Layout& own) {
  const auto count = static_cast<size_t>(news.words);
  if (count <= LayoutNews::kRoom) {
    return Layout::decode(std::span(news.first).first(count));
  }
  std::vector<int64_t> words = comm.rank() == 0 ? own.encode() : std::vector<int64_t>(count);
  if (auto told = comm.broadcast(std::as_writable_bytes(std::span(words)), 0); !told) {
    return fail(told.error());
  }
  return Layout::decode(words);
}

void put_striping(const Layout& layout, StripingOutcome striping, HintMap& info) {
  info["longshore_file_system"] = name(layout.file_system);
  info["longshore_striping"] = describe(striping);
  // Libraries align their files to these, which is right only where there are stripes.
  info.erase("striping_unit");
  info.erase("striping_factor");
  info.erase("start_iodevice");
  if (layout.file_system == FileSystem::kPlain) {
    return;
  }
  info["striping_unit"] = std::to_string(layout.unit_bytes());
  if (layout.map) {
    info["striping_factor"] = std::to_string(layout.factor());
  }
  if (const int first = layout.device_of(0); first >= 0) {
    info["start_iodevice"] = std::to_string(first);
  }
}

}  // namespace longshore
