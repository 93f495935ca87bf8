#include "check/output.h"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "check/registry.h"

namespace longshore::check {
namespace {

using nlohmann::ordered_json;

constexpr int kNoIndent = -1;

std::string word(Direction direction) { return direction == Direction::kWrite ? "write" : "read"; }

// {write} becomes the direction's own word.
std::string in_words(std::string text, Direction direction) {
  const std::string mark = "{write}";
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
    text.replace(at, mark.size(), word(direction));
  }
  return text;
}

// Bytes that are no UTF-8, in a path of an error message, must not end the program.
std::string dumped(const ordered_json& json) {
  return json.dump(kNoIndent, ' ', false, ordered_json::error_handler_t::replace);
}

const char* io_library() {
  Dl_info info{};
  void* const symbol = dlsym(RTLD_DEFAULT, "MPI_File_open");
  const bool known = symbol != nullptr && dladdr(symbol, &info) != 0;
  return known && std::strstr(info.dli_fname, "liblongshore") != nullptr ? "longshore" : "stock";
}

ordered_json to_json(const RuleFacts& facts) {
  ordered_json directions = ordered_json::array();
  for (const auto direction : facts.directions) {
    directions.push_back(word(direction));
  }
  return {{"rule", facts.number},
          {"variant", facts.variant},
          {"name", facts.name},
          {"kind", facts.expectation ? "expectation" : "requirement"},
          {"a", facts.a},
          {"b", facts.b},
          {"directions", directions},
          {"most_bytes", facts.most_bytes},
          {"quick", facts.in_quick},
          {"advice", facts.advice}};
}

void add_judgement(const cli::Judgement& judged, ordered_json& json) {
  json["trials"] = judged.trials;
  json["verdict"] = std::string(name(judged.verdict));
  if (judged.trials > 0) {
    json["ratio"] = judged.ratio;
    json["a_seconds"] = judged.a_seconds;
    json["b_seconds"] = judged.b_seconds;
  }
  if (judged.high > 0) {
    json["low"] = judged.low;
    json["high"] = judged.high;
  }
}

}  // namespace

std::string rules_json() {
  std::string text = "[";
  for (const auto& rule : all_rules()) {
    text += (text.size() > 1 ? ",\n " : "") + to_json(rule->facts()).dump();
  }
  return text + "]";
}

std::string case_json(const Case& one) {
  const auto& facts = one.rule->facts();
  const auto direction = one.place.direction;
  ordered_json json = {{"rule", facts.number},
                       {"variant", facts.variant},
                       {"name", facts.name},
                       {"kind", facts.expectation ? "expectation" : "requirement"},
                       {"operation", word(direction)},
                       {"bytes", one.place.bytes},
                       {"calls", one.place.calls},
                       {"a", in_words(facts.a, direction)},
                       {"b", in_words(facts.b, direction)},
                       {"advice", in_words(facts.advice, direction)}};
  if (!one.skipped.empty()) {
    json["skipped"] = one.skipped;
  } else if (!one.wrong.empty()) {
    json["wrong"] = one.wrong;
  } else {
    add_judgement(one.judge.judgement(), json);
  }
  return dumped(json);
}

std::string case_text(const Case& one) {
  const auto& facts = one.rule->facts();
  return facts.number + (facts.variant.empty() ? "" : " " + facts.variant) + " " +
         word(one.place.direction) + " " + std::to_string(one.place.bytes);
}

std::string header_json(int ranks, size_t cases) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string version = text.data();
  return dumped({{"check", 1},
                 {"io", io_library()},
                 {"ranks", ranks},
                 {"cases", cases},
                 {"mpi_version", version.substr(0, version.find('\n'))}});
}

}  // namespace longshore::check
