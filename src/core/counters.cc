#include "core/counters.h"

#include <cstdio>

namespace longshore {

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

constexpr size_t kTitleWidth = 24;

bool is_time(Counter counter) {
  return counter <= Counter::kStorageNs || counter == Counter::kCallNs;
}

std::string milliseconds(int64_t duration_ns) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3f ms", static_cast<double>(duration_ns) / 1e6);
  return text.data();
}

// The length of the well-formed UTF-8 sequence that `text` starts with, 0 if there is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const size_t length = lead < 0x80                    ? 1
                        : lead >= 0xC2 && lead <= 0xDF ? 2
                        : lead >= 0xE0 && lead <= 0xEF ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  const unsigned second = length > 1 ? byte(1) : 0;
  const bool invalid = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                       (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
  return invalid ? 0 : length;
}

void append_escaped(std::string& out, char character) {
  if (character == '"' || character == '\\') {
    out += '\\';
    out += character;
  } else if (static_cast<unsigned char>(character) < 0x20 || character == 0x7F) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "\\u%04x", static_cast<unsigned>(character));
    out += text.data();
  } else {
    out += character;
  }
}

}  // namespace

const char* name(Counter counter) {
  switch (counter) {
    case Counter::kPlanNs: return "plan_ns";
    case Counter::kExchangeNs: return "exchange_ns";
    case Counter::kWaitNs: return "wait_ns";
    case Counter::kStorageNs: return "storage_ns";
    case Counter::kBytesRead: return "bytes_read";
    case Counter::kBytesWritten: return "bytes_written";
    case Counter::kBytesCopied: return "bytes_copied";
    case Counter::kMessages: return "messages";
    case Counter::kStorageCalls: return "storage_calls";
    case Counter::kRmwBytes: return "rmw_bytes";
    case Counter::kCallNs: return "call_ns";
    case Counter::kWritesDirect: return "writes_direct";
    case Counter::kWritesList: return "writes_list";
    case Counter::kWritesSieve: return "writes_sieve";
    case Counter::kWritesPages: return "writes_pages";
    case Counter::kReadsDirect: return "reads_direct";
    case Counter::kReadsList: return "reads_list";
    case Counter::kReadsSieve: return "reads_sieve";
    case Counter::kReadsPages: return "reads_pages";
    case Counter::kIndependentWriteBytes: return "independent_write_bytes";
    case Counter::kIndependentReadBytes: return "independent_read_bytes";
    case Counter::kCollectiveWrites: return "collective_writes";
    case Counter::kCollectiveReads: return "collective_reads";
    case Counter::kCollectiveWriteBytes: return "collective_write_bytes";
    case Counter::kCollectiveReadBytes: return "collective_read_bytes";
    case Counter::kCollectiveAlone: return "collective_alone";
  }
  return "unknown";
}

CounterValues Counters::snapshot() const {
  CounterValues values{};
  for (size_t i = 0; i < kCounterCount; ++i) {
    values[i] = values_[i].load(std::memory_order_relaxed);
  }
  return values;
}

void Counters::reset() {
  for (auto& value : values_) {
    value.store(0, std::memory_order_relaxed);
  }
}

std::string render_text(std::string_view label, const CounterValues& values) {
  std::string out = "file " + std::string(label) + "\n";
  for (size_t i = 0; i < kCounterCount; ++i) {
    const auto counter = static_cast<Counter>(i);
    std::string title = name(counter);
    if (is_time(counter)) {
      title.resize(title.size() - 3);  // milliseconds() names the unit
    }
    const std::string value =
        is_time(counter) ? milliseconds(values[i]) : std::to_string(values[i]);
    out += "  " + title + std::string(kTitleWidth - title.size(), ' ') + value + "\n";
  }
  return out;
}

std::string render_json(std::string_view label, const CounterValues& values,
                        std::string_view more) {
  std::string out = "{\"file\":" + json_string(label);
  for (size_t i = 0; i < kCounterCount; ++i) {
    out += ",\"" + std::string(name(static_cast<Counter>(i))) + "\":" + std::to_string(values[i]);
  }
  out += more;
  return out + "}";
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 1) {
      append_escaped(out, text[0]);
    } else if (length == 0) {
      out += kReplacement;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

}  // namespace longshore
